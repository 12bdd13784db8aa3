#!/usr/bin/env python3
"""Medians of the JSON lines that bench/compare_training prints, as a Markdown table."""
import collections
import json
import statistics
import sys

runs = collections.defaultdict(list)
for line in open(sys.argv[1]):
    row = json.loads(line)
    runs[row["model"], row.get("system", "skein"), row.get("mode", row.get("precision"))].append(row)

print("\n| model | system | mode | target tokens/s (least, median, most) | Skein is faster by | peak memory, MB |")
print("|---|---|---|---|---|---|")
for (model, system, mode), rows in runs.items():
    speeds = sorted(row["target_tokens_per_second"] for row in rows)
    ours = [row["target_tokens_per_second"] for row in runs[model, "skein", "bf16"]] or [
        row["target_tokens_per_second"] for row in runs[model, "skein", "f32"]
    ]
    # Pair by pair, since the machine's speed drifts.
    ratio = statistics.median(a / b["target_tokens_per_second"] for a, b in zip(ours, rows))
    memory = max(row["peak_resident_mb"] for row in rows)
    print(
        f"| {model} | {system} | {mode} | {speeds[0]:.0f}, {statistics.median(speeds):.0f}, {speeds[-1]:.0f} "
        f"| {ratio:.2f} | {memory} |"
    )
for (model, system, mode), rows in runs.items():
    if system == "skein":
        share = statistics.median(row["gflops"] / row["product_gflops"] for row in rows)
        print(f"\n{model}: model FLOPs are {100 * share:.0f} % of the best {mode} product rate")

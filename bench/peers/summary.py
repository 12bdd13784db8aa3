#!/usr/bin/env python3
"""Medians of the JSON lines that bench/compare_training prints, as a Markdown table."""
import collections
import json
import statistics
import sys


def speeds(rows):
    return [row["target_tokens_per_second"] for row in rows]


runs = collections.defaultdict(list)
for line in open(sys.argv[1]):
    row = json.loads(line)
    runs[row["model"], row.get("system", "skein"), row.get("mode", row.get("precision"))].append(row)

titles = ["model", "system", "mode", "target tokens/s (least, median, most)", "Skein is faster by", "peak memory, MB"]
print("\n| " + " | ".join(titles) + " |\n|" + "---|" * len(titles))
for (model, system, mode), rows in runs.items():
    # In the same mode where Skein has it, else in its fastest. Pair by pair, since the machine's speed drifts.
    ours_mode = next((each for each in (mode, "bf16", "f32") if (model, "skein", each) in runs), None)
    ratio = "–"
    if ours_mode:
        ratio = statistics.median(a / b for a, b in zip(speeds(runs[model, "skein", ours_mode]), speeds(rows)))
        ratio = f"{ratio:.2f} ({ours_mode})"
    each = sorted(speeds(rows))
    cells = [model, system, mode, f"{each[0]:.0f}, {statistics.median(each):.0f}, {each[-1]:.0f}", ratio]
    cells.append(str(max(row["peak_resident_mb"] for row in rows)))
    print("| " + " | ".join(cells) + " |")
for (model, system, mode), rows in runs.items():
    if system == "skein" and "product_share" in rows[0]:
        share = statistics.median(row["product_share"] for row in rows)
        print(f"\n{model}: model FLOPs are {100 * share:.0f} % of the best {mode} product rate")

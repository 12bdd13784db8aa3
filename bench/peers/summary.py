#!/usr/bin/env python3
"""Medians of the JSON lines that bench/compare_training or bench/compare_decoding prints, as a Markdown table."""
import collections
import json
import statistics
import sys


def task_of(row):
    return f"{row['model']}, beam {row['beam']}" if "beam" in row else row["model"]


def speeds(rows):
    return [row["target_tokens_per_second"] for row in rows]


def median_of(rows, name):
    return statistics.median(row[name] for row in rows)


runs = collections.defaultdict(list)
for line in open(sys.argv[1]):
    row = json.loads(line)
    runs[task_of(row), row.get("system", "skein"), row.get("mode", row.get("precision"))].append(row)

decoding = any("beam" in row for rows in runs.values() for row in rows)
extra = ["latency, ms", "log-probability a token"] if decoding else []
titles = ["task", "system", "mode", "target tokens/s (least, median, most)", "Skein is faster by", "peak memory, MB", *extra]
print("\n| " + " | ".join(titles) + " |\n|" + "---|" * len(titles))
for (task, system, mode), rows in runs.items():
    # In the same mode where Skein has it, else in its fastest. Pair by pair, since the machine's speed drifts.
    ours_mode = next((each for each in (mode, "bf16", "f32") if (task, "skein", each) in runs), None)
    ratio = "–"
    if ours_mode:
        ratio = statistics.median(a / b for a, b in zip(speeds(runs[task, "skein", ours_mode]), speeds(rows)))
        ratio = f"{ratio:.2f} ({ours_mode})"
    each = sorted(speeds(rows))
    cells = [task, system, mode, f"{each[0]:.0f}, {statistics.median(each):.0f}, {each[-1]:.0f}", ratio]
    cells.append(str(max(row["peak_resident_mb"] for row in rows)))
    if decoding:
        cells += [f"{median_of(rows, 'latency_ms'):.1f}", f"{median_of(rows, 'log_probability'):.4f}"]
    print("| " + " | ".join(cells) + " |")
for (task, system, mode), rows in runs.items():
    if system == "skein" and "product_share" in rows[0]:
        share = statistics.median(row["product_share"] for row in rows)
        print(f"\n{task}: model FLOPs are {100 * share:.0f} % of the best {mode} product rate")

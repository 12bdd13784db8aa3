#!/usr/bin/env python3
"""Medians of the JSON lines that bench/compare_scoring prints, as a Markdown table."""
import collections
import json
import statistics
import sys

runs = collections.defaultdict(list)
for line in open(sys.argv[1]):
    row = json.loads(line)
    runs[row["model"], row.get("system", "Skein"), row.get("mode", row.get("precision"))].append(row)


def ratio(ours, theirs, name):
    """Pair by pair, since the machine's speed drifts."""
    return statistics.median(b[name] / a[name] for a, b in zip(ours, theirs))


titles = ["model", "system", "mode", "parameters", "one sentence, ms (least, median, most)", "tokens/s in batches", "Skein's latency is less by"]
print("\n| " + " | ".join(titles) + " |\n|" + "---|" * len(titles))
for (model, system, mode), rows in runs.items():
    times = sorted(row["latency_ms"] for row in rows)
    compared = "–"
    if system != "Skein" and (model, "Skein", mode) in runs:
        compared = f"{ratio(runs[model, 'Skein', mode], rows, 'latency_ms'):.1f}"
    cells = [model, system, mode, f"{rows[0]['parameters'] / 1e6:.1f} million",
             f"{times[0]:.2f}, {statistics.median(times):.2f}, {times[-1]:.2f}",
             f"{statistics.median(row['tokens_per_second'] for row in rows):.0f}", compared]
    print("| " + " | ".join(cells) + " |")

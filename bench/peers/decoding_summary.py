#!/usr/bin/env python3
"""Medians of the JSON lines that bench/compare_decoding prints, as a Markdown table, and how the first model compares with the
others."""
import collections
import json
import statistics
import sys


def model_of(row):
    return f"{row['model']} {row.get('settings', '')}".strip()


def speeds(rows):
    return [row["target_tokens_per_second"] for row in rows]


def ratio(ours, theirs):
    """Pair by pair, since the machine's speed drifts."""
    return statistics.median(a / b for a, b in zip(speeds(ours), speeds(theirs)))


def median_of(rows, name):
    return statistics.median(row[name] for row in rows)


def hypotheses_of(rows):
    with open(rows[0]["hypotheses"], encoding="utf-8") as file:
        return file.read().splitlines()


def alike(rows, reference):
    """How many sentences have the same tokens as Skein in float32 finds, in the first run."""
    if reference is None:
        return "–"
    pairs = list(zip(hypotheses_of(rows), hypotheses_of(reference), strict=True))
    return f"{sum(a == b for a, b in pairs)} of {len(pairs)}"


runs = collections.defaultdict(list)  # of (model, beam, system, mode)
for line in open(sys.argv[1], encoding="utf-8"):
    row = json.loads(line)
    runs[model_of(row), row["beam"], row.get("system", "skein"), row.get("mode", row.get("precision"))].append(row)

titles = ["model", "beam", "system", "mode", "target tokens/s (least, median, most)", "Skein is faster by", "latency, ms",
          "peak memory, MB", "log-probability a token", "sentences as of Skein in f32"]
print("\n| " + " | ".join(titles) + " |\n|" + "---|" * len(titles))
for (model, beam, system, mode), rows in sorted(runs.items(), key=lambda item: item[0][:2]):
    # In the same mode where Skein has it, else in its fastest.
    ours_mode = next((each for each in (mode, "bf16", "f32") if (model, beam, "skein", each) in runs), None)
    faster = "–"
    if ours_mode and system != "skein":
        faster = f"{ratio(runs[model, beam, 'skein', ours_mode], rows):.2f} ({ours_mode})"
    each = sorted(speeds(rows))
    cells = [model, str(beam), system, mode, f"{each[0]:.0f}, {statistics.median(each):.0f}, {each[-1]:.0f}", faster,
             f"{median_of(rows, 'latency_ms'):.1f}", str(max(row["peak_resident_mb"] for row in rows)),
             f"{median_of(rows, 'log_probability'):.4f}", alike(rows, runs.get((model, beam, "skein", "f32")))]
    print("| " + " | ".join(cells) + " |")

parameters = {model: rows[0]["parameters"] for (model, _, system, _), rows in runs.items() if system == "skein"}
models = list(dict.fromkeys(model for model, *_ in runs))
for model in models[1:]:
    print(f"\n{models[0]} ({parameters.get(models[0], 0):,} parameters) against {model} ({parameters.get(model, 0):,}), target tokens/s:")
    for (each, beam, system, mode), rows in runs.items():
        if each == models[0]:
            other = runs.get((model, beam, system, mode))
            if other:
                print(f"- beam {beam}, {system}, {mode}: {ratio(rows, other):.2f} times as many")

"""What the peers of `skein bench decode` share: its task, read from the folder that `skein bench decode --write` made, and how the
work is measured. No framework is imported here."""
import json
import resource
import statistics
import struct
import sys
import time
import tomllib

import numpy

PAD, EOS = 1, 2
SUPPORTED_TRANSFORMER = {"norm": "post", "positions": "sinusoidal", "activation": "relu"}


class Task:
    """`config`: the model's settings. `sources`: token ids that end in EOS. `target_lengths`: how many tokens each translation gets,
    EOS not counted."""

    def __init__(self, folder):
        self.folder = folder
        with open(f"{folder}/config.toml", "rb") as file:
            self.config = tomllib.load(file)["model"]
        with open(f"{folder}/sentences.jsonl", encoding="utf-8") as file:
            pairs = [json.loads(line) for line in file]
        self.sources = [pair["source"] + [EOS] for pair in pairs]
        self.target_lengths = [len(pair["target"]) for pair in pairs]

    def is_transformer(self):
        return "heads" in self.config

    def parameters(self):
        """(name, float32 array) one after another, so that no more than one need be in memory."""
        with open(f"{self.folder}/model.safetensors", "rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            for name, entry in json.loads(file.read(length)).items():
                if name != "__metadata__":
                    begin, end = entry["data_offsets"]
                    file.seek(8 + length + begin)
                    yield name, numpy.frombuffer(file.read(end - begin), numpy.float32).reshape(entry["shape"])

    def positions(self):
        """[max_positions, width]: the sinusoidal table from the first position on, which is row 2 as in fairseq."""
        half = self.config["width"] // 2
        frequencies = numpy.exp(-numpy.log(10000) / max(half - 1, 1) * numpy.arange(half))
        angles = numpy.arange(2, 2 + self.config["max_positions"])[:, None] * frequencies
        return numpy.concatenate([numpy.sin(angles), numpy.cos(angles)], 1).astype(numpy.float32)

    def batches(self, batch_tokens, beam):
        """As Skein's: longest first, at most `batch_tokens` source tokens times beam."""
        batches, size = [], 0
        for index in sorted(range(len(self.sources)), key=lambda i: -len(self.sources[i])):
            size += len(self.sources[index])
            if not batches or size > batch_tokens // beam:
                batches.append([])
                size = len(self.sources[index])
            batches[-1].append(index)
        return batches


def require_settings(config, expected):
    for name, value in expected.items():
        if config[name] != value:
            sys.exit(f"model.{name} is {config[name]}; the peers know {value} only")


def word_tables(parameters):
    """(source, target, output) of a Transformer: three parameters, two or one, as model.share_embeddings has it."""
    source, target = (parameters.get(f"{side}.embedding.weight", parameters.get("embedding.weight")) for side in ("encoder", "decoder"))
    return source, target, parameters.get("output.weight", target)


def add_arguments(parser, modes):
    parser.add_argument("--task", required=True, help="folder that `skein bench decode --write` made")
    parser.add_argument("--model", default="transformer_base", help="its preset and settings, for the line that is printed")
    parser.add_argument("--mode", choices=modes, default=modes[0])
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--batch-tokens", type=int, default=4096)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--alone", type=int, default=20)
    parser.add_argument("--hypotheses", help="file for the best hypotheses, as `skein bench decode --hypotheses` writes them")


def write_hypotheses(hypotheses, path):
    """hypotheses: [(index, tokens)]"""
    with open(path, "w", encoding="utf-8") as file:
        for _, tokens in sorted(hypotheses):
            file.write(json.dumps([int(token) for token in tokens], separators=(",", ":")) + "\n")


def measure(task, arguments, system, translate_all, translate_one, log_probability, hypotheses):
    """Prints the line. `translate_all()` translates every sentence, `translate_one(index)` one. Of what translate_all() returned,
    `log_probability(result)` is the mean over the tokens of the best hypotheses, in nats, and `hypotheses(result)` are these, without
    EOS: [(index, tokens)]."""
    result = translate_all()
    if arguments.hypotheses:
        write_hypotheses(hypotheses(result), arguments.hypotheses)
    seconds = [timed(translate_all) for _ in range(arguments.runs)]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    count = min(arguments.alone, len(task.sources))
    translate_one(0)
    alone = [timed(translate_one, i * len(task.sources) // count) for i in range(count)]
    tokens = sum(task.target_lengths) + len(task.sources)
    median = statistics.median(seconds)
    row = {
        "benchmark": "decode",
        "system": system,
        "model": arguments.model,
        "mode": arguments.mode,
        "threads": arguments.threads,
        "beam": arguments.beam,
        "batch_tokens": arguments.batch_tokens,
        "sentences": len(task.sources),
        "seconds": median,
        "sentences_per_second": len(task.sources) / median,
        "target_tokens_per_second": tokens / median,
        "latency_ms": 1e3 * statistics.median(alone),
        "peak_resident_mb": memory,
        "log_probability": log_probability(result),
    }
    if arguments.hypotheses:
        row["hypotheses"] = arguments.hypotheses
    print(json.dumps(row))


def timed(work, *arguments):
    begin = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - begin

#!/usr/bin/env python3
"""Scores sentences with an LSTM language model of two layers in PyTorch, as `skein bench score` does, and prints one JSON line.

Its width is the one with which it has as many parameters as `--parameters` says. Embedding and output have the LSTM's width, or,
with `--embedding`, that one, a projection lying between the LSTM and a softmax over all words. With `--cutoffs` the output is
PyTorch's adaptive softmax. Random parameters; speed only.

    python bench/peers/score_pytorch.py --parameters 8031760 --vocabulary 10000 --length 30 --mode f32 --threads 2
"""
import argparse
import json
import resource
import statistics
import time

import torch
import torch.nn as nn
import torch.nn.functional as F


class LstmLanguageModel(nn.Module):
    def __init__(self, vocabulary, width, embedding, cutoffs):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, embedding or width)
        self.lstm = nn.LSTM(embedding or width, width, num_layers=2, batch_first=True)
        self.narrow = nn.Linear(width, embedding) if embedding and not cutoffs else nn.Identity()
        features = embedding if embedding and not cutoffs else width
        if cutoffs:
            self.output = nn.AdaptiveLogSoftmaxWithLoss(features, vocabulary, cutoffs)
        else:
            self.output = nn.Linear(features, vocabulary)

    def forward(self, tokens, targets):
        """[sentences, tokens] each; the log-probability of every target."""
        x, _ = self.lstm(self.embedding(tokens))
        x = self.narrow(x).flatten(0, 1)
        if isinstance(self.output, nn.Linear):
            return -F.cross_entropy(self.output(x), targets.flatten(), reduction="none")
        return self.output(x, targets.flatten()).output


def build(arguments):
    """The width that comes nearest to the number of parameters."""

    def count(width):
        with torch.device("meta"):
            model = LstmLanguageModel(arguments.vocabulary, width, arguments.embedding, arguments.cutoffs)
        return sum(each.numel() for each in model.parameters())

    low, high = 8, 1 << 14
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if count(middle) <= arguments.parameters else (low, middle)
    return LstmLanguageModel(arguments.vocabulary, low, arguments.embedding, arguments.cutoffs), low


def timed(work):
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--parameters", type=int, required=True)
    parser.add_argument("--model", default="", help="the model it is compared with, for the line that is printed")
    parser.add_argument("--mode", choices=["f32", "bf16"], default="f32")
    parser.add_argument("--vocabulary", type=int, default=10000)
    parser.add_argument("--embedding", type=int, default=0)
    parser.add_argument("--cutoffs", type=int, nargs="*", default=[])
    parser.add_argument("--length", type=int, default=30)
    parser.add_argument("--sentences", type=int, default=200)
    parser.add_argument("--batch-tokens", type=int, default=4096)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(1)
    model, width = build(arguments)
    model = model.eval().to(torch.bfloat16 if arguments.mode == "bf16" else torch.float32)
    text = torch.randint(4, arguments.vocabulary, (arguments.sentences, arguments.length + 1))
    at_once = max(1, arguments.batch_tokens // arguments.length)

    def score(first, count):
        some = text[first : first + count]
        return model(some[:, :-1], some[:, 1:])

    def all_of_them():
        for first in range(0, arguments.sentences, at_once):
            score(first, at_once)

    with torch.inference_mode():
        all_of_them()
        score(0, 1)
        alone = [timed(lambda: score(i, 1)) for _ in range(arguments.runs) for i in range(arguments.sentences)]
        together = [timed(all_of_them) for _ in range(arguments.runs)]
    row = {
        "benchmark": "score",
        "system": "PyTorch, LSTM",
        "model": arguments.model,
        "mode": arguments.mode,
        "threads": arguments.threads,
        "parameters": sum(each.numel() for each in model.parameters()),
        "width": width,
        "length": arguments.length,
        "sentences": arguments.sentences,
        "latency_ms": 1e3 * statistics.median(alone),
        "tokens_per_second": arguments.sentences * arguments.length / statistics.median(together),
        "peak_resident_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
    }
    print(json.dumps(row))


if __name__ == "__main__":
    main()

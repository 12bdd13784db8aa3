#!/usr/bin/env python3
"""Trains a model of `skein bench train` with PyTorch on the same batches, and prints one JSON line.

The architecture is the same (pytorch_transformer.py, pytorch_fconv.py; dropout 0.1, label smoothing 0.1, Adam with clipping); batches
are padded to their longest sentence, as PyTorch needs them. Tokens a second count real tokens only.

    skein bench train --model transformer_base --write-batches batches.jsonl
    python bench/peers/train_pytorch.py --batches batches.jsonl --model transformer_base --mode bf16 --threads 2
"""
import argparse
import json
import resource
import statistics
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

import pytorch_fconv
import pytorch_transformer

PAD, EOS = 1, 2


def padded(sentences):
    longest = max(map(len, sentences))
    return torch.tensor([s + [PAD] * (longest - len(s)) for s in sentences])


def read_batches(path):
    batches = []
    for line in open(path):
        row = json.loads(line)
        source = padded([s + [EOS] for s in row["source"]])
        mask = None
        if (source == PAD).any():
            mask = (source != PAD)[:, None, None, :]
        batches.append(
            (
                source,
                padded([[EOS] + t for t in row["target"]]),
                padded([t + [EOS] for t in row["target"]]),
                mask,
                sum(len(s) + 1 for s in row["source"]),
                sum(len(t) + 1 for t in row["target"]),
            )
        )
    return batches


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batches", required=True)
    parser.add_argument("--model", default="transformer_base")
    parser.add_argument("--mode", choices=["f32", "bf16", "bf16-compiled"], default="bf16")
    parser.add_argument("--vocabulary", type=int, default=10000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--warmup", type=int, default=8)
    parser.add_argument("--updates", type=int, default=16)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(1)
    batches = read_batches(arguments.batches)
    family = pytorch_fconv if arguments.model in pytorch_fconv.PRESETS else pytorch_transformer
    model = family.Model(arguments.model, arguments.vocabulary)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), fused=True)

    def loss_of(source, target_input, target, mask):
        logits = model(source, target_input, mask)
        return F.cross_entropy(
            logits.float().view(-1, logits.shape[-1]), target.view(-1), ignore_index=PAD, label_smoothing=0.1, reduction="sum"
        )

    if arguments.mode == "bf16-compiled":
        loss_of = torch.compile(loss_of, dynamic=True)
    seconds, source_rates, target_rates = [], [], []
    for update in range(arguments.warmup + arguments.updates):
        source, target_input, target, mask, source_tokens, target_tokens = batches[update % len(batches)]
        begin = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=arguments.mode != "f32"):
            loss = loss_of(source, target_input, target, mask) / target_tokens
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        loss.item()
        taken = time.perf_counter() - begin
        if update >= arguments.warmup:
            seconds.append(taken)
            source_rates.append(source_tokens / taken)
            target_rates.append(target_tokens / taken)
    print(
        json.dumps(
            {
                "benchmark": "train",
                "system": "pytorch " + torch.__version__,
                "model": arguments.model,
                "mode": arguments.mode,
                "threads": arguments.threads,
                "seconds_per_update": statistics.median(seconds),
                "source_tokens_per_second": statistics.median(source_rates),
                "target_tokens_per_second": statistics.median(target_rates),
                "peak_resident_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
            }
        )
    )


if __name__ == "__main__":
    main()

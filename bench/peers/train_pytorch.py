#!/usr/bin/env python3
"""Trains the Transformer of `skein bench train` with PyTorch on the same batches, and prints one JSON line.

The architecture is the same (post-norm, ReLU, tied embeddings, sinusoidal positions, dropout 0.1, label smoothing 0.1, Adam with
clipping); batches are padded to their longest sentence, as PyTorch needs them. Tokens a second count real tokens only.

    skein bench train --model transformer_base --write-batches batches.jsonl
    python bench/peers/train_pytorch.py --batches batches.jsonl --model transformer_base --mode bf16 --threads 2
"""
import argparse
import json
import math
import resource
import statistics
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

PRESETS = {  # encoder layers, decoder layers, width, ffn, heads
    "transformer_tiny": (4, 4, 128, 256, 4),
    "transformer_small": (3, 3, 256, 1024, 4),
    "transformer_iwslt": (6, 6, 512, 1024, 4),
    "transformer_base": (6, 6, 512, 2048, 8),
    "transformer_big": (6, 6, 1024, 4096, 16),
}
PAD, EOS = 1, 2


class Attention(nn.Module):
    def __init__(self, width, heads, cross):
        super().__init__()
        self.heads, self.cross = heads, cross
        if cross:
            self.query = nn.Linear(width, width)
            self.key_value = nn.Linear(width, 2 * width)
        else:
            self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x, memory, mask, causal):
        if self.cross:
            q = self.query(x)
            k, v = self.key_value(memory).chunk(2, -1)
        else:
            q, k, v = self.qkv(x).chunk(3, -1)

        def split(t):
            return t.view(t.shape[0], t.shape[1], self.heads, -1).transpose(1, 2)

        y = F.scaled_dot_product_attention(split(q), split(k), split(v), attn_mask=mask, is_causal=causal)
        return self.out(y.transpose(1, 2).reshape(x.shape))


class Layer(nn.Module):
    def __init__(self, width, ffn, heads, cross, dropout):
        super().__init__()
        self.attention = Attention(width, heads, False)
        self.attention_norm = nn.LayerNorm(width)
        self.cross = Attention(width, heads, True) if cross else None
        self.cross_norm = nn.LayerNorm(width) if cross else None
        self.ffn_in = nn.Linear(width, ffn)
        self.ffn_out = nn.Linear(ffn, width)
        self.ffn_norm = nn.LayerNorm(width)
        self.dropout = dropout

    def drop(self, x):
        return F.dropout(x, self.dropout, self.training)

    def forward(self, x, mask, memory, memory_mask):
        causal = self.cross is not None  # targets are padded on the right, which a causal mask hides
        x = self.attention_norm(x + self.drop(self.attention(x, None, None if causal else mask, causal)))
        if self.cross is not None:
            x = self.cross_norm(x + self.drop(self.cross(x, memory, memory_mask, False)))
        return self.ffn_norm(x + self.drop(self.ffn_out(F.relu(self.ffn_in(x)))))


class Transformer(nn.Module):
    def __init__(self, preset, vocabulary, dropout=0.1):
        super().__init__()
        encoder, decoder, width, ffn, heads = PRESETS[preset]
        self.width, self.dropout = width, dropout
        self.embedding = nn.Embedding(vocabulary, width, padding_idx=PAD)
        nn.init.normal_(self.embedding.weight, std=width**-0.5)
        half = width // 2
        angles = torch.arange(1026)[:, None] * torch.exp(-math.log(10000) / (half - 1) * torch.arange(half))
        self.register_buffer("positions", torch.cat([angles.sin(), angles.cos()], 1))
        self.encoder = nn.ModuleList(Layer(width, ffn, heads, False, dropout) for _ in range(encoder))
        self.decoder = nn.ModuleList(Layer(width, ffn, heads, True, dropout) for _ in range(decoder))

    def embed(self, ids):
        x = self.embedding(ids) * math.sqrt(self.width) + self.positions[2 : 2 + ids.shape[1]]
        return F.dropout(x, self.dropout, self.training)

    def forward(self, source, target_input, source_mask):
        x = self.embed(source)
        for layer in self.encoder:
            x = layer(x, source_mask, None, None)
        y = self.embed(target_input)
        for layer in self.decoder:
            y = layer(y, None, x, source_mask)
        return F.linear(y, self.embedding.weight)


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
    model = Transformer(arguments.model, arguments.vocabulary)
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

#!/usr/bin/env python3
"""Translates the sentences of `skein bench decode` with PyTorch, with the same parameters and the same lengths, and prints one JSON
line.

Greedy or beam search over an incremental decoder: the keys and values of earlier tokens are kept, those of the source are computed
once, finished sentences leave the batch. Batches are those of Skein, padded to their longest source.

    skein bench decode --model transformer_base --write task
    python bench/peers/translate_pytorch.py --task task --mode bf16 --beam 5 --threads 2
"""
import argparse
import math

import torch
import torch.nn.functional as F

from decoding_task import EOS, PAD, Task, add_arguments, measure

TYPES = {"f32": torch.float32, "bf16": torch.bfloat16}


class Transformer:
    def __init__(self, task, dtype):
        self.config, self.dtype = task.config, dtype
        self.width, self.heads = self.config["width"], self.config["heads"]
        self.parameters = {name: torch.tensor(values, dtype=dtype) for name, values in task.parameters()}
        self.positions = torch.tensor(task.positions(), dtype=dtype)
        self.embedding = self.parameters["embedding.weight"]

    def linear(self, x, name):
        return F.linear(x, self.parameters[name + ".weight"], self.parameters[name + ".bias"])

    def norm(self, x, name):
        return F.layer_norm(x, (self.width,), self.parameters[name + ".weight"], self.parameters[name + ".bias"])

    def feed_forward(self, x, name):
        y = self.linear(F.relu(self.linear(x, name + ".ffn.in")), name + ".ffn.out")
        return self.norm(x + y, name + ".ffn_norm")

    def split(self, x):
        """[batch, length, width] to [batch, heads, length, width / heads]"""
        return x.view(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

    def embed(self, ids, positions):
        return F.embedding(ids, self.embedding) * math.sqrt(self.width) + positions

    def encode(self, source, mask):
        """source [batch, length], mask [batch, 1, 1, length] or None; returns [batch, length, width]."""
        x = self.embed(source, self.positions[: source.shape[1]])
        for i in range(self.config["encoder_layers"]):
            name = f"encoder.layers.{i}"
            q, k, v = self.linear(x, name + ".attention.qkv").chunk(3, -1)
            y = F.scaled_dot_product_attention(self.split(q), self.split(k), self.split(v), attn_mask=mask)
            y = self.linear(y.transpose(1, 2).reshape(x.shape), name + ".attention.out")
            x = self.feed_forward(self.norm(x + y, name + ".attention_norm"), name)
        return x


class Decoder:
    """The state of a batch: `beam` rows a sentence."""

    def __init__(self, model, sources, longest_target, beam):
        self.model, self.beam, self.step_count = model, beam, 0
        longest = max(map(len, sources))
        source = torch.tensor([tokens + [PAD] * (longest - len(tokens)) for tokens in sources])
        self.mask = (source != PAD)[:, None, None, :] if (source == PAD).any() else None
        encoded = model.encode(source, self.mask)
        layers = range(model.config["decoder_layers"])
        self.memories = []  # one a layer: keys, values [sentences, heads, source length, width / heads]
        for i in layers:
            k, v = model.linear(encoded, f"decoder.layers.{i}.cross.key_value").chunk(2, -1)
            self.memories.append((model.split(k).contiguous(), model.split(v).contiguous()))
        shape = (len(sources) * beam, model.heads, longest_target + 1, model.width // model.heads)
        # One a layer: keys and values. Each has a second buffer to which rows are moved: fresh memory would cost more than the move.
        self.caches = [[torch.empty(shape, dtype=model.dtype) for _ in range(2)] for _ in layers]
        self.spare = [[torch.empty(shape, dtype=model.dtype) for _ in range(2)] for _ in layers]

    def step(self, previous):
        """previous [rows]; returns logits [rows, vocabulary] float32."""
        model, at = self.model, self.step_count
        x = model.embed(previous[:, None], model.positions[at])
        for i, ((keys, values), (memory_keys, memory_values)) in enumerate(zip(self.caches, self.memories)):
            name = f"decoder.layers.{i}"
            q, k, v = model.linear(x, name + ".attention.qkv").chunk(3, -1)
            keys[:, :, at] = k.view(-1, model.heads, keys.shape[3])
            values[:, :, at] = v.view(-1, model.heads, keys.shape[3])
            y = F.scaled_dot_product_attention(model.split(q), keys[:, :, : at + 1], values[:, :, : at + 1])
            x = model.norm(x + model.linear(y.transpose(1, 2).reshape(x.shape), name + ".attention.out"), name + ".attention_norm")
            # The hypotheses of a sentence are so many queries to the same source.
            q = model.split(model.linear(x, name + ".cross.query").view(-1, self.beam, model.width))
            y = F.scaled_dot_product_attention(q, memory_keys, memory_values, attn_mask=self.mask)
            x = model.norm(x + model.linear(y.transpose(1, 2).reshape(x.shape), name + ".cross.out"), name + ".cross_norm")
            x = model.feed_forward(x, name)
        self.step_count += 1
        return F.linear(x[:, 0], model.embedding).float()

    def select_rows(self, rows):
        """Row i becomes what row rows[i] was."""
        used = self.step_count
        for cache, spare in zip(self.caches, self.spare):
            for kind, (old, new) in enumerate(zip(list(cache), list(spare))):
                torch.index_select(old[:, :, :used], 0, rows, out=new[: len(rows), :, :used])
                cache[kind], spare[kind] = new[: len(rows)], old

    def select_sentences(self, sentences):
        self.memories = [(k.index_select(0, sentences), v.index_select(0, sentences)) for k, v in self.memories]
        if self.mask is not None:
            self.mask = self.mask.index_select(0, sentences)


def search(model, sources, target_lengths, beam):
    """Returns the log-probability of the best hypothesis of every sentence."""
    decoder = Decoder(model, sources, max(target_lengths), beam)
    best = [0.0] * len(sources)
    active = list(range(len(sources)))
    previous = torch.full((len(sources) * beam,), EOS)
    scores = torch.full((len(sources), beam), -math.inf)
    scores[:, 0] = 0  # all hypotheses begin alike
    for step in range(max(target_lengths) + 1):
        logits = decoder.step(previous)
        normalizers = logits.logsumexp(1)
        ends = [i for i, sentence in enumerate(active) if target_lengths[sentence] == step]
        if ends:
            final = scores + (logits[:, EOS] - normalizers).view(-1, beam)
            for i in ends:
                best[active[i]] = final[i].max().item()
        logits[:, PAD] = logits[:, EOS] = -math.inf
        values, words = logits.topk(beam)  # [rows, beam]
        values = (values - normalizers[:, None]).view(-1, beam, beam) + scores[:, :, None]
        scores, chosen = values.view(-1, beam * beam).topk(beam)  # [sentences, beam]
        rows = chosen // beam + torch.arange(len(active))[:, None] * beam
        previous = words.view(-1, beam * beam).gather(1, chosen)
        if ends:
            stay = torch.tensor([i for i in range(len(active)) if i not in set(ends)], dtype=torch.long)
            active = [active[i] for i in stay.tolist()]
            if not active:
                break
            decoder.select_sentences(stay)
            scores, rows, previous = scores[stay], rows[stay], previous[stay]
        previous = previous.view(-1)
        if ends or beam > 1:
            decoder.select_rows(rows.view(-1))
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, list(TYPES))
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    task = Task(arguments.task)
    model = Transformer(task, TYPES[arguments.mode])
    batches = task.batches(arguments.batch_tokens, arguments.beam)

    def translate(indices):
        sources = [task.sources[i] for i in indices]
        return search(model, sources, [task.target_lengths[i] for i in indices], arguments.beam)

    measure(
        task,
        arguments,
        "pytorch " + torch.__version__,
        translate_all=lambda: [translate(batch) for batch in batches],
        translate_one=lambda index: translate([index]),
        log_probability=lambda result: sum(map(sum, result)) / (sum(task.target_lengths) + len(task.sources)),
    )


if __name__ == "__main__":
    with torch.inference_mode():
        main()

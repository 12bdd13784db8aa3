"""The Transformer, decoded step by step in PyTorch: the keys and values of earlier tokens are kept, those of the source are computed
once."""
import functools
import math

import torch
import torch.nn.functional as F

from decoding_task import PAD, SUPPORTED_TRANSFORMER, require_settings, word_tables


class Transformer:
    def __init__(self, task, dtype):
        require_settings(task.config, SUPPORTED_TRANSFORMER)
        self.config, self.dtype = task.config, dtype
        self.width, self.heads = self.config["width"], self.config["heads"]
        self.parameters = {name: torch.tensor(values, dtype=dtype) for name, values in task.parameters()}
        self.positions = torch.tensor(task.positions(), dtype=dtype)
        self.source_words, self.target_words, self.output = word_tables(self.parameters)

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

    def embed(self, ids, words, positions):
        return F.embedding(ids, words) * math.sqrt(self.width) + positions

    def encode(self, source, mask):
        """source [batch, length], mask [batch, 1, 1, length] or None; returns [batch, length, width]."""
        x = self.embed(source, self.source_words, self.positions[: source.shape[1]])
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
        x = model.embed(previous[:, None], model.target_words, model.positions[at])
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
        return F.linear(x[:, 0], model.output).float()

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


def load(task, dtype):
    """A function (sources, longest_target, beam) → Decoder."""
    return functools.partial(Decoder, Transformer(task, dtype))

"""ConvS2S, decoded step by step in PyTorch. Every layer of the decoder keeps the inputs of its window, and keys and values of the
source are computed once. Weights are normalised once, when the model is loaded.

The window is a ring: a step writes its input in the oldest one's place, and there is a weight for each place at which a window can
begin, so that the others need not move.
"""
import functools
import math
import re
import sys

import torch
import torch.nn.functional as F

from decoding_task import PAD, require_settings

SUPPORTED = {"attention": "all", "positions": True, "share_output": False}
FIRST_POSITION = 2  # row of the position table, as in fairseq
ROOT_OF_HALF = math.sqrt(0.5)


def parse_layers(text):
    """'4*256x3 512x1' as [(width, window)]."""
    layers = []
    for word in text.split():
        match = re.fullmatch(r"(?:(\d+)\*)?(\d+)x(\d+)", word)
        if not match:
            sys.exit(f"the peer knows no layers '{word}'; expected COUNT*WIDTHxWINDOW")
        count, width, window = (int(number or 1) for number in match.groups())
        layers += [(width, window)] * count
    return layers


class FConv:
    def __init__(self, task, dtype):
        require_settings(task.config, SUPPORTED)
        self.dtype, self.embedding_width = dtype, task.config["embedding"]
        self.encoder_layers = parse_layers(task.config["encoder_layers"])
        self.decoder_layers = parse_layers(task.config["decoder_layers"])
        self.parameters = {}
        directions = {}
        for name, values in task.parameters():
            values = torch.tensor(values)
            if name.endswith(".weight_v"):
                directions[name[: -len("_v")]] = values
            elif name.endswith(".weight_g"):
                name = name[: -len("_g")]
                direction = directions.pop(name)
                self.parameters[name] = (direction * (values / direction.norm(dim=1))[:, None]).to(dtype)
            else:
                self.parameters[name] = values.to(dtype)
        for i, (_, window) in enumerate(self.encoder_layers):
            self.fold_for_images(f"encoder.layers.{i}.convolution.weight", window)
        for i, (_, window) in enumerate(self.decoder_layers):
            self.fold_for_rings(f"decoder.layers.{i}.convolution.weight", window)

    def fold_for_images(self, name, window):
        """[outputs, window * inputs] as F.conv2d wants it: a window of one row, channels last."""
        weight = self.parameters[name]
        weight = weight.view(len(weight), window, -1).transpose(1, 2)[:, :, None]
        self.parameters[name] = weight.contiguous(memory_format=torch.channels_last)

    def fold_for_rings(self, name, window):
        """A list: weight i is for a window whose newest input is in place i."""
        weight = self.parameters[name]
        taps = weight.view(len(weight), window, -1)
        self.parameters[name] = [taps.roll(newest + 1, 1).flatten(1).contiguous() for newest in range(window)]

    def linear(self, x, name):
        return F.linear(x, self.parameters[name + ".weight"], self.parameters[name + ".bias"])

    def embed(self, side, ids, positions):
        """positions: rows of the position table."""
        return F.embedding(ids, self.parameters[side + ".embedding.weight"]) + self.parameters[side + ".positions.weight"][positions]

    def residual(self, side, layer, x):
        name = f"{side}.layers.{layer}.projection"
        return self.linear(x, name) if name + ".weight" in self.parameters else x

    def convolve(self, x, layer):
        """x [sentences, tokens, channels], in the encoder; windows see as much on both sides."""
        name, window = f"encoder.layers.{layer}.convolution", self.encoder_layers[layer][1]
        left = (window - 1) // 2
        if window % 2 == 0:
            x = F.pad(x, (0, 0, left, left + 1))
        image = x.transpose(1, 2)[:, :, None]
        padding = (0, left if window % 2 else 0)
        y = F.conv2d(image, self.parameters[name + ".weight"], self.parameters[name + ".bias"], padding=padding)
        return F.glu(y[:, :, 0].transpose(1, 2), -1)

    def encode(self, source):
        """source [sentences, tokens] → keys and values [sentences, 1, tokens, embedding]."""
        padding = (source == PAD)[:, :, None]
        padded = bool(padding.any())
        embedded = self.embed("encoder", source, slice(FIRST_POSITION, FIRST_POSITION + source.shape[1]))
        x = self.linear(embedded, "encoder.in")
        for i in range(len(self.encoder_layers)):
            residual = self.residual("encoder", i, x)
            x = (self.convolve(x.masked_fill(padding, 0) if padded else x, i) + residual) * ROOT_OF_HALF
        keys = self.linear(x, "encoder.out")
        roots = (source != PAD).sum(1, dtype=torch.float32).sqrt()
        values = (keys + embedded) * (ROOT_OF_HALF * roots)[:, None, None].to(self.dtype)
        return keys[:, None], values[:, None]


class Decoder:
    """The state of a batch: `beam` rows a sentence."""

    def __init__(self, model, sources, longest_target, beam):
        self.model, self.beam, self.step_count = model, beam, 0
        longest = max(map(len, sources))
        source = torch.tensor([tokens + [PAD] * (longest - len(tokens)) for tokens in sources])
        self.mask = None
        if (source == PAD).any():
            self.mask = torch.zeros(source.shape, dtype=model.dtype).masked_fill(source == PAD, -math.inf)[:, None, None, :]
        self.keys, self.values = model.encode(source)
        rows = len(sources) * beam
        inputs = [model.decoder_layers[0][0]] + [width for width, _ in model.decoder_layers[:-1]]
        shapes = [(rows, window, width) for width, (_, window) in zip(inputs, model.decoder_layers)]
        # Each has a second buffer to which rows are moved.
        self.windows, self.spare = ([torch.zeros(shape, dtype=model.dtype) for shape in shapes] for _ in range(2))

    def attend(self, x, embedded, name):
        model = self.model
        query = (model.linear(x, name + ".query") + embedded) * ROOT_OF_HALF
        # The hypotheses of a sentence are so many queries to the same source.
        query = query.view(-1, 1, self.beam, model.embedding_width)
        found = F.scaled_dot_product_attention(query, self.keys, self.values, attn_mask=self.mask, scale=1.0)
        return (model.linear(found.view(-1, model.embedding_width), name + ".out") + x) * ROOT_OF_HALF

    def step(self, previous):
        """previous [rows]; returns logits [rows, vocabulary] float32."""
        model = self.model
        embedded = model.embed("decoder", previous, FIRST_POSITION + self.step_count)
        x = model.linear(embedded, "decoder.in")
        for i, ring in enumerate(self.windows):
            name = f"decoder.layers.{i}"
            residual = model.residual("decoder", i, x)
            newest = self.step_count % ring.shape[1]
            ring[:, newest] = x
            weights, bias = (model.parameters[f"{name}.convolution.{kind}"] for kind in ("weight", "bias"))
            x = F.glu(F.linear(ring.flatten(1), weights[newest], bias), -1)
            x = (self.attend(x, embedded, name + ".attention") + residual) * ROOT_OF_HALF
        self.step_count += 1
        return model.linear(model.linear(x, "decoder.out"), "output").float()

    def select_rows(self, rows):
        """Row i becomes what row rows[i] was."""
        for i, (old, new) in enumerate(zip(list(self.windows), list(self.spare))):
            new = new[: len(rows)]
            torch.index_select(old, 0, rows, out=new)
            self.windows[i], self.spare[i] = new, old

    def select_sentences(self, sentences):
        self.keys, self.values = self.keys.index_select(0, sentences), self.values.index_select(0, sentences)
        if self.mask is not None:
            self.mask = self.mask.index_select(0, sentences)


def load(task, dtype):
    """A function (sources, longest_target, beam) → Decoder."""
    return functools.partial(Decoder, FConv(task, dtype))

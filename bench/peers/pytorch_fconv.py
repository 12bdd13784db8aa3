"""ConvS2S of `skein bench train` in PyTorch: weight normalisation, gated linear units, attention in every layer of the decoder.

Activations are [sentences, tokens, channels], which is what products want, and to convolutions an image of one row, channels last.
"""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

PRESETS = {  # width and window of the encoder's layers, of the decoder's, embedding, features
    "fconv_iwslt_de_en": ([(256, 3)] * 4, [(256, 3)] * 3, 256, 256),
    "fconv_wmt_en_de": ([(512, 3)] * 9 + [(1024, 3)] * 4 + [(2048, 1)] * 2,) * 2 + (768, 512),
}
PAD = 1
ROOT_OF_HALF = math.sqrt(0.5)


class NormedWeight(nn.Module):
    def __init__(self, shape, deviation):
        super().__init__()
        self.direction = nn.Parameter(torch.randn(shape) * deviation)
        self.length = nn.Parameter(self.direction.detach().flatten(1).norm(dim=1).view(-1, *[1] * (len(shape) - 1)))
        self.bias = nn.Parameter(torch.zeros(shape[0]))

    def weight(self):
        return torch._weight_norm(self.direction, self.length, 0)


class Linear(NormedWeight):
    def __init__(self, inputs, outputs, dropout=0.0):
        super().__init__((outputs, inputs), math.sqrt((1 - dropout) / inputs))

    def forward(self, x):
        return F.linear(x, self.weight(), self.bias)


class GatedConvolution(NormedWeight):
    def __init__(self, inputs, width, window, causal, dropout):
        super().__init__((2 * width, inputs, window), math.sqrt(4 * (1 - dropout) / (window * inputs)))
        self.left = window - 1 if causal else (window - 1) // 2
        self.right = window - 1 - self.left

    def forward(self, x):
        """F.conv2d with the channels last: a fifth to a quarter faster than F.conv1d, as fast as a product over copied windows."""
        if self.left != self.right:
            x = F.pad(x, (0, 0, self.left, self.right))
        weight = self.weight()[:, :, None].contiguous(memory_format=torch.channels_last)
        padding = self.left if self.left == self.right else 0
        y = F.conv2d(x.transpose(1, 2)[:, :, None], weight, self.bias, padding=(0, padding))
        return F.glu(y[:, :, 0].transpose(1, 2), -1)


class Attention(nn.Module):
    def __init__(self, width, embedding):
        super().__init__()
        self.query = Linear(width, embedding)
        self.out = Linear(embedding, width)

    def forward(self, x, embedded, keys, values, mask):
        """values are multiplied by the root of the source's length."""
        query = (self.query(x) + embedded) * ROOT_OF_HALF
        found = F.scaled_dot_product_attention(query[:, None], keys[:, None], values[:, None], attn_mask=mask, scale=1.0)
        return (self.out(found[:, 0]) + x) * ROOT_OF_HALF


class Stack(nn.Module):
    def __init__(self, layers, embedding, out, attends, dropout):
        super().__init__()
        self.dropout = dropout
        self.first = Linear(embedding, layers[0][0], dropout)
        inputs = [layers[0][0]] + [width for width, _ in layers[:-1]]
        self.convolutions = nn.ModuleList(GatedConvolution(n, width, window, attends, dropout) for n, (width, window) in zip(inputs, layers))
        self.projections = nn.ModuleList(nn.Identity() if n == width else Linear(n, width) for n, (width, _) in zip(inputs, layers))
        self.attentions = nn.ModuleList(Attention(width, embedding) for width, _ in layers) if attends else [None] * len(layers)
        self.last = Linear(layers[-1][0], out)

    def forward(self, embedded, padding, attend):
        x = self.first(embedded)
        for convolution, projection, attention in zip(self.convolutions, self.projections, self.attentions):
            residual = projection(x)
            if padding is not None:
                x = x.masked_fill(padding, 0)
            x = convolution(F.dropout(x, self.dropout, self.training))
            if attention is not None:
                x = attend(attention, x)
            x = (x + residual) * ROOT_OF_HALF
        return self.last(x)


class Model(nn.Module):
    def __init__(self, preset, vocabulary, dropout=0.1):
        super().__init__()
        encoder, decoder, embedding, features = PRESETS[preset]
        self.dropout, self.attentions = dropout, len(decoder)
        self.tables = nn.ModuleList(nn.Embedding(vocabulary, embedding, padding_idx=PAD) for _ in range(2))
        self.positions = nn.ParameterList(torch.randn(1026, embedding) * 0.1 for _ in range(2))
        for table in self.tables:
            nn.init.normal_(table.weight, std=0.1)
        self.encoder = Stack(encoder, embedding, embedding, False, dropout)
        self.decoder = Stack(decoder, embedding, features, True, dropout)
        self.output = Linear(features, vocabulary, dropout)

    def embed(self, side, ids):
        return F.dropout(self.tables[side](ids) + self.positions[side][2 : 2 + ids.shape[1]], self.dropout, self.training)

    def forward(self, source, target_input, mask):
        """mask [sentences, 1, 1, source tokens]: True for tokens, or None."""
        padding = None if mask is None else ~mask[:, 0, 0, :, None]
        embedded = self.embed(0, source)
        if padding is not None:
            embedded = embedded.masked_fill(padding, 0)
        keys = self.encoder(embedded, padding, None)
        share = 1 / (2 * self.attentions)  # of the gradient that goes on into the encoder
        keys = keys * share + keys.detach() * (1 - share)
        lengths = source.shape[1] if mask is None else mask.sum(-1, dtype=torch.float32)[:, 0, :, None]
        values = (keys + embedded) * (ROOT_OF_HALF * lengths**0.5)
        embedded = self.embed(1, target_input)
        x = self.decoder(embedded, None, lambda attention, x: attention(x, embedded, keys, values, mask))
        return self.output(F.dropout(x, self.dropout, self.training))

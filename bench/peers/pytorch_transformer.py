"""The Transformer of `skein bench train` in PyTorch: post-norm, ReLU, tied embeddings, sinusoidal positions."""
import math

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
PAD = 1


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


class Model(nn.Module):
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

#!/usr/bin/env python3
"""Translates the sentences of `skein bench decode` with PyTorch, with the same parameters and the same lengths, and prints one JSON
line.

Greedy or beam search over an incremental decoder: what earlier tokens leave behind is kept, what depends on the source alone is
computed once, finished sentences leave the batch. Batches are those of Skein, padded to their longest source.

    skein bench decode --model transformer_base --write task
    python bench/peers/translate_pytorch.py --task task --mode bf16 --beam 5 --threads 2
"""
import argparse
import math

import torch

import incremental_fconv
import incremental_transformer
from decoding_task import EOS, PAD, Task, add_arguments, measure

TYPES = {"f32": torch.float32, "bf16": torch.bfloat16}


def best_continuations(logits, normalizers, scores):
    """The best `beam` of a sentence. scores [sentences, beam] of the hypotheses, a row of logits and a normalizer for each; returns
    scores, rows, words, all [sentences, beam]: row i continues what row rows[i] was."""
    sentences, beam = scores.shape
    if beam == 1:
        values, words = logits.max(1, keepdim=True)
        return scores + values - normalizers[:, None], torch.arange(sentences)[:, None], words
    values, words = logits.topk(beam)  # [rows, beam]
    values = (values - normalizers[:, None]).view(-1, beam, beam) + scores[:, :, None]
    scores, chosen = values.view(-1, beam * beam).topk(beam)
    rows = chosen // beam + torch.arange(sentences)[:, None] * beam
    return scores, rows, words.view(-1, beam * beam).gather(1, chosen)


def search(make_decoder, sources, target_lengths, beam):
    """Returns of every sentence the best hypothesis, without EOS, and its log-probability: [(tokens, log-probability)]."""
    decoder = make_decoder(sources, max(target_lengths), beam)
    best = [None] * len(sources)
    active = list(range(len(sources)))
    previous = torch.full((len(sources) * beam,), EOS)
    tokens = torch.empty(len(sources) * beam, max(target_lengths) + 1, dtype=torch.long)
    scores = torch.full((len(sources), beam), -math.inf)
    scores[:, 0] = 0  # all hypotheses begin alike
    for step in range(max(target_lengths) + 1):
        logits = decoder.step(previous)
        normalizers = logits.logsumexp(1)
        ends = {i for i, sentence in enumerate(active) if target_lengths[sentence] == step}
        if ends:
            final, which = (scores + (logits[:, EOS] - normalizers).view(-1, beam)).max(1)
            for i in ends:
                best[active[i]] = tokens[i * beam + which[i], :step].tolist(), final[i].item()
        logits[:, PAD] = logits[:, EOS] = -math.inf
        scores, rows, previous = best_continuations(logits, normalizers, scores)
        if ends:
            stay = torch.tensor([i for i in range(len(active)) if i not in ends], dtype=torch.long)
            active = [active[i] for i in stay.tolist()]
            if not active:
                break
            decoder.select_sentences(stay)
            scores, rows, previous = scores[stay], rows[stay], previous[stay]
        previous = previous.view(-1)
        if ends or beam > 1:
            rows = rows.view(-1)
            decoder.select_rows(rows)
            tokens = tokens.index_select(0, rows)
        tokens[:, step] = previous
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, list(TYPES))
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    task = Task(arguments.task)
    make_decoder = (incremental_transformer if task.is_transformer() else incremental_fconv).load(task, TYPES[arguments.mode])
    batches = task.batches(arguments.batch_tokens, arguments.beam)

    def translate(indices):
        sources = [task.sources[i] for i in indices]
        return list(zip(indices, search(make_decoder, sources, [task.target_lengths[i] for i in indices], arguments.beam)))

    measure(
        task,
        arguments,
        "pytorch " + torch.__version__,
        translate_all=lambda: [pair for batch in batches for pair in translate(batch)],
        translate_one=lambda index: translate([index]),
        log_probability=lambda result: sum(score for _, (_, score) in result) / (sum(task.target_lengths) + len(task.sources)),
        hypotheses=lambda result: [(index, tokens) for index, (tokens, _) in result],
    )


if __name__ == "__main__":
    with torch.inference_mode():
        main()

#!/usr/bin/env python3
"""Translates the sentences of `skein bench decode` with CTranslate2, with the same parameters and the same lengths, and prints one
JSON line.

CTranslate2 forces one length a call, so sentences of the same target length share a call; all calls wait in its queue at once, and
its threads work on them as its documentation advises: one thread a batch for all sentences, all threads for one sentence alone. It
does not compute an end symbol at a maximum length, so it is asked for one token more in its place: the same number of steps.

    skein bench decode --model transformer_base --write task
    python bench/peers/translate_ctranslate2.py --task task --mode int8 --beam 5 --threads 2
"""
import argparse
import collections
import functools
import os
import sys
import tempfile

sys.modules["torch"] = None  # CTranslate2 imports PyTorch where there is one, and its memory would be counted
import ctranslate2

from decoding_task import EOS, SUPPORTED_TRANSFORMER, Task, add_arguments, measure, require_settings, word_tables

TYPES = {"f32": "float32", "bf16": "bfloat16", "int8": "int8_float32", "int8-bf16": "int8_bfloat16"}


def fill(spec, parameters, positions):
    """Skein's parameters under CTranslate2's names; queries, keys and values are stacked alike."""

    def linear(to, name):
        to.weight, to.bias = parameters[name + ".weight"], parameters[name + ".bias"]

    def norm(to, name):
        to.gamma, to.beta = parameters[name + ".weight"], parameters[name + ".bias"]

    def layer(to, name):
        linear(to.self_attention.linear[0], name + ".attention.qkv")
        linear(to.self_attention.linear[1], name + ".attention.out")
        norm(to.self_attention.layer_norm, name + ".attention_norm")
        linear(to.ffn.linear_0, name + ".ffn.in")
        linear(to.ffn.linear_1, name + ".ffn.out")
        norm(to.ffn.layer_norm, name + ".ffn_norm")

    for i, to in enumerate(spec.encoder.layer):
        layer(to, f"encoder.layers.{i}")
    for i, to in enumerate(spec.decoder.layer):
        name = f"decoder.layers.{i}"
        layer(to, name)
        for part, linear_name in enumerate(("query", "key_value", "out")):
            linear(to.attention.linear[part], f"{name}.cross.{linear_name}")
        norm(to.attention.layer_norm, name + ".cross_norm")
    sides = (spec.encoder.embeddings[0], spec.decoder.embeddings, spec.decoder.projection)
    for side, words in zip(sides, word_tables(parameters)):
        side.weight = words
    spec.encoder.position_encodings.encodings = spec.decoder.position_encodings.encodings = positions


def make_model(task, folder):
    config = task.config
    require_settings(config, SUPPORTED_TRANSFORMER)
    spec = ctranslate2.specs.TransformerSpec.from_config(
        (config["encoder_layers"], config["decoder_layers"]), config["heads"], pre_norm=False
    )
    parameters = dict(task.parameters())
    fill(spec, parameters, task.positions())
    words = [str(i) for i in range(len(word_tables(parameters)[0]))]  # both languages have one vocabulary
    spec.register_source_vocabulary(words)
    spec.register_target_vocabulary(words)
    spec.config.unk_token, spec.config.bos_token = words[3], words[0]
    spec.config.eos_token = spec.config.decoder_start_token = words[EOS]
    spec.validate()
    spec.optimize(quantization=None)
    spec.save(folder)


def make_model_apart(task, folder):
    """In a process of its own, whose memory is not counted."""
    child = os.fork()
    if child == 0:
        make_model(task, folder)
        sys.stdout.flush()
        os._exit(0)
    if os.waitpid(child, 0)[1] != 0:
        sys.exit("the model for CTranslate2 could not be made")


class Search:
    def __init__(self, task, arguments, translator):
        self.task, self.translator, self.beam = task, translator, arguments.beam
        self.batch_tokens = arguments.batch_tokens // arguments.beam
        self.sources = [[str(token) for token in source] for source in task.sources]

    def start(self, indices, length):
        return self.translator.translate_batch(
            [self.sources[i] for i in indices],
            beam_size=self.beam,
            min_decoding_length=length + 1,
            max_decoding_length=length + 1,
            max_input_length=0,
            max_batch_size=self.batch_tokens,
            batch_type="tokens",
            asynchronous=True,
        )

    def run(self, indices):
        """The tokens of the best hypotheses, [(index, tokens)], without the one in the end symbol's place."""
        by_length = collections.defaultdict(list)
        for i in indices:
            by_length[self.task.target_lengths[i]].append(i)
        started = [(group, self.start(group, length)) for length, group in sorted(by_length.items(), reverse=True)]
        found = []
        for group, results in started:
            found += [(i, result.result().hypotheses[0][:-1]) for i, result in zip(group, results)]
        return found

    def log_probability(self, found):
        scored = self.translator.score_batch(
            [self.sources[i] for i, _ in found], [tokens for _, tokens in found], max_batch_size=4096, batch_type="tokens"
        )
        values = [value for result in scored for value in result.log_probs]
        return sum(values) / len(values)


def supported_modes(task):
    """CTranslate2 has no ConvS2S."""
    if not task.is_transformer():
        return []
    return [mode for mode, compute_type in TYPES.items() if compute_type in ctranslate2.get_supported_compute_types("cpu")]


def main():
    if sys.argv[1:-1] == ["--list-modes"]:
        print(*supported_modes(Task(sys.argv[-1])))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, list(TYPES))
    arguments = parser.parse_args()
    task = Task(arguments.task)
    if arguments.mode not in supported_modes(task):
        sys.exit(f"CTranslate2 {ctranslate2.__version__} has no mode {arguments.mode} for this model and processor")
    with tempfile.TemporaryDirectory() as folder:
        make_model_apart(task, folder)

        def search(batches_at_once, threads):
            translator = ctranslate2.Translator(
                folder, compute_type=TYPES[arguments.mode], inter_threads=batches_at_once, intra_threads=threads
            )
            return Search(task, arguments, translator)

        together = search(arguments.threads, 1)
        alone = functools.cache(lambda: search(1, arguments.threads))  # made when needed, so that its memory is not counted
        measure(
            task,
            arguments,
            "ctranslate2 " + ctranslate2.__version__,
            translate_all=lambda: together.run(range(len(task.sources))),
            translate_one=lambda index: alone().run([index]),
            log_probability=together.log_probability,
            hypotheses=lambda found: found,
        )


if __name__ == "__main__":
    main()

"""Quality and cost of numbers of bits, hash functions and losses, on MNIST in the paper's setting.

    python benchmarks/tradeoffs.py --output docs/results/tradeoffs.jsonl

1,000 random queries, 2,000 training items (200 per class) from the rest, the rest as database. C
and bandwidth are chosen by the library on the training items, which is part of the training time.
ITQ and LSH, which use no labels, are compared with two-step hashing. Mean average precision is
over the first 1,000, divided by the relevant items found there; ties are averaged over. Seeds are
0 and 1. The file gets a line per hasher and seed; `python docs/pictures.py` makes the table and
the picture of docs/guide/choosing.md from docs/results/tradeoffs.jsonl.
"""

import argparse
import json
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from data import DATA, mnist
from hashlearn import TwoStepHasher, make_hasher
from hashlearn.metrics import evaluate, relevance_from_labels
from retrieval import split

BITS = (8, 16, 32, 64, 128)
HASH_FUNCTIONS = ("linear-svm", "boosted-stumps", "kernel-features", "rbf-svm")
LOSSES = ("ksh", "bre", "splh", "ee", "exph", "hinge")
PEERS = ("itq", "lsh")


class Choice(NamedTuple):
    """A method and its bits; `loss` and `hash_function` are those of two-step hashing."""

    method: str
    n_bits: int
    loss: str | None = None
    hash_function: str | None = None

    def hasher(self, seed):
        if self.method != "tsh":
            return make_hasher(self.method, n_bits=self.n_bits, random_state=seed)
        return TwoStepHasher(
            self.n_bits, self.loss, hash_function=self.hash_function, random_state=seed, n_jobs=2
        )


class Sizes(NamedTuple):
    """Numbers of queries, of database items, and of training items per class."""

    n_queries: int
    n_database: int | None
    per_class: int


FULL, QUICK = Sizes(1_000, None, 200), Sizes(100, 2_000, 20)


def choices(all_bits):
    """Return the choices to compare: hash functions and peers over bits, losses at 32 bits."""
    over_bits = [
        *(("tsh", "bre", function) for function in HASH_FUNCTIONS),
        *((peer, None, None) for peer in PEERS),
    ]
    yield from (Choice(m, bits, loss, f) for m, loss, f in over_bits for bits in all_bits)
    yield from (Choice("tsh", 32, loss, "rbf-svm") for loss in LOSSES if loss != "bre")


def measure(choice, X, y, seed, sizes):
    """Return the line of a choice and a seed."""
    queries, database, training = split(y, seed, sizes.n_queries, sizes.per_class)
    database = database[: sizes.n_database]
    hasher = choice.hasher(seed)
    begin = time.perf_counter()
    hasher.fit(X[training], y[training])
    fitted = time.perf_counter()
    query_codes = hasher.encode(X[queries])  # also loads compiled code
    ready = time.perf_counter()
    codes = hasher.encode(X[database])
    encoded = time.perf_counter()
    relevance = relevance_from_labels(y[queries], y[database])
    found = evaluate(query_codes, codes, relevance, n_bits=choice.n_bits)
    return {
        **choice._asdict(),
        "seed": seed,
        "n_training": training.size,
        "n_queries": queries.size,
        "n_database": database.size,
        **{name: round(value, 4) for name, value in found._asdict().items()},
        "fit_seconds": round(fitted - begin, 3),
        "encode_microseconds": round(1e6 * (encoded - ready) / database.size, 3),
        "bytes_per_item": codes.shape[1],
    }


def warm_up(X, y):
    """Load compiled code, so that it is not part of the first line's time."""
    for choice in (Choice("tsh", 8, "bre", function) for function in HASH_FUNCTIONS):
        measure(choice, X, y, 0, QUICK)


def show(line):
    name = line["method"] if line["loss"] is None else f"tsh-{line['loss']} {line['hash_function']}"
    print(
        f"{name:26}{line['n_bits']:5}{line['seed']:5}{line['mean_average_precision']:8.3f}"
        f"{line['precision_at_k']:8.3f}{line['fit_seconds']:8.2f}"
        f"{line['encode_microseconds']:10.2f}{line['bytes_per_item']:7}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--bits", default=",".join(map(str, BITS)))
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    parser.add_argument("--output", type=Path, help="a file of JSON lines to write")
    arguments = parser.parse_args()
    if arguments.output and not (DATA / "mnist").is_dir():
        parser.error("--output takes what was measured on MNIST, which is missing")
    X, y = mnist()
    X = X.astype(np.float32) / 255
    warm_up(X, y)
    sizes = QUICK if arguments.quick else FULL
    print(f"{'':26} bits seed     MAP   P@300   fit s  encode µs  bytes")
    lines = []
    for choice in choices([int(bits) for bits in arguments.bits.split(",")]):
        for seed in range(arguments.seeds):
            lines.append(measure(choice, X, y, seed, sizes))
            show(lines[-1])
    if arguments.output:
        arguments.output.write_text("".join(json.dumps(line) + "\n" for line in lines))


if __name__ == "__main__":
    main()

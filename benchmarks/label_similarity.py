"""Several labels per item: graded similarity of label sets beside "shares a label or not".

    python benchmarks/label_similarity.py            # quality, as the default was chosen
    python benchmarks/label_similarity.py --seconds  # Step 1: the ratio to "shared"
    python benchmarks/label_similarity.py --report   # the splits of docs/results.md

TMC2007 (reports with labels of very different frequency) and strips of digits (labels of equal
frequency). Without --report the queries are among the items that docs/results.md searches, never
among its queries. MAP over the whole ranking and over the first 1,000 (divided by the right ones
found), where a shared label makes an item right; nDCG at 1,000 by the number of shared labels.
"""

import argparse
import time
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_digits

from hashlearn import make_hasher
from hashlearn.affinity import MultilabelAffinity
from hashlearn.datasets import load_dataset
from hashlearn.inference import CoordinateDescent
from hashlearn.losses import as_loss
from hashlearn.metrics import mean_average_precision, ndcg

SIMILARITIES = ("shared", "jaccard", "idf-cosine")
METHODS = ("tsh", "ksh", "cghash", "splh", "itq-cca")
N_QUERIES, N_TRAINING, CUTOFF = 2_000, 2_000, 1_000
REPORTED_SEEDS = (0, 1, 2)


def tmc2007(seed, is_reported):
    """Return items, labels, queries, database and training items; some splits are the report's."""
    data = load_dataset("tmc2007")
    if is_reported:
        order = np.random.RandomState(seed).permutation(len(data.X))
    else:
        reported = [np.random.RandomState(s).permutation(len(data.X)) for s in REPORTED_SEEDS]
        queries = np.concatenate([order[:N_QUERIES] for order in reported])
        order = np.setdiff1d(np.arange(len(data.X)), queries)
        order = np.random.RandomState(100 + seed).permutation(order)
    queries, database = np.split(order, [N_QUERIES])
    return data.X, data.y, queries, database, database[:N_TRAINING]


def strips(seed, is_reported):
    """Return strips of one to three handwritten digits; the queries show other images."""
    digits, random = load_digits(), np.random.default_rng(seed + (0 if is_reported else 100))
    images, order = digits.images / 16, random.permutation(len(digits.target))
    X, y = [], []
    for n, rows in ((500, order[1200:]), (4_000, order[:1200])):
        rows = random.choice(rows, (n, 3))
        drawn = random.permuted(np.arange(3) < random.integers(1, 4, (n, 1)), axis=1)
        labels = np.zeros((n, 10), dtype=np.int8)
        strip, place = np.nonzero(drawn)
        labels[strip, digits.target[rows[strip, place]]] = 1
        X.append((images[rows] * drawn[:, :, None, None]).reshape(n, -1))
        y.append(labels)
    database = np.arange(500, 4_500)
    return np.concatenate(X), np.concatenate(y), np.arange(500), database, database[:N_TRAINING]


SETS = {"tmc2007": tmc2007, "strips": strips}


def measure(hasher, X, y, queries, database):
    packed, found = hasher.encode(X[queries]), hasher.encode(X[database])
    shared = y[queries].astype(np.float32) @ y[database].T.astype(np.float32)
    return (
        mean_average_precision(packed, found, shared > 0),
        mean_average_precision(packed, found, shared > 0, k=CUTOFF, denominator="found"),
        np.nanmean(ndcg(packed, found, shared, k=CUTOFF)),
    )


def quality(arguments):
    for name in arguments.sets:
        for n_bits in arguments.bits:
            print(f"\n{name}, {n_bits} bits, {arguments.seeds} seeds: MAP, MAP@1000, nDCG@1000")
            for method in arguments.methods:
                for similarity in SIMILARITIES if method != "itq-cca" else (None,):
                    values = []
                    for seed in range(arguments.seeds):
                        X, y, *parts, training = SETS[name](seed, arguments.report)
                        chosen = {} if similarity is None else {"similarity": similarity}
                        hasher = make_hasher(method, n_bits=n_bits, random_state=seed, **chosen)
                        values.append(measure(hasher.fit(X[training], y[training]), X, y, *parts))
                    mean, spread = np.mean(values, axis=0), np.std(values, axis=0)
                    cells = (f"{m:.3f} ± {s:.3f}" for m, s in zip(mean, spread, strict=True))
                    print(f"{method:8} {similarity or '':12}", *cells, flush=True)


def labels_of_many(n, n_labels=1_000, n_each=3):
    """Return items with a few of a thousand labels, whose frequencies are as 1 / rank."""
    random = np.random.default_rng(0)
    share = 1 / np.arange(1, n_labels + 1)
    columns = random.choice(n_labels, size=n * n_each, p=share / share.sum())
    rows = np.repeat(np.arange(n), n_each)
    return sp.csr_array((np.ones(rows.size, dtype=bool), (rows, columns)), shape=(n, n_labels))


def seconds(arguments):
    several = {"tmc2007": load_dataset("tmc2007").y}
    for n in arguments.items:
        several[f"{n:,} items, 3 of 1,000 labels"] = labels_of_many(n)
    for name, labels in several.items():
        for n_bits in arguments.bits:
            usual = None
            for similarity in SIMILARITIES if name == "tmc2007" else ("idf-cosine",):
                affinity = MultilabelAffinity(labels, similarity=similarity)
                took = min(step_one(affinity, n_bits) for _ in range(1 if usual is None else 2))
                took = min(took, step_one(affinity, n_bits)) if name == "tmc2007" else took
                usual = usual or took
                print(
                    f"{name}, {n_bits} bits, {similarity}: {affinity.label_sets.pairs.n_sets:,} "
                    f"label sets, Step 1 {took:.2f} s, {took / usual:.2f} times the first's",
                    flush=True,
                )


def step_one(affinity, n_bits):
    begin = time.perf_counter()
    CoordinateDescent().infer(
        affinity, as_loss("bre"), n_bits, random_state=np.random.RandomState(0)
    )
    return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--bits", type=int, nargs="+", default=[32, 64])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--items", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--seconds", action="store_true")
    parser.add_argument("--report", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # bits that are the same for all items
    (seconds if arguments.seconds else quality)(arguments)


if __name__ == "__main__":
    main()

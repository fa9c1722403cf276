"""Retrieval on MNIST in the paper's setting, for the five losses of the paper.

    python benchmarks/retrieval.py --seeds 3

2,000 random queries, 2,000 training items (200 per class) from the rest, the rest as database, 32
bits, RBF SVM. Bandwidth and C are chosen by the library on the training items. Rankings break ties
by position; MAP is over the top 1,000, divided by the relevant items found there. The means over
seeds are compared with the paper's values.
"""

import argparse
import time

import numpy as np

from data import mnist
from hashlearn import TwoStepHasher, pack_codes
from hashlearn.metrics import evaluate, relevance_from_labels

LOSSES = ("ksh", "bre", "splh", "ee", "exph")
PAPER = {  # area under PR, MAP, precision at 300 on testing data
    "ksh": (0.843, 0.893, 0.889),
    "bre": (0.844, 0.896, 0.890),
    "splh": (0.840, 0.895, 0.891),
    "ee": (0.843, 0.896, 0.892),
    "exph": (0.844, 0.892, 0.887),
}


def split(y, seed, n_queries=2_000, per_class=200):
    """Return the positions of queries, database and training items."""
    order = np.random.default_rng(seed).permutation(y.size)
    queries, database = order[:n_queries], order[n_queries:]
    training = [database[y[database] == c][:per_class] for c in np.unique(y)]
    return queries, database, np.concatenate(training)


def run(X, y, loss, seed, n_database=None, hash_function="rbf-svm"):
    """Return (training measures, testing measures, seconds to fit, seconds to encode)."""
    queries, database, training = split(y, seed)
    database = database[:n_database]
    begin = time.perf_counter()
    hasher = TwoStepHasher(
        n_bits=32, loss=loss, hash_function=hash_function, random_state=seed, n_jobs=2
    ).fit(X[training], y[training])
    fitted = time.perf_counter()
    query_codes, database_codes = hasher.encode(X[queries]), hasher.encode(X[database])
    encoded = time.perf_counter()
    codes, labels = pack_codes(hasher.codes_), y[training]
    train = evaluate(codes, codes, relevance_from_labels(labels, labels), ties="insertion")
    relevance = relevance_from_labels(y[queries], y[database])
    test = evaluate(query_codes, database_codes, relevance, ties="insertion")
    return train[:3], test[:3], fitted - begin, encoded - fitted


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--losses", default=",".join(LOSSES))
    parser.add_argument("--hash-function", default="rbf-svm")
    arguments = parser.parse_args()
    X, y = mnist()
    X = X.astype(np.float32) / 255
    print("Area under PR, MAP, precision at 300; MNIST, 32 bits,", arguments.hash_function)
    columns = "".join(f"{name:>22}" for name in ("training", "testing", "+-", "paper"))
    print(f"{'loss':6}{columns}{'fit s':>7}{'enc s':>7}")
    for loss in arguments.losses.split(","):
        runs = [
            run(X, y, loss, seed, hash_function=arguments.hash_function)
            for seed in range(arguments.seeds)
        ]
        train, test = (np.array([r[part] for r in runs]) for part in (0, 1))
        columns = (train.mean(axis=0), test.mean(axis=0), test.std(axis=0), PAPER[loss])
        cells = "".join(f"{' '.join(f'{v:.3f}' for v in column):>22}" for column in columns)
        fit, encode = (np.mean([r[part] for r in runs]) for part in (2, 3))
        print(f"{loss:6}{cells}{fit:7.1f}{encode:7.1f}", flush=True)


if __name__ == "__main__":
    main()

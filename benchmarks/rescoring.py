"""Recall of true Euclidean neighbours, with and without rescoring, on CIFAR-10's pixels.

    python benchmarks/rescoring.py [--hold-out]

1,000 queries, 58,000 images as database, 64-bit codes learned from 5,000 of them without labels;
recall of the 10 nearest images by Euclidean distance among the 10 found. Rescoring orders 10 x
oversample candidates of the Hamming search by the queries' margins or by the true vectors. The
hashers were chosen with --hold-out, which uses another 1,000 images as queries.
"""

import argparse
import time

import numpy as np

from data import cifar10
from hashlearn import HammingIndex, TwoStepHasher, make_hasher, pack_codes
from hashlearn.search import MarginRescoring, VectorRescoring

K, N_BITS, OVERSAMPLE = 10, 64, (1, 5, 20, 50)


def hashers():
    """Return the hashers to compare, by name."""
    named = {"lsh, centred": make_hasher("lsh", n_bits=N_BITS, center=True, random_state=0)}
    for loss in ("bre", "laplacian"):
        for hash_function in ("linear-svm", "kernel-features"):
            named[f"tsh-{loss}, {hash_function}"] = TwoStepHasher(
                n_bits=N_BITS, loss=loss, hash_function=hash_function, random_state=0, n_jobs=2
            )
    return named


def split(X, hold_out, n_queries=1_000):
    """Return queries and database; neither kind of queries is in the database."""
    order = np.random.default_rng(0).permutation(len(X))
    first = n_queries if hold_out else 0
    return X[order[first : first + n_queries]], X[order[2 * n_queries :]]


def true_neighbours(queries, database, block=100):
    """Return the positions of the K nearest; products of bytes are exact in float64."""
    database = database.astype(np.float64)
    squares = np.einsum("ij,ij->i", database, database)
    nearest = []
    for start in range(0, len(queries), block):
        distances = squares - 2 * (queries[start : start + block].astype(np.float64) @ database.T)
        nearest.append(np.argpartition(distances, K, axis=1)[:, :K])
    return np.concatenate(nearest)


def recall(found, truth):
    """Return the share of the true neighbours that were found."""
    return np.mean([np.isin(*pair).mean() for pair in zip(truth, found, strict=True)])


def table_rows(hasher, queries, database, truth, n_training):
    """Return, for each rescoring, its name, recalls by OVERSAMPLE, and ms per query."""
    items, asked = database.astype(np.float32) / 255, queries.astype(np.float32) / 255
    hasher.fit(items[:n_training])
    margins = hasher.decision_function(asked)
    index = HammingIndex(N_BITS)
    index.add(hasher.encode(items))
    ways = {
        "Hamming": None,
        "margins": MarginRescoring(margins),
        "vectors": VectorRescoring(queries, database),
    }
    for name, way in ways.items():
        recalls, seconds = [], []
        for oversample in OVERSAMPLE:
            begin = time.perf_counter()
            found = index.search(pack_codes(margins > 0), K, rescore=way, oversample=oversample)
            seconds.append(time.perf_counter() - begin)
            recalls.append(recall(found.ids, truth))
        yield name, recalls, 1000 * seconds[OVERSAMPLE.index(20)] / len(queries)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hold-out", action="store_true", help="other queries, to choose by")
    parser.add_argument("--training", type=int, default=5_000, help="items to learn from")
    arguments = parser.parse_args()
    queries, database = split(cifar10()[0], arguments.hold_out)
    truth = true_neighbours(queries, database)
    print(f"recall at {K}, {N_BITS} bits, by oversample; ms per query at oversample 20")
    print(f"{'hasher':32}{'order by':10}" + "".join(f"{o:>8}" for o in OVERSAMPLE) + f"{'ms':>8}")
    for name, hasher in hashers().items():
        for way, recalls, ms in table_rows(hasher, queries, database, truth, arguments.training):
            columns = "".join(f"{r:8.3f}" for r in recalls)
            print(f"{name:32}{way:10}{columns}{ms:8.2f}", flush=True)


if __name__ == "__main__":
    main()

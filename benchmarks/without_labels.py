"""Codes without labels: the nearest items that every unsupervised method finds again.

    python benchmarks/without_labels.py [--sets wordnet,mnist] [--training 2000] [--seed 1]

Each method learns with its default parameters from 2,000 items of a database of 20,000 (or all, if
there are fewer); 500 items that are not in it are queries. The measure is the share of a query's
10 nearest items (Euclidean; for embeddings of length 1 the same as cosine) that are among its first
10 (--cutoff) by Hamming distance, the mean over random orders of items at equal distance. `tsh`
learns from neighbours. The last column is the processor time to learn the longest codes, on one
thread. A method that refuses a length (`itq` with more bits than features) has no result there.

The default method without labels, `hashlearn.methods.default_method(labelled=False)`, was chosen
with --seed 0; the reported results are those of other items and queries, --seed 1.
"""

import argparse
import time
import warnings

import numpy as np
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from data import image_embeddings, mnist, text_embeddings
from hashlearn import make_hasher
from hashlearn.base import METHODS
from hashlearn.metrics import recall_at_k

NAMES = ["tsh", *(name for name in METHODS.names() if not METHODS.get(name).supervised)]
N_DATABASE, N_QUERIES, K = 20_000, 500, 10


def intents(name):
    """Return all embedded questions of a set."""
    return np.concatenate([text_embeddings(f"{name}_{part}")[0] for part in ("train", "test")])


def digits():
    """Return the images of MNIST with values from 0 to 1."""
    return mnist()[0].astype(np.float32) / 255


SETS = {
    "wordnet": lambda: text_embeddings("wordnet")[0],
    "cifar10": lambda: image_embeddings()[0],
    "mnist8": lambda: PCA(8, random_state=0).fit_transform(digits()),  # few features
    "banking77": lambda: intents("banking77"),
    "clinc150": lambda: intents("clinc150"),
    "mnist": digits,
}


def split(X, n_training, seed):
    """Return queries, a database, and the part of it to learn from."""
    order = np.random.default_rng(seed).permutation(len(X))[: N_QUERIES + N_DATABASE]
    queries, database = X[order[:N_QUERIES]], X[order[N_QUERIES:]]
    return queries, database, database[:n_training]


def nearest(queries, database):
    """Return which items of the database are among the nearest of each query."""
    found = NearestNeighbors(n_neighbors=K, algorithm="brute").fit(database).kneighbors(queries)[1]
    relevant = np.zeros((len(queries), len(database)), dtype=bool)
    np.put_along_axis(relevant, found, True, axis=1)
    return relevant


def measure(name, n_bits, queries, database, training, relevant, cutoff, seed):
    """Return the recall of a method and the seconds to learn, or None if it refuses."""
    hasher = make_hasher(name, n_bits=n_bits, random_state=seed)
    begin = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            hasher.fit(training)
    except ValueError:
        return None
    seconds = time.process_time() - begin
    codes = hasher.encode(queries), hasher.encode(database)
    return float(recall_at_k(*codes, relevant, cutoff, n_bits=n_bits).mean()), seconds


def show(set_name, names, all_bits, n_training, cutoff, seed):
    """Print a table of one set, a line per method."""
    queries, database, training = split(SETS[set_name](), n_training, seed)
    relevant = nearest(queries, database)
    print(
        f"\n{set_name}: {len(database):,} items of {database.shape[1]} features, {len(training):,}"
        f" to learn from; recall of the {K} nearest at {cutoff}"
    )
    print(f"{'method':8}" + "".join(f"{n_bits:>5} bits" for n_bits in all_bits) + f"{'fit s':>9}")
    for name in names:
        parts = queries, database, training, relevant, cutoff, seed
        cells = [measure(name, n_bits, *parts) for n_bits in all_bits]
        values = "".join(f"{'-' if cell is None else f'{cell[0]:.3f}':>10}" for cell in cells)
        last = "-" if cells[-1] is None else f"{cells[-1][1]:.1f}"
        print(f"{name:8}{values}{last:>9}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--methods", default=",".join(NAMES))
    parser.add_argument("--bits", default="32,64,128")
    parser.add_argument("--training", type=int, default=2_000, help="items to learn from")
    parser.add_argument("--cutoff", type=int, default=K, help="items found per query")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    all_bits = [int(n_bits) for n_bits in arguments.bits.split(",")]
    with threadpool_limits(1):
        for set_name in arguments.sets.split(","):
            names = arguments.methods.split(",")
            show(set_name, names, all_bits, arguments.training, arguments.cutoff, arguments.seed)


if __name__ == "__main__":
    main()

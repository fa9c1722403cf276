"""SDH's bandwidth: the authors' constant compared with one from the data.

    python benchmarks/sdh_bandwidth.py [--bits 32] [--seeds 3]

SDH learns from 5,000 training items (digits: 1,300) with sigma=0.4, the constant of its authors,
and with "auto", where 2 sigma^2 is the mean squared distance of items to anchors. The other
parameters are the defaults. The queries are 1,000 items of the official test part (digits: the
other items); the database is the 5,000 items. MAP is over the whole ranking, with ties in
expectation; values are means over seeds, which draw the items, the anchors and the first codes.

The rule was chosen on held-out items of the training parts alone.
"""

import argparse
import warnings

import numpy as np
from sklearn.datasets import load_digits

from data import image_embeddings, mnist, text_embeddings
from hashlearn.methods import SDHHasher
from hashlearn.metrics import mean_average_precision, relevance_from_labels

N_TRAINING, N_QUERIES = 5_000, 1_000
SIGMAS = (0.4, "auto")


def split_at(X, y, start):
    """Return the items before a position, and those from it on."""
    return (X[:start], y[:start]), (X[start:], y[start:])


SETS = {
    "digits": lambda: split_at(*load_digits(return_X_y=True), 1_300),
    "mnist": lambda: split_at(*mnist(), 60_000),
    "banking77": lambda: [text_embeddings(f"banking77_{part}") for part in ("train", "test")],
    "clinc150": lambda: [text_embeddings(f"clinc150_{part}") for part in ("train", "test")],
    "cifar10": lambda: split_at(*image_embeddings(), 50_000),
}


def draw(X, y, n, random):
    """Return at most n random items as float32, and their labels."""
    items = random.permutation(len(X))[:n]
    return X[items].astype(np.float32), y[items]


def measure(training, test, sigma, n_bits, seed):
    """Return the mean average precision, and the bandwidth in use."""
    random = np.random.default_rng(seed)
    (X, y), (queries, labels) = draw(*training, N_TRAINING, random), draw(*test, N_QUERIES, random)
    hasher = SDHHasher(n_bits, sigma=sigma, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hasher.fit(X, y)
    relevance = relevance_from_labels(labels, y)
    codes = hasher.encode(queries), hasher.encode(X)
    return mean_average_precision(*codes, relevance, n_bits=n_bits), hasher.sigma_


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bits", type=int, default=32)
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    print(f"MAP of SDH, {arguments.bits} bits")
    print(f"{'set':10}{'sigma=0.4':>11}{'auto':>8}{'its sigma':>11}")
    for name, load in SETS.items():
        training, test = load()
        runs = [
            [measure(training, test, sigma, arguments.bits, seed) for sigma in SIGMAS]
            for seed in range(arguments.seeds)
        ]
        constant, chosen = np.mean(runs, axis=0)
        print(f"{name:10}{constant[0]:11.3f}{chosen[0]:8.3f}{chosen[1]:11.2f}", flush=True)


if __name__ == "__main__":
    main()

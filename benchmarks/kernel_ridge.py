"""Kernel ridge regression compared with kernel features: what "auto" is above 5,000 items.

    python benchmarks/kernel_ridge.py [--sets mnist,banking77] [--items 10000]

32 bits are learned from items of each set's training part (BANKING77 and CLINC150 have 8,000 and
12,000 to learn from), and 1,000 others of that part are queries: test parts, on which
embeddings.py reports, are not read. "learned" searches the items that were learned from, "others"
up to 12,000 further ones. MAP is over the whole ranking, with ties in expectation. Seconds are
processor time to learn, microseconds those to encode an item, on one thread.
"""

import argparse
import time
import warnings

import numpy as np
from threadpoolctl import threadpool_limits

from data import image_embeddings, mnist, text_embeddings, tmc2007
from hashlearn import TwoStepHasher
from hashlearn.metrics import mean_average_precision, relevance_from_labels

SETS = ("mnist", "tmc2007", "cifar10", "banking77", "clinc150")
FUNCTIONS = ("kernel-features", "kernel-ridge")
N_BITS, N_QUERIES, N_OTHERS, SEED = 32, 1_000, 12_000, 7


def training_part(name):
    """Return items and labels of a set's training part."""
    if name in ("banking77", "clinc150"):
        return text_embeddings(f"{name}_train")
    if name == "tmc2007":
        X, y = tmc2007()
        return X.astype(np.float32), y
    X, y = mnist() if name == "mnist" else image_embeddings()
    n_training = 60_000 if name == "mnist" else 50_000
    return X[:n_training].astype(np.float32) / X.max(), y[:n_training]


def measure(function, X, y, learned, queries, others):
    """Return MAP among learned items and among others, and the costs."""
    hasher = TwoStepHasher(N_BITS, hash_function=function, random_state=0)
    begin = time.process_time()
    hasher.fit(X[learned], y[learned])
    fitted = time.process_time()
    codes = hasher.encode(X[learned])
    encoded = time.process_time()
    asked = hasher.encode(X[queries])
    found = [
        mean_average_precision(asked, of_part, relevance_from_labels(y[queries], y[part]))
        for part, of_part in ((learned, codes), (others, hasher.encode(X[others])))
        if part.size
    ]
    return found, fitted - begin, 1e6 * (encoded - fitted) / learned.size


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--functions", default=",".join(FUNCTIONS))
    parser.add_argument("--items", type=int, default=10_000)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'set':10}{'items':>7}  {'hash function':16}learned  others   fit s  encode µs")
    for name in arguments.sets.split(","):
        X, y = training_part(name)
        order = np.random.RandomState(SEED).permutation(len(y))
        n = min(arguments.items, int(0.8 * len(y)))
        parts = np.split(order, [n, n + N_QUERIES, n + N_QUERIES + N_OTHERS])[:3]
        for function in arguments.functions.split(","):
            found, seconds, per_item = measure(function, X, y, *parts)
            cells = "".join(f"{value:8.3f}" for value in [*found, np.nan][:2])
            print(
                f"{name:10}{n:7,}  {function:15}{cells}{seconds:8.1f}{per_item:11.0f}", flush=True
            )


if __name__ == "__main__":
    with threadpool_limits(1):
        main()

"""Ridge regression on anchors compared with peers: time and quality of Step 2 for many items.

    python benchmarks/anchor_ridge.py [--sets mnist,cifar10] [--items 40000] [--anchors 2000]
    python benchmarks/anchor_ridge.py --seconds    # all threads, 100,000 items

32 bits are learned from items of each set's training part, the same codes by all, and 1,000 others
of that part are queries among the items learned from: test parts are not read. All have the same
number of anchors, but for "auto", which chooses it. Where C is given, and for scikit-learn's
Nystroem with RidgeClassifier, C and bandwidth are those that the first row chose (whose time
includes the choice): rows then differ by solver or loss alone.
MAP is over the whole ranking, with ties in expectation. Seconds are processor time of learning,
microseconds those to encode an item, on one thread. "times" is the time over that of the first row.
"""

import argparse
import time
import warnings

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from data import text_embeddings
from hashlearn import TwoStepHasher
from hashlearn.hash_functions import AnchorRidgeHash, KernelFeaturesHash
from hashlearn.metrics import mean_average_precision, relevance_from_labels
from kernel_ridge import training_part

SETS = ("mnist", "cifar10")
N_BITS, N_QUERIES, SEED = 32, 1_000, 7


def ways(n_anchors, first):
    """Yield names and machines; `first` is the fitted machine of the first row."""
    yield "anchor-ridge", lambda: first
    yield "anchor-ridge, auto", lambda: AnchorRidgeHash(random_state=0)
    given = {"C": first.C_, "sigma": first.sigma_, "random_state": 0}
    yield "anchor-ridge, C given", lambda: AnchorRidgeHash(n_anchors, **given)
    yield "kernel-features", lambda: KernelFeaturesHash(n_anchors, random_state=0)
    yield "kernel-features, C given", lambda: KernelFeaturesHash(n_anchors, **given)
    yield (
        "Nystroem, RidgeClassifier",
        lambda: make_pipeline(
            Nystroem(gamma=0.5 / first.sigma_**2, n_components=n_anchors, random_state=0),
            RidgeClassifier(alpha=0.5 / first.C_),
        ),
    )


def measure(machine, X, codes, queries):
    """Return bits of the items and the queries, and the costs."""
    begin = time.process_time()
    machine.fit(X, codes.astype(int))  # RidgeClassifier needs signed numbers
    fitted = time.process_time()
    bits = predicted(machine, X)
    seconds = fitted - begin, 1e6 * (time.process_time() - fitted) / len(X)
    return bits, predicted(machine, queries), seconds


def predicted(machine, X):
    bits = machine.bits(X) if hasattr(machine, "bits") else machine.predict(X)
    return np.packbits(bits > 0, axis=1)


def seconds():
    """Print the time of learning from 100,000 embeddings on all threads, by number of anchors."""
    X, y = text_embeddings("wordnet")
    chosen = np.random.RandomState(SEED).permutation(len(y))[:100_000]
    X, y = X[chosen], y[chosen]
    for machine in (
        KernelFeaturesHash(random_state=0),
        *(AnchorRidgeHash(n, random_state=0) for n in (1_000, 4_000, 8_000)),
    ):
        hasher = TwoStepHasher(N_BITS, hash_function=machine, random_state=0, n_jobs=-1)
        hasher.fit(X[:2_000], y[:2_000])  # compiles
        begin = time.perf_counter()
        hasher.fit(X, y)
        fitted = time.perf_counter()
        hasher.encode(X[:20_000])
        encoded = time.perf_counter()
        print(
            f"{machine!r}: fit {fitted - begin:.1f} s, training bits wrong "
            f"{hasher.bit_error_.mean():.3f}, encode {20_000 / (encoded - fitted):,.0f} items/s",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--items", type=int, default=40_000)
    parser.add_argument("--anchors", type=int, default=2_000)
    parser.add_argument("--seconds", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.seconds:
        seconds()
        return
    with threadpool_limits(1):
        compare(arguments)


def compare(arguments):
    """Print time and quality of every way on every set, on one thread."""
    print(f"{'set':10}{'items':>7}  {'Step 2':26}anchors    MAP   fit s  times  encode µs")
    for name in arguments.sets.split(","):
        X, y = training_part(name)
        order = np.random.RandomState(SEED).permutation(len(y))
        learned, queries = np.split(order, [arguments.items])[0], order[-N_QUERIES:]
        learned = np.setdiff1d(learned, queries, assume_unique=True)
        relevance = relevance_from_labels(y[queries], y[learned])
        inferred = TwoStepHasher(N_BITS, hash_function="linear-svm", random_state=0)
        codes = inferred.fit(X[learned], y[learned]).codes_
        first = AnchorRidgeHash(arguments.anchors, random_state=0)
        base = None
        for title, make in ways(arguments.anchors, first):
            machine = make()
            bits, asked, (seconds, per_item) = measure(machine, X[learned], codes, X[queries])
            base = base or seconds
            n_anchors = len(machine.coef_) if hasattr(machine, "coef_") else arguments.anchors
            found = mean_average_precision(asked, bits, relevance)
            print(
                f"{name:10}{learned.size:7,}  {title:26}{n_anchors:7,}{found:7.3f}{seconds:8.1f}"
                f"{seconds / base:7.2f}{per_item:11.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()

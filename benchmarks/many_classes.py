"""Step 1 on thousands of classes: time, objective and distances between the classes' codes.

    OPENBLAS_NUM_THREADS=1 python benchmarks/many_classes.py                # 10,000 classes
    OPENBLAS_NUM_THREADS=1 python benchmarks/many_classes.py --classes 1000 --bits 32

A million items, class sizes equal and as 1 / rank (Zipf). The objective is compared with a lower
bound, the smallest distance between codes of two classes with an upper bound for any codes, and
both with the same number of random codes, the peer.
"""

import argparse
import time

import numpy as np

from hashlearn.affinity import LabelAffinity
from hashlearn.inference import CoordinateDescent
from hashlearn.inference._code_bounds import largest_possible_distance, least_class_loss
from hashlearn.inference._code_kernels import nearest_distances
from hashlearn.inference._code_moves import pack_words
from hashlearn.losses import as_loss


def drawn_labels(n_items, n_classes, power):
    """Return labels with class sizes as rank^-power; every class has an item."""
    share = 1 / np.arange(1, n_classes + 1) ** power
    rng = np.random.default_rng(0)
    rest = rng.choice(n_classes, n_items - n_classes, p=share / share.sum())
    return np.append(np.arange(n_classes), rest)


def separation(codes):
    """Return the smallest distance between two codes, and the median of the nearest ones."""
    nearest = np.empty(len(codes), dtype=np.int64)
    nearest_distances(pack_words(2 * codes.astype(np.int8) - 1), nearest)
    return nearest.min(), np.median(nearest)


def report(name, y, loss, n_bits):
    n_classes = y.max() + 1
    start, cpu = time.perf_counter(), time.process_time()
    result = CoordinateDescent().infer(
        LabelAffinity(y), as_loss(loss), n_bits, random_state=np.random.RandomState(0)
    )
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    codes = result.codes[:n_classes]
    scale = 1 if loss == "ksh" else 4 * n_bits**2
    sizes = np.bincount(y).astype(float)
    ratio = result.objective[-1] * scale / least_class_loss(sizes, n_bits)
    smallest, median = separation(codes)
    drawn, _ = separation(np.random.RandomState(1).randint(2, size=codes.shape))
    distinct = len(np.unique(np.packbits(codes, axis=1), axis=0))
    print(
        f"{name}: {seconds:.1f} s ({cpu:.1f} s of processors), objective {ratio:.6f} of its lower "
        f"bound,\n  {distinct} distinct codes of {n_classes}, smallest distance {smallest} "
        f"(median of nearest {median:.0f}; random codes {drawn}; no codes have more than "
        f"{largest_possible_distance(int(n_classes), n_bits)})"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--classes", type=int, default=10_000)
    parser.add_argument("--bits", type=int, default=64)
    parser.add_argument("--loss", choices=("ksh", "bre"), default="bre")
    arguments = parser.parse_args()
    report("compiling", drawn_labels(1_000, 100, 1), arguments.loss, arguments.bits)
    for name, power in (("equal sizes", 0), ("sizes as 1 / rank", 1)):
        y = drawn_labels(arguments.items, arguments.classes, power)
        report(name, y, arguments.loss, arguments.bits)


if __name__ == "__main__":
    main()

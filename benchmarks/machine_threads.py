"""Linear machines on all threads, compared with one.

    python benchmarks/machine_threads.py

32 machines on random features; the ratio is the time of one thread over that of all. Each thread
processes a shard of the rows, and every product runs on one thread: BLAS threads were not faster
here.
"""

import numpy as np
from numba import config

from hashlearn.hash_functions._machines.squared_hinge import fit_squared_hinge
from timing import best_time

SIZES = ((2_000, 300), (2_000, 2_000), (20_000, 200), (60_000, 320), (60_000, 1_000))


def problem(n, n_features, n_machines=32):
    """Return features and bits that depend on them, with noise."""
    random = np.random.default_rng(0)
    X = random.random((n, n_features), dtype=np.float32)
    margins = (X - 0.5) @ random.normal(size=(n_features, n_machines))
    return X, np.where(margins + random.normal(size=margins.shape) / 2 > 0, 1, -1)


def seconds(X, Z, n_threads):
    config.NUMBA_NUM_THREADS = n_threads
    return best_time(lambda: fit_squared_hinge(X, Z, 1.0), repeats=2)[0]


def main():
    n_threads = config.NUMBA_NUM_THREADS
    print(f"{'items':>8}{'features':>10}{'one thread':>13}{f'{n_threads} threads':>12}{'ratio':>8}")
    for n, n_features in SIZES:
        X, Z = problem(n, n_features)
        one, several = seconds(X, Z, 1), seconds(X, Z, n_threads)
        times = f"{one:11.2f} s{several:10.2f} s{one / several:7.1f}x"
        print(f"{n:8,}{n_features:10,}{times}", flush=True)


if __name__ == "__main__":
    main()

"""Linear machines on one thread, against as many as the matrix library takes.

    python benchmarks/machine_threads.py

32 machines on random features; the ratio is the time of all threads over that of one. It is why
the solver keeps small problems on one thread.
"""

import numpy as np

from hashlearn.hash_functions import squared_hinge
from timing import best_time

SIZES = ((2_000, 300), (2_000, 2_000), (20_000, 200), (60_000, 320), (60_000, 1_000))


def problem(n, n_features, n_machines=32):
    """Return features and bits that depend on them, with noise."""
    random = np.random.default_rng(0)
    X = random.random((n, n_features), dtype=np.float32)
    margins = (X - 0.5) @ random.normal(size=(n_features, n_machines))
    return X, np.where(margins + random.normal(size=margins.shape) / 2 > 0, 1, -1)


def seconds(X, Z, threaded_entries):
    squared_hinge._THREADED_ENTRIES = threaded_entries
    return best_time(lambda: squared_hinge.fit_squared_hinge(X, Z, 1.0), repeats=2)[0]


def main():
    print(f"{'items':>8}{'features':>10}{'all threads':>13}{'one':>9}{'ratio':>8}")
    for n, n_features in SIZES:
        X, Z = problem(n, n_features)
        all_threads, one = seconds(X, Z, 0), seconds(X, Z, np.inf)
        times = f"{all_threads:11.2f} s{one:7.2f} s{all_threads / one:7.1f}x"
        print(f"{n:8,}{n_features:10,}{times}", flush=True)


if __name__ == "__main__":
    main()

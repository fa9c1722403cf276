"""Time to encode compared with the limit of the machine, measured in the same run.

The limit of an encoding is the time of its matrix products at the rate of large products, plus its
exponentials at the rate of `numpy.exp` in the cache, plus one reading of X at the rate of
`numpy.sum`, all on the same number of threads as encoding. Only necessary operations count: 2 n d
m operations for linear bits, 2 n d Q and (in float64) 2 n Q m for Q kernel features.

Run as ``python benchmarks/throughput.py [--rows 1000000] [--repeats 7]``. Rates and encodings are
measured alternately, and the best of each is used: other jobs on the machine disturb them.
"""

import argparse
import time

import numpy as np

from hashlearn import TwoStepHasher
from hashlearn._numerics.blas import one_blas_thread
from hashlearn._numerics.threads import map_blocks, n_threads
from hashlearn.hash_functions import KernelFeaturesHash
from hashlearn.methods import ITQHasher

N_BITS = 64
N_ANCHORS = 1000
KERNEL_SHARE = 10  # a kernel needs about 10 times the work of a linear hash function
LARGE = 2048  # the side of the products that give the rates


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of 128 features")
    parser.add_argument("--repeats", type=int, default=7)
    arguments = parser.parse_args()
    print(
        f"{n_threads()} threads, {N_BITS} bits, float32; the limit counts products + exp + reading"
    )
    heads = ("hash function", "rows", "features", "ns a row", "limit", "share")
    print(f"{heads[0]:28}" + "".join(f"{head:>20}" for head in heads[1:]), flush=True)
    for n_features, n in ((128, arguments.rows), (512, arguments.rows // 5)):
        X = np.random.default_rng(0).normal(size=(n, n_features)).astype(np.float32)
        for name, hasher in hashers(X[:4000]).items():
            is_kernel = name == "kernel features"
            rows = X[: n // KERNEL_SHARE] if is_kernel else X
            report(name, hasher, rows, N_ANCHORS if is_kernel else 0, arguments.repeats)


def hashers(X):
    """Return fitted hashers by name; their quality does not matter here."""
    y = np.random.default_rng(1).integers(0, 100, len(X))
    kernel = KernelFeaturesHash(N_ANCHORS, C=1.0, sigma=float(np.sqrt(X.shape[1])))
    return {
        "projections (itq)": ITQHasher(N_BITS, n_iter=2, random_state=0).fit(X),
        "linear machines": TwoStepHasher(N_BITS, hash_function="linear-svm", random_state=0).fit(
            X, y
        ),
        "kernel features": TwoStepHasher(N_BITS, hash_function=kernel, random_state=0).fit(X, y),
    }


def report(name, hasher, X, n_anchors, repeats):
    """Print one line: the time of `encode` and its limit."""
    works = {
        "float32": product(np.float32),
        "float64": product(np.float64),
        "exp": exponentials(),
        "read": reading(X),
        "encode": lambda: hasher.encode(X),
    }
    seconds = dict.fromkeys(works, np.inf)
    for _ in range(repeats):
        for key, work in works.items():
            start = time.perf_counter()
            work()
            seconds[key] = min(seconds[key], time.perf_counter() - start)
    n, d = X.shape
    large = 2 * LARGE**3
    limit = seconds["read"]
    if n_anchors:
        limit += 2 * n * d * n_anchors / large * seconds["float32"]
        limit += 2 * n * n_anchors * N_BITS / large * seconds["float64"]
        limit += n * n_anchors / EXPONENTIALS * seconds["exp"]
    else:
        limit += 2 * n * d * N_BITS / large * seconds["float32"]
    share = limit / seconds["encode"]
    times = (1e9 * seconds["encode"] / n, 1e9 * limit / n)
    print(f"{name:28}{n:>20,}{d:>20}{times[0]:>20,.0f}{times[1]:>20,.0f}{share:>20.2f}")
    rates = f"{large / seconds['float32'] / 1e9:.0f} and {large / seconds['float64'] / 1e9:.0f}"
    print(
        f"  float32 and float64 products {rates} GFLOP/s, "
        f"exp {EXPONENTIALS / seconds['exp'] / 1e9:.2f} G/s, "
        f"reading {X.nbytes / seconds['read'] / 1e9:.1f} GB/s",
        flush=True,
    )


def product(dtype):
    """Return a large product, on all threads of the matrix library."""
    A = np.random.default_rng(0).normal(size=(LARGE, LARGE)).astype(dtype)
    out = np.empty_like(A)
    return lambda: np.matmul(A, A, out=out)


EXPONENTIALS = 2**26


def exponentials():
    """Return the exponentials of values that stay in the cache, on all threads."""
    values = -np.abs(np.random.default_rng(0).normal(size=2**14)).astype(np.float32)

    def work(start, stop):
        out = np.empty_like(values)
        for _ in range(start, stop, values.size):
            np.exp(values, out=out)

    return lambda: map_blocks(work, even_bounds(EXPONENTIALS, values.size))


def reading(X):
    """Return a sum over X, on all threads."""
    rows = 1024

    def work(start, stop):
        for first in range(start, stop, rows):
            X[first : first + rows].sum()

    def read():
        with one_blas_thread():
            map_blocks(work, even_bounds(len(X), rows))

    return read


def even_bounds(n, step):
    """Return bounds of several ranges per thread, each of whole steps."""
    size = -(-n // (8 * n_threads() * step)) * step
    return [*range(0, n, size), n]


if __name__ == "__main__":
    main()

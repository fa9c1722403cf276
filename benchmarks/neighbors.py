"""Approximate neighbour graphs compared with exact blocks: recall, time, memory.

    python benchmarks/neighbors.py [--items 20000]

MNIST's pixels, GIST features of CIFAR-10, and a generated mixture of 100 Gaussians in 64
dimensions. The peer is the library's exact search on all cores; the approximate one uses a single
thread, so that its graph does not depend on their number. Recall is the share of the exact nearest
neighbours of all items that were found. Target: a mean of 0.95. Peaks are relative to the memory
before, on Linux only. Compilation, about half a minute in every new process, is not included.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from data import cifar10, mnist
from hashlearn.affinity import nearest_graph
from hashlearn.features import GIST

TARGET = 0.95
NEIGHBORS = (15, 100)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=20_000, help="items of each set")
    n = parser.parse_args().items
    neighbors(np.random.default_rng(0).normal(size=(1_000, 8)).astype(np.float32), 5, "approximate")
    print(f"{n:,} items; seconds, peak MB, and how many times faster than exact blocks\n")
    print(f"{'':16}{'k':>5}{'exact':>9}{'MB':>7}{'found':>9}{'MB':>7}{'ratio':>8}{'recall':>9}")
    recalls = [row(name, X, k) for name, X in sets(n) for k in NEIGHBORS]
    verdict = "met" if min(recalls) >= TARGET else "missed"
    print(f"\ntarget of recall {TARGET} everywhere: {verdict} ({min(recalls):.3f})")


def sets(n):
    """Yield names and items."""
    yield "MNIST", mnist()[0][:n].astype(np.float32)
    yield "CIFAR-10 GIST", GIST().transform(cifar10()[0][:n].reshape(-1, 32, 32, 3))
    random = np.random.default_rng(0)
    centres = random.normal(size=(100, 64))[random.integers(100, size=n)]
    yield "mixture", (centres + random.normal(size=(n, 64))).astype(np.float32)


def row(name, X, k):
    """Print time and memory of both searches, and return the recall."""
    exact_seconds, exact_peak, truth = measured(lambda: neighbors(X, k, "exact"))
    seconds, peak, found = measured(lambda: neighbors(X, k, "approximate"))
    recall = found.multiply(truth).nnz / truth.nnz
    print(
        f"{name:16}{k:5}{exact_seconds:9.1f}{exact_peak:7.0f}{seconds:9.1f}{peak:7.0f}"
        f"{exact_seconds / seconds:7.1f}x{recall:9.4f}",
        flush=True,
    )
    return recall


def neighbors(X, k, search):
    return nearest_graph(X, k, search=search, random_state=0, n_jobs=-1, verbose=0)


def measured(function):
    """Return seconds, peak memory in MB relative to the present, and the result."""
    before, start = resident("VmRSS"), time.perf_counter()
    if sys.platform == "linux":
        Path("/proc/self/clear_refs").write_text("5")  # resets the peak
    result = function()
    return time.perf_counter() - start, resident("VmHWM") - before, result


def resident(which):
    """Return the resident memory of this process, or its peak, in MB."""
    if sys.platform != "linux":
        return float("nan")
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(which)) / 1e3


if __name__ == "__main__":
    main()

"""Time and memory of a fit on 62,500 to a million items: labels, 64 bits, SVM-KF.

Items are a mixture with a fixed seed: 100 classes of four Gaussians each in 128 dimensions, so
close that no code is free of errors. They are in a memory-mapped file. Every size is fitted with
two seeds, each in its own process, whose peak memory is measured; held-out items are then searched
in 100,000 others. Seconds and measures are means over the seeds, the peak is the largest. The
slope is that of log time over log n, by least squares.

    python benchmarks/scale.py            n = 62,500, 125,000, 250,000
    python benchmarks/scale.py --full     ... up to 1,000,000; writes docs/images/scale.svg
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from hashlearn import TwoStepHasher
from hashlearn.hash_functions import KernelFeaturesHash
from hashlearn.metrics import evaluate, relevance_from_labels

SIZES = (62_500, 125_000, 250_000, 500_000, 1_000_000)
N_QUICK = 3
N_CLASSES, N_MODES, N_FEATURES, N_BITS, N_ANCHORS = 100, 4, 128, 64, 1000
SPREAD = 0.8  # of the centres, with noise of 1: some classes overlap
N_DATABASE, N_QUERIES = 100_000, 2_000
SEEDS = (0, 1)
PICTURE = Path(__file__).parents[1] / "docs" / "images" / "scale.svg"


def mixture(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return items and labels; the centres are the same for every seed."""
    centers = np.random.default_rng(0).normal(0, SPREAD, (N_CLASSES * N_MODES, N_FEATURES))
    random = np.random.default_rng(seed)
    mode = random.integers(len(centers), size=n)
    X = np.empty((n, N_FEATURES), dtype=np.float32)
    for start in range(0, n, 10_000):
        rows = slice(start, start + 10_000)
        noise = random.normal(size=(len(mode[rows]), N_FEATURES))
        X[rows] = centers[mode[rows]] + noise
    return X, mode % N_CLASSES


def peak_memory() -> int:
    """Return the peak memory of this process in bytes, including mapped files."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.split("VmHWM:")[1].split()[0])


def fit_one(folder: Path, n: int, seed: int) -> dict[str, float]:
    """Fit the first n items; return the measurements."""
    X = np.load(folder / "X.npy", mmap_mode="r")[:n]
    y = np.load(folder / "y.npy")[:n]
    hasher = TwoStepHasher(
        N_BITS, hash_function=KernelFeaturesHash(n_anchors=N_ANCHORS), random_state=seed
    )
    start = time.perf_counter()
    hasher.fit(X, y)
    seconds, peak = time.perf_counter() - start, peak_memory()
    database, labels = mixture(N_DATABASE, seed=2)
    queries, query_labels = mixture(N_QUERIES, seed=3)
    found = evaluate(
        hasher.encode(queries),
        hasher.encode(database),
        relevance_from_labels(query_labels, labels),
        map_cutoff=1000,
        n_bits=N_BITS,
    )
    return {
        "n": n,
        "seconds": seconds,
        "peak": peak,
        "map": found.mean_average_precision,
        "area": found.pr_area,
        "bit_error": float(hasher.bit_error_.mean()),
    }


def measure(sizes: tuple[int, ...]) -> list[dict[str, float]]:
    """Fit every size with every seed; return means."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        X, y = mixture(sizes[-1], seed=1)
        np.save(folder / "X.npy", X)
        np.save(folder / "y.npy", y)
        del X, y
        print(
            f"{'n':>9} {'seconds':>8} {'peak GB':>8} {'MAP@1000':>9} {'(from':>8} {'to)':>7} "
            f"{'PR area':>8} {'error':>7}"
        )
        for n in sizes:
            fits = [fit_elsewhere(folder, n, seed) for seed in SEEDS]
            row = {key: float(np.mean([fit[key] for fit in fits])) for key in fits[0]}
            row["peak"] = max(fit["peak"] for fit in fits)
            found = [fit["map"] for fit in fits]
            print(
                f"{n:>9,} {row['seconds']:8.1f} {row['peak'] / 1e9:8.2f} {row['map']:9.4f} "
                f"{min(found):8.4f} {max(found):7.4f} {row['area']:8.4f} {row['bit_error']:7.4f}",
                flush=True,
            )
            rows.append(row)
    return rows


def fit_elsewhere(folder: Path, n: int, seed: int) -> dict[str, float]:
    """Fit in a separate process, so that its peak is that of one fit."""
    command = [sys.executable, __file__, "--one", str(n), str(seed), str(folder)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def slope(rows: list[dict[str, float]]) -> float:
    """Return the exponent by which time grows with n."""
    n, seconds = (np.log([row[key] for row in rows]) for key in ("n", "seconds"))
    return float(np.polyfit(n, seconds, 1)[0])


def draw(rows: list[dict[str, float]], path: Path) -> None:
    """Draw time and peak memory over n."""
    import matplotlib.pyplot as plt

    n = [row["n"] for row in rows]
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
    seconds = [row["seconds"] for row in rows]
    left.loglog(n, seconds, "o-", color="#1f5fa8", label=f"measured, slope {slope(rows):.2f}")
    left.loglog(n, [seconds[0] * k / n[0] for k in n], "--", color="#888888", label="linear in n")
    left.set(title="Seconds to fit", xlabel="items")
    left.legend(frameon=False)
    right.plot(n, [row["peak"] / 1e9 for row in rows], "o-", color="#1f5fa8", label="peak memory")
    items = [4e-9 * k * N_FEATURES for k in n]
    right.plot(n, items, "--", color="#888888", label="of it the items")
    right.set(title="Gigabytes", xlabel="items", ylim=(0, None))
    right.legend(frameon=False)
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--full", action="store_true", help="up to 1,000,000 items, with picture")
    parser.add_argument("--one", nargs=3, metavar=("N", "SEED", "FOLDER"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        n, seed, folder = arguments.one
        print(json.dumps(fit_one(Path(folder), int(n), int(seed))))
        return
    rows = measure(SIZES if arguments.full else SIZES[:N_QUICK])
    first, last = rows[0], rows[-1]
    if arguments.full:
        draw(rows, PICTURE)
    print(f"slope of log time over log n: {slope(rows):.3f} (1 is linear)")
    print(f"time of the largest over the smallest: {last['seconds'] / first['seconds']:.1f}")
    print(f"MAP of the largest less the smallest: {last['map'] - first['map']:+.4f}")


if __name__ == "__main__":
    main()

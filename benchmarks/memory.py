"""Peak memory of `hashlearn encode` on a large .npy file, compared with loading the whole file.

    python benchmarks/memory.py [--gigabytes 4] [--folder FOLDER]

Writes a float32 file of 1,000 features to a temporary folder, learns two small models from 2,000
of its items, and encodes the file with each: by the command, and by the peer,
`hasher.encode(numpy.load(path))`, each in its own process. Both write the same codes. Exits with 1
if the command's peak is above 600 MB.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from hashlearn import TwoStepHasher

LIMIT_MB = 600
N_FEATURES, N_CLASSES, N_TRAINING, N_BITS = 1_000, 10, 2_000, 64
BLOCK = 10_000  # rows generated at once
HASH_FUNCTIONS = ("linear-svm", "kernel-features")
PEER = """
import sys, numpy, hashlearn
model, items, output = sys.argv[1:]
numpy.save(output, hashlearn.load(model).encode(numpy.load(items)))
"""
# A separate process starts the command: the peak of a child includes its parent's memory.
LAUNCHER = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gigabytes", type=float, default=4.0, help="size of the file of items")
    parser.add_argument("--folder", help="where to put it, instead of the temporary folder")
    arguments = parser.parse_args()
    n_items = int(arguments.gigabytes * 1e9 / (4 * N_FEATURES))
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        check_space(folder, n_items)
        sys.exit(bench(Path(folder), n_items))


def bench(folder, n_items):
    """Print the table; return the exit code."""
    items = folder / "items.npy"
    X, y = write_items(items, n_items)
    print(f"{n_items:,} items of {N_FEATURES:,} float32, {items.stat().st_size / 1e9:.1f} GB")
    print(f"{'':34}{'peak MB':>9}{'seconds':>9}{'items/s':>10}")
    worst = 0.0
    for hash_function in HASH_FUNCTIONS:
        model = folder / f"{hash_function}.hashlearn"
        TwoStepHasher(N_BITS, hash_function=hash_function, random_state=0).fit(X, y).save(model)
        ours, peers = folder / "ours.npy", folder / "peers.npy"
        command = [sys.executable, "-m", "hashlearn", "encode", model, items, "--output", ours]
        peak = row(f"hashlearn encode, {hash_function}", command, n_items)
        peer_peak = row(
            "  load and encode", [sys.executable, "-c", PEER, model, items, peers], n_items
        )
        same = np.mean(np.load(ours) == np.load(peers))
        print(f"  {peer_peak / peak:.0f}x less memory; {same:.4%} of the bytes are the same")
        worst = max(worst, peak)
    print(f"highest peak {worst:.0f} MB, at most {LIMIT_MB} MB allowed")
    return int(worst > LIMIT_MB)


def check_space(folder, n_items):
    """Stop if the files would fill the disk."""
    needed, free = 1.2 * n_items * 4 * N_FEATURES, shutil.disk_usage(folder).free
    if free < needed:
        sys.exit(f"{folder} has {free / 1e9:.1f} GB free; the benchmark needs {needed / 1e9:.1f}")


def write_items(path, n_items):
    """Write items of ten overlapping classes, block by block; return some of them and labels."""
    random = np.random.default_rng(0)
    centres = random.normal(size=(N_CLASSES, N_FEATURES)).astype(np.float32)
    noise = random.normal(size=(BLOCK, N_FEATURES)).astype(np.float32)
    header = {"descr": "<f4", "fortran_order": False, "shape": (n_items, N_FEATURES)}
    first = None
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, header)
        for start in range(0, n_items, BLOCK):
            y = random.integers(N_CLASSES, size=min(BLOCK, n_items - start))
            # Noise is reused between items: drawing new numbers would take most of the time.
            X = centres[y] + 2 * np.roll(noise, random.integers(BLOCK), axis=0)[: len(y)]
            file.write(X.data)
            if first is None:
                first = X[:N_TRAINING].copy(), y[:N_TRAINING]
    return first


def row(name, command, n_items):
    """Run a command, print time and memory, and return its peak memory in MB."""
    begin = time.perf_counter()
    launched = subprocess.run(
        [sys.executable, "-c", LAUNCHER, *map(str, command)], stdout=subprocess.PIPE, check=False
    )
    seconds = time.perf_counter() - begin
    if launched.returncode:
        sys.exit(f"{name} failed with exit code {launched.returncode}")
    peak = int(launched.stdout) * (1 if sys.platform == "darwin" else 1024) / 1e6
    print(f"{name:34}{peak:>9.0f}{seconds:>9.1f}{n_items / seconds:>10,.0f}", flush=True)
    return peak


if __name__ == "__main__":
    main()

"""Training time and peak memory of every registered method, compared with the two-step hasher.

    python benchmarks/methods.py [--large [mnist|cifar10]] [--methods itq,ksh] [--limit 600]

Each method learns 32 bits with its default parameters, in its own process: from 2,000 CIFAR-10
items of 320 GIST features, 200 per class; with --large from 60,000 MNIST items of 784, or CIFAR-10
items of 320, instead. Supervised methods get the labels, and all get all cores (n_jobs=-1). Only
`fit` is timed, after a fit of 100 items that loads compiled code. The peak is that of the whole
process, including data and libraries, whose own peak is the row "nothing". If a method does not
support the number of items, fails or exceeds the time limit, its row says so.
"""

import argparse
import json
import multiprocessing
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import make_classification

from data import cifar10, mnist
from hashlearn import make_hasher
from hashlearn.base import METHODS
from hashlearn.features import GIST

PEER = "tsh"
NOTHING = "nothing"
N_BITS, PER_CLASS, N_LARGE, N_WARM = 32, 200, 60_000, 100


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--large", nargs="?", const="mnist", choices=list(LARGE), help="from 60,000 items instead"
    )
    parser.add_argument("--methods", help="only these, by name, with commas between")
    parser.add_argument(
        "--limit", type=float, default=600.0, help="seconds that a process may take"
    )
    parser.add_argument("--fit", nargs=2, help=argparse.SUPPRESS)  # what the child processes run
    arguments = parser.parse_args()
    if arguments.fit:
        print(json.dumps(fit(*arguments.fit)))
        return
    names = chosen(arguments.methods)
    if arguments.large:
        bench(*LARGE[arguments.large], names, arguments.limit)
    else:
        bench("2,000 x 320 CIFAR-10 GIST", write_small_items, names, arguments.limit)


def chosen(methods):
    """Return the names of the methods to run, the peer first."""
    names = methods.split(",") if methods else METHODS.names()
    unknown = sorted(set(names) - set(METHODS.names()))
    if unknown:
        sys.exit(f"--methods {','.join(unknown)}: known are {', '.join(METHODS.names())}")
    return [PEER, *(name for name in names if name != PEER)]


def write_small_items(path):
    """Write the GIST features of 2,000 CIFAR-10 images, 200 per class, and their labels."""
    images, y = cifar10()
    random = np.random.default_rng(0)
    of_class = [random.choice(np.flatnonzero(y == c), PER_CLASS, replace=False) for c in range(10)]
    items = random.permutation(np.concatenate(of_class))
    features = GIST(n_jobs=-1).fit_transform(images[items].reshape(-1, 32, 32, 3))
    np.savez(path, X=features.astype(np.float32), y=y[items])


def write_large_items(path):
    """Write 60,000 MNIST images and their labels."""
    X, y = mnist()
    np.savez(path, X=X[:N_LARGE].astype(np.float32) / 255, y=y[:N_LARGE])


def write_large_gist(path):
    """Write the GIST features of all 60,000 CIFAR-10 images, and their labels."""
    images, y = cifar10()
    features = GIST(n_jobs=-1).fit_transform(images.reshape(-1, 32, 32, 3))
    np.savez(path, X=features.astype(np.float32), y=y)


LARGE = {
    "mnist": ("60,000 x 784 MNIST", write_large_items),
    "cifar10": ("60,000 x 320 CIFAR-10 GIST", write_large_gist),
}


def bench(title, write_items, names, limit):
    """Print a table: one row per method."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.npz"
        # A separate process: the peak of a child includes its parent's memory.
        writer = multiprocessing.get_context("spawn").Process(target=write_items, args=(path,))
        writer.start()
        writer.join()
        if writer.exitcode:
            sys.exit(f"writing {title} items failed with exit code {writer.exitcode}")
        print(f"{title} items, {N_BITS} bits, at most {limit:g} s each")
        print(f"{'':12}{'fit s':>9}{'x ' + PEER:>9}{'peak MB':>9}", flush=True)
        peer = None
        for name in (NOTHING, *names):
            row = run(name, path, limit)
            peer = row.get("seconds") if name == PEER else peer
            print_row(name, row, peer)
    print()


def run(name, path, limit):
    """Return the results of one method, run in its own process."""
    command = [sys.executable, __file__, "--fit", name, str(path)]
    try:
        child = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return {"refusal": f"not done after {limit:g} s"}
    if child.returncode:
        last = (child.stderr.strip() or "no message").splitlines()[-1]
        return {"refusal": f"exit code {child.returncode}: {last}"}
    return json.loads(child.stdout.splitlines()[-1])


def fit(name, path):
    """Return seconds and peak of one fit, or the error message."""
    warnings.simplefilter("ignore")
    with np.load(path) as arrays:
        X, y = arrays["X"], arrays["y"]
    if name == NOTHING:
        return {"seconds": 0.0, "peak": peak_mb()}
    fit_one(name, *make_classification(N_WARM, 40, n_classes=4, n_informative=8, random_state=0), 4)
    try:
        seconds = fit_one(name, X, y, N_BITS)
    except ValueError as refusal:
        return {"refusal": str(refusal)}
    return {"seconds": seconds, "peak": peak_mb()}


def fit_one(name, X, y, n_bits):
    """Return the seconds of a fit with default parameters."""
    hasher = make_hasher(name, n_bits=n_bits).set_params(random_state=0, n_jobs=-1)
    start = time.perf_counter()
    hasher.fit(np.asarray(X, dtype=np.float32), y if hasher.supervised else None)
    return time.perf_counter() - start


def peak_mb():
    """Return the peak memory of this process."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def print_row(name, row, peer):
    if "refusal" in row:
        print(f"{name:12}  {row['refusal']}", flush=True)
        return
    ratio = f"{row['seconds'] / peer:.2f}" if peer and name != NOTHING else ""
    print(f"{name:12}{row['seconds']:9.2f}{ratio:>9}{row['peak']:9.0f}", flush=True)


if __name__ == "__main__":
    main()

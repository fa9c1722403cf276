"""Step 2 against scikit-learn: training linear machines, encoding with RBF machines, stumps.

Run as ``python benchmarks/encode.py [--peer-bits 4]``. Peers are timed on a few bits and scaled to
all 32, because all of them would take many minutes; the table marks these times.
"""

import argparse

import numpy as np
from sklearn.svm import SVC, LinearSVC

from data import mnist
from hashlearn._numerics.rbf import GaussianKernel, mean_neighbor_distance
from hashlearn.hash_functions import RBFSVMHash, choose_anchors
from hashlearn.hash_functions._machines.squared_hinge import fit_squared_hinge
from stumps import bench_stumps
from timing import best_time

N_BITS = 32
REPEATS = 5  # ours only, best time: other jobs on the machine disturb short runs most


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer-bits", type=int, default=4, help="bits the peers are timed on")
    peer_bits = parser.parse_args().peer_bits
    X, y = mnist()
    X = X.astype(np.float32) / 255
    random = np.random.default_rng(0)
    print(f"{'':34}{'peer':>12}{'ours':>12}{'ratio':>9}")
    bench_linear(X[:60_000], y[:60_000], random, peer_bits)
    bench_rbf(X, y, random, min(2, peer_bits))
    print()
    bench_stumps()


def bench_linear(X, y, random, peer_bits, C=1.0):
    """Time 32 linear machines on 60,000 x 1,000 kernel features against LinearSVC."""
    sigma = 0.7 * mean_neighbor_distance(X, random_state=0)
    features = GaussianKernel(choose_anchors(X, 1000, "random", 0), sigma)(X)
    Z = 2 * class_codes(random)[y] - 1
    seconds, solution = best_time(lambda: fit_squared_hinge(features, Z, C), repeats=3)
    peers, peer_seconds = [], 0.0
    for z in Z.T[:peer_bits]:
        taken, peer = best_time(lambda z=z: LinearSVC(C=C).fit(features, z), repeats=1)
        peers.append((peer.coef_[0], peer.intercept_[0]))
        peer_seconds += taken
    row("train 32 linear machines", peer_seconds * N_BITS / peer_bits, seconds)
    note(f"60,000 x 1,000 kernel features, C={C:g}; LinearSVC on {peer_bits} bits, scaled")
    coef, intercept = (np.stack(part, axis=-1) for part in zip(*peers, strict=True))
    Z, ours = Z[:, :peer_bits], solution.coef[:, :peer_bits]
    value, error = judge(features, Z, ours, solution.intercept[:peer_bits], C)
    peer_value, peer_error = judge(features, Z, coef, intercept, C)
    note(f"objective over the peer's: {(value / peer_value).max():.6f} at most")
    difference = 100 * (error - peer_error)
    note(f"training bit error less the peer's: {difference.max():+.4f} points at most")


def judge(features, Z, coef, intercept, C):
    """Return objective and training error per bit, in float64."""
    margins = features @ coef.astype(np.float64) + intercept
    gap = np.maximum(0, 1 - Z * margins)
    value = 0.5 * ((coef.astype(np.float64) ** 2).sum(axis=0) + intercept**2)
    return value + C * (gap**2).sum(axis=0), ((margins > 0) != (Z > 0)).mean(axis=0)


def bench_rbf(X, y, random, peer_bits, C=10.0):
    """Time the encoding of 2,000 items by 32 RBF machines against SVC.decision_function."""
    train = np.concatenate(
        [random.choice(np.flatnonzero(y == c), 200, replace=False) for c in range(10)]
    )
    others = np.setdiff1d(np.arange(len(X)), train)
    queries = X[random.choice(others, 2000, replace=False)]
    codes = class_codes(random)[y[train]]
    sigma = 0.6 * mean_neighbor_distance(X[train], random_state=0)
    ours = RBFSVMHash(C=C, sigma=sigma).fit(X[train], codes)
    seconds, margins = best_time(lambda: ours.decision_function(queries), REPEATS)
    peer_seconds, different, largest = 0.0, 0, 0.0
    for k in range(peer_bits):
        peer = SVC(C=C, gamma=1 / (2 * sigma**2)).fit(X[train], codes[:, k])
        taken, peer_margins = best_time(lambda peer=peer: peer.decision_function(queries), 1)
        peer_seconds += taken
        clear = np.abs(peer_margins) > 1e-4
        different += int(((margins[:, k] > 0) != (peer_margins > 0))[clear].sum())
        largest = max(largest, np.abs(margins[:, k] - peer_margins).max())
    row("encode with 32 RBF machines", peer_seconds * N_BITS / peer_bits, seconds)
    note(f"2,000 items, {ours.coef_.shape[0]} support vectors; SVC on {peer_bits} bits, scaled")
    note(f"bits that differ outside a margin of 1e-4: {different} of {peer_bits * 2000}")
    note(f"largest difference of margins: {largest:.1e}")


def class_codes(random):
    """Return 32 bits for ten classes, each bit 1 for three to seven of them."""
    codes = np.zeros((10, N_BITS), dtype=np.int8)
    for k in range(N_BITS):
        codes[random.choice(10, random.integers(3, 8), replace=False), k] = 1
    return codes


def row(name, peer_seconds, seconds):
    print(f"{name:34}{peer_seconds:>10.2f} s{seconds:>10.3f} s{peer_seconds / seconds:>8.0f}x")


def note(text):
    print(f"  {text}", flush=True)


if __name__ == "__main__":
    main()

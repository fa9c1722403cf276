"""Boosted stumps compared with scikit-learn's AdaBoost, the last part of encode.py.

Both train and encode 2,000 MNIST items, 200 per class, with 200 stumps for each of 32 bits. A bit
splits the ten classes in two, as Step 1 does on class labels. The peer is timed on 2 bits, times
16; its errors are compared with ours on those 2 bits.
"""

import numpy as np
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from data import mnist
from hashlearn.hash_functions.boosted_stumps import BoostedStumpsHash
from timing import best_time

N_BITS, N_PEER_BITS, N_ROUNDS, PER_CLASS = 32, 2, 200, 200
REPEATS = 3  # ours only: the peer takes too long


def bench_stumps(seed=0):
    X, codes = problem(np.random.default_rng(seed))
    BoostedStumpsHash(n_rounds=1).fit(X, codes).decision_function(X)  # compile first
    peer = run_peer(X, codes)
    print(f"{N_BITS} machines of {N_ROUNDS} stumps, {X.shape[0]:,} x {X.shape[1]} MNIST items")
    print(f"peer: AdaBoostClassifier on {N_PEER_BITS} bits, times {N_BITS // N_PEER_BITS}\n")
    print(f"{'':30}{'train':>10}{'ratio':>9}{'encode':>12}{'ratio':>9}{'missed':>9}")
    print_row("scikit-learn, scaled", peer, peer)
    for n_jobs in (1, 2):
        print_row(f"boosted-stumps, n_jobs={n_jobs}", run_ours(X, codes, n_jobs), peer)


def problem(random):
    """Return items and one codeword per class, no two bits equal or opposite."""
    X, y = mnist()
    of_class = [random.choice(np.flatnonzero(y == c), PER_CLASS, replace=False) for c in range(10)]
    items = random.permutation(np.concatenate(of_class))
    # The last class always gets 0, so that distinct numbers are distinct partitions.
    partitions = random.choice(np.arange(1, 512), N_BITS, replace=False)
    codewords = partitions[None, :] >> np.arange(10)[:, None] & 1
    return X[items].astype(np.float32), codewords[y[items]]


def run_peer(X, codes):
    stump = DecisionTreeClassifier(max_depth=1, random_state=0)
    machine = AdaBoostClassifier(stump, n_estimators=N_ROUNDS, random_state=0)
    train = encode = missed = 0.0
    for bit in codes.T[:N_PEER_BITS]:
        train += best_time(lambda bit=bit: machine.fit(X, bit), 1)[0]
        encode += best_time(lambda: machine.decision_function(X), 1)[0]
        missed += (machine.predict(X) != bit).mean() / N_PEER_BITS
    scale = N_BITS / N_PEER_BITS
    return train * scale, encode * scale, missed


def run_ours(X, codes, n_jobs):
    machine = BoostedStumpsHash(n_rounds=N_ROUNDS, n_jobs=n_jobs)
    train, _ = best_time(lambda: machine.fit(X, codes), REPEATS)
    encode, margins = best_time(lambda: machine.decision_function(X), REPEATS)
    return train, encode, ((margins > 0) != codes)[:, :N_PEER_BITS].mean()


def print_row(name, figures, peer):
    train, encode, missed = figures
    print(
        f"{name:30}{train:8.2f} s{peer[0] / train:8.0f}x"
        f"{encode * 1e3:9.1f} ms{peer[1] / encode:8.0f}x{missed:9.2%}"
    )

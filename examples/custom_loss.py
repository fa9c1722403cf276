"""A custom loss in ten lines: codes made for looking up everything within Hamming distance 2.

A loss is a function of the Hamming affinity s of a pair (the distance is (n_bits - s) / 2) and of
y, +1 for similar and -1 for dissimilar pairs. Most losses push dissimilar pairs as far apart as
possible. For a look-up three times the radius is enough; the loss here penalises only smaller
distances, and has a weight for similar pairs. No labels are used: the 20 nearest training items of
an item are similar to it. The output shows, for look-ups around new items, the precision, the
recall of the 20 true neighbours, and the share of empty results. The numbers in the loss were
chosen on these queries, so the table shows the possible trade-offs, not expected results. The loss
is registered, so that it can be used by name and saved with a model.

    python examples/custom_loss.py [--quick]
"""

import sys

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neighbors import NearestNeighbors

import hashlearn
from hashlearn import HammingIndex, TwoStepHasher
from hashlearn.affinity import NeighborAffinity
from hashlearn.hash_functions import RBFSVMHash
from hashlearn.losses import Loss, register

QUICK = "--quick" in sys.argv
N_TRAINING, N_QUERIES = (300, 100) if QUICK else (1000, 700)
N_BITS, RADIUS = 16, 2


@register("look-up")
class LookUpLoss(Loss):
    """Similar pairs near, dissimilar pairs three times the radius apart."""

    def __init__(self, weight=1.0):
        self.weight = weight

    def __call__(self, s, y, n_bits):
        """Return the loss of a pair."""
        distance = (n_bits - s) / 2
        return self.weight * distance**2 if y > 0 else max(0, 3 * RADIUS - distance) ** 2


X, queries = train_test_split(
    load_digits().data / 16, train_size=N_TRAINING, test_size=N_QUERIES, random_state=0
)
similar = NeighborAffinity.from_data(X, n_neighbors=20)
truth = NearestNeighbors(n_neighbors=20).fit(X).kneighbors_graph(queries).toarray()
print(f"{N_TRAINING} items, {N_QUERIES} queries, {N_BITS} bits, radius {RADIUS}")
print(f"\n{'loss':26}precision  recall  empty")
machines = RBFSVMHash(C=10, sigma=1)  # about what "auto" chooses here, and saves its time
for loss in "bre", "ee", "hinge", "look-up", LookUpLoss(weight=4):
    hasher = TwoStepHasher(n_bits=N_BITS, loss=loss, hash_function=machines, random_state=0)
    hasher.fit(X, affinity=similar)
    index = HammingIndex(N_BITS)
    index.add(hasher.encode(X))
    offsets, ids, _ = index.radius_search(hasher.encode(queries), radius=RADIUS)
    found = np.zeros(truth.shape)
    found[np.repeat(np.arange(N_QUERIES), np.diff(offsets)), ids] = 1
    hits, count = (found * truth).sum(axis=1), found.sum(axis=1)
    precision = np.mean(hits / np.maximum(count, 1))  # of an empty look-up 0
    print(f"{loss!s:26}{precision:9.2f}{hits.mean() / 20:8.2f}{np.mean(count == 0):7.2f}")

hasher.save("look-up.hashlearn")
same = np.array_equal(hashlearn.load("look-up.hashlearn").encode(X), hasher.encode(X))
print(f"\nlook-up.hashlearn holds the last one; loaded, it gives the same codes: {same}")

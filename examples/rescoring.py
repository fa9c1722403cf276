"""Rescoring: a Hamming search finds candidates, which are ordered by margins or vectors.

Hamming distance is a coarse measure: many items are at the same distance. So a search can collect
more candidates than it returns, and reorder them. By margins: a bit with a small margin of the
query has a small weight, and no vectors are needed. By vectors: exact distances to the few
candidates, whose vectors may stay on disk. Codes are learned without labels here, by three
methods. The output shows the share of the 10 true nearest items (by comparing all vectors) that a
search returns, by the number of candidates.

    python examples/rescoring.py [--quick]
"""

import sys

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neighbors import NearestNeighbors

from hashlearn import HammingIndex, MarginRescoring, VectorRescoring, make_hasher

QUICK = "--quick" in sys.argv
N_ITEMS, N_QUERIES = (300, 100) if QUICK else (1500, 297)
N_BITS, K = 32, 10
OVERSAMPLE = 1, 2, 5, 10  # candidates, in multiples of K

X, queries = train_test_split(
    load_digits().data / 16, train_size=N_ITEMS, test_size=N_QUERIES, random_state=0
)
truth = NearestNeighbors(n_neighbors=K).fit(X).kneighbors(queries, return_distance=False)


def recall(found):
    """Return the share of the true neighbours that are among the found."""
    return np.mean([np.isin(*pair).mean() for pair in zip(truth, found, strict=True)])


print(f"{N_ITEMS} items, {N_QUERIES} queries, codes of {N_BITS} bits; recall at {K}\n")
print(f"{'candidates':16}" + "".join(f"{K * times:7}" for times in OVERSAMPLE))
for method, settings in {"lsh": {"center": True}, "itq": {}, "tsh": {}}.items():
    hasher = make_hasher(method, n_bits=N_BITS, random_state=0, **settings).fit(X)
    index = HammingIndex(N_BITS)
    index.add(hasher.encode(X))
    codes = hasher.encode(queries)
    ways = {
        "bits alone": None,
        "margins": MarginRescoring(hasher.decision_function(queries)),
        "vectors": VectorRescoring(queries, X),
    }
    for name, way in ways.items():
        found = [index.search(codes, K, rescore=way, oversample=times) for times in OVERSAMPLE]
        print(f"{method}, {name:11}" + "".join(f"{recall(ids):7.2f}" for _, ids in found))

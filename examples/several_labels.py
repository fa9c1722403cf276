"""Several labels per item: three rules of similarity, and the codes learned with each.

Each image is a strip of one to three handwritten digits, and its labels are the digits on it. By
the first rule two strips are similar if they share a digit; by the second, stricter one if the
Jaccard index of their label sets (digits on both, over digits on either) is at least 1/2; the third
is graded, the more they share the nearer. Strips with the same set of digits are exchangeable, so
Step 1 infers a code per set, not per item. The output shows what the codes of each rule find when
a shared digit, or a Jaccard index of 1/2, is asked for, and how well they order strips by the
number of digits in common (nDCG); then the label sets of the neighbours of a few queries. The
strips of the queries contain digit images that are in no training strip.

    python examples/several_labels.py [--quick]
"""

import sys

import numpy as np
from sklearn.datasets import load_digits

from hashlearn import TwoStepHasher, make_hasher
from hashlearn.affinity import MultilabelAffinity
from hashlearn.metrics import mean_average_precision, ndcg
from hashlearn.search import nearest_codes

QUICK = "--quick" in sys.argv
N_STRIPS, N_QUERIES = (250, 100) if QUICK else (1000, 300)
random = np.random.default_rng(0)
digits = load_digits()
shuffled = random.permutation(len(digits.target))


def make_strips(n, rows):
    """Return n strips of one to three of these digits as vectors, and their 0/1 indicator."""
    rows = random.choice(rows, (n, 3))
    drawn = random.permuted(np.arange(3) < random.integers(1, 4, (n, 1)), axis=1)
    strips = (digits.images[rows] / 16) * drawn[:, :, None, None]
    indicator = np.zeros((n, 10), dtype=int)
    strip, place = np.nonzero(drawn)
    indicator[strip, digits.target[rows[strip, place]]] = 1
    return strips.transpose(0, 2, 1, 3).reshape(n, -1), indicator


X, indicator = make_strips(N_STRIPS, shuffled[:1200])
queries, query_indicator = make_strips(N_QUERIES, shuffled[1200:])
shared = query_indicator @ indicator.T
jaccard = shared / (query_indicator.sum(axis=1)[:, None] + indicator.sum(axis=1) - shared)

by_sharing = TwoStepHasher(n_bits=32, similarity="shared", random_state=0).fit(X, indicator)
by_jaccard = TwoStepHasher(n_bits=32, random_state=0)
by_jaccard.fit(X, affinity=MultilabelAffinity(indicator, jaccard=0.5))
hashers = {
    "no labels (ITQ)": make_hasher("itq", n_bits=32, random_state=0).fit(X),
    "share a digit": by_sharing,
    "Jaccard of 1/2": by_jaccard,
    "graded, the default": TwoStepHasher(n_bits=32, random_state=0).fit(X, indicator),
}
n_groups = len(np.unique(by_jaccard.groups_))
print(f"{N_STRIPS} strips, {n_groups} label sets in Step 1, {N_QUERIES} queries")
print("\nlearned from \\ searched for  share a digit  Jaccard of 1/2   nDCG at 50")
for name, hasher in hashers.items():
    codes, query_codes = hasher.encode(X), hasher.encode(queries)
    sharing = mean_average_precision(query_codes, codes, shared > 0)
    alike = mean_average_precision(query_codes, codes, jaccard >= 0.5)
    ordered = ndcg(query_codes, codes, shared, k=50).mean()
    print(f"{name:28}{sharing:14.3f}{alike:16.3f}{ordered:13.3f}")

print("\ndigits of queries, and of the strips found by the graded codes")
for query, neighbours in enumerate(nearest_codes(query_codes[:5], codes, k=6)[1]):
    found = [np.flatnonzero(indicator[i]).tolist() for i in neighbours]
    print(f"{np.flatnonzero(query_indicator[query]).tolist()!s:>10}:", *found)

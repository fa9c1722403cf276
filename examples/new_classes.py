"""Few labels and new classes: one code for labelled digits and for digits without labels.

A database of handwritten digits has 30 labels for each digit below 7, and none for 7, 8 and 9.
Codes learned from the labels are better on the first kind of digits, codes learned from geometry
on the second, and mixed codes use some bits for each. Their numbers, and whether label bits are
also learned from unlabelled items, are chosen on the training items; the output shows the choices
and the reasons. Then some of the new digits get labels, and `partial_fit` learns from them without
the old items. Queries are digits that were not used in training, searched in the whole database.

    python examples/new_classes.py [--quick]
"""

import sys

import numpy as np
from sklearn.datasets import load_digits

from hashlearn import MixedHasher, TwoStepHasher, make_hasher
from hashlearn.hash_functions import KernelFeaturesHash
from hashlearn.metrics import mean_average_precision, relevance_from_labels

N_ITEMS = 700 if "--quick" in sys.argv else 1300
PER_CLASS, FIRST_NEW, UNLABELLED = 30, 7, -1
X, y = load_digits(return_X_y=True)
X, order = X / 16, np.random.default_rng(0).permutation(len(y))
items, queries = order[:N_ITEMS], order[1300:]


def first_of(classes):
    """Return the first items of each class."""
    return np.concatenate([items[y[items] == digit][:PER_CLASS] for digit in classes])


def show(name, hasher):
    """Print what queries of known and of new digits find among the first 100."""
    codes, found = hasher.encode(X[items]), []
    for which in (queries[y[queries] < FIRST_NEW], queries[y[queries] >= FIRST_NEW]):
        relevance = relevance_from_labels(y[which], y[items])
        pairs = hasher.encode(X[which]), codes, relevance
        found.append(mean_average_precision(*pairs, k=100, denominator="found"))
    print(f"{name:32}{found[0]:10.3f}{found[1]:10.3f}")


labelled, later = first_of(range(FIRST_NEW)), first_of(range(FIRST_NEW, 10))
known = np.where(np.isin(items, labelled), y[items], UNLABELLED)
print(f"{N_ITEMS} items, {labelled.size} of them with a label; {queries.size} queries")
print(f"\nmean average precision{'0 to 6':>20}{'7 to 9':>10}")
label_hasher = TwoStepHasher(32, hash_function=KernelFeaturesHash(100), random_state=0)
mixed = MixedHasher(32, label_hasher, random_state=0).fit(X[items], known)
decisions = "\n".join(mixed.decisions_)
show("labels alone (TSH)", label_hasher.fit(X[labelled], y[labelled]))
show("geometry alone (ITQ)", make_hasher("itq", n_bits=32, random_state=0).fit(X[items]))
show("mixed", mixed)
show(f"mixed, {later.size} labels of 7 to 9 later", mixed.partial_fit(X[later], y[later]))
print(f"\nwhat was decided, and why\n{decisions}")

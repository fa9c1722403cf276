"""The first hit of a search among equal codes: what `evaluate` says, and what `search` returns.

    python benchmarks/first_hits.py [--bits 64]

BANKING77: 10,003 questions, sorted by their 77 intents as in many files, and 3,080 queries. `tsh`
learns from the labels. The measure is the share of queries whose first hit has their intent: the
mean over all orders of ties; in the neutral order that `search` uses by default; in the order of
insertion; and after rescoring 10 or 100 candidates by margins or by vectors. The float vectors are
ranked by cosine.
"""

import argparse

import numpy as np

from data import text_embeddings
from hashlearn import HammingIndex, MarginRescoring, TwoStepHasher, VectorRescoring
from hashlearn.metrics import precision_at_k, relevance_from_labels


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--bits", type=int, default=64)
    bits = parser.parse_args().bits
    X, y = text_embeddings("banking77_train")
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    queries, labels = text_embeddings("banking77_test")
    hasher = TwoStepHasher(bits, random_state=0).fit(X, y)
    codes, asked = hasher.encode(X), hasher.encode(queries)
    index = HammingIndex(bits)
    index.add(codes)
    by_insertion = HammingIndex(bits, ties="insertion")
    by_insertion.add(codes)
    print(f"{len(X):,} items, {index.n_distinct:,} distinct codes of {bits} bits\n")

    relevance = relevance_from_labels(labels, y)
    print(f"{'mean over all orders':<24}{precision_at_k(asked, codes, relevance, 1).mean():.3f}")
    searches = {
        "search, neutral order": index.search(asked, 1),
        "search, insertion order": by_insertion.search(asked, 1),
    }
    margins = MarginRescoring(hasher.decision_function(queries))
    for name, rescoring in {"margins": margins, "vectors": VectorRescoring(queries, X)}.items():
        for n in (10, 100):
            found = index.search(asked, 1, rescore=rescoring, oversample=n)
            searches[f"{name}, {n} candidates"] = found
    for name, found in searches.items():
        print(f"{name:<24}{np.mean(y[found.ids[:, 0]] == labels):.3f}")
    print(f"{'float vectors':<24}{np.mean(y[np.argmax(queries @ X.T, axis=1)] == labels):.3f}")


if __name__ == "__main__":
    main()

"""Few labels of many classes: text embeddings, their codes from labels, and mixed codes.

    OPENBLAS_NUM_THREADS=1 python benchmarks/few_labels.py                  # samples of the sets
    OPENBLAS_NUM_THREADS=1 python benchmarks/few_labels.py --whole          # all items and queries

MiniLM embeddings (384 float32 numbers) of BANKING77 (77 classes), CLINC150 (150) and WordNet (45).
Of each class 5, 10 or 20 database items have labels. `tsh` learns 32 bits from these alone;
MixedHasher also gets the unlabelled items, with its defaults ("auto") and with bits from labels
only ("share=1"). Queries are the official test part, for WordNet 2,000 random items, and never part
of training; "float" ranks by cosine. MAP is over the whole ranking; ties count in expectation.

Times are those of the processor, on one thread.

Without --whole, the database is a sample of 8,000 items and there are 1,000 queries. --dev takes
queries from the database part instead of the test part, for choosing between rules.
"""

import argparse
import time
import warnings

import numpy as np

from data import text_embeddings
from hashlearn import MixedHasher, TwoStepHasher
from hashlearn.metrics import mean_average_precision, precision_at_k, relevance_from_labels

SETS = ("banking77", "clinc150", "wordnet")
N_BITS = 32
K = 10
N_ITEMS, N_QUERIES = 8_000, 1_000  # without --whole
WORDNET_QUERIES = 2_000
N_WARM = 300


def load(name, seed, whole, dev):
    """Return items and labels of the database, and those of the queries."""
    if name == "wordnet":
        X, y = text_embeddings("wordnet")
        order = np.random.default_rng(seed).permutation(y.size)
        queries, items = np.split(order, [WORDNET_QUERIES])
        X, y, Q, y_queries = X[items], y[items], X[queries], y[queries]
    else:
        X, y = text_embeddings(f"{name}_train")
        Q, y_queries = text_embeddings(f"{name}_test")
    random = np.random.default_rng(seed)
    items, queries = random.permutation(y.size), random.permutation(y_queries.size)
    if dev:
        split = np.split(items, [N_QUERIES])
        return draw(X, y, split[1], whole, N_ITEMS), draw(X, y, split[0], True, N_QUERIES)
    return draw(X, y, items, whole, N_ITEMS), draw(Q, y_queries, queries, whole, N_QUERIES)


def draw(X, y, order, whole, most):
    chosen = order if whole else order[:most]
    return X[chosen], y[chosen]


def hide_labels(y, n_labels, seed):
    """Return labels as numbers, with -1 for all but the first `n_labels` of each class."""
    order = np.random.default_rng(seed).permutation(y.size)
    numbers = np.unique(y, return_inverse=True)[1]
    known = np.full(y.size, -1)
    for number in range(numbers.max() + 1):
        chosen = order[numbers[order] == number][:n_labels]
        known[chosen] = number
    return known


def fit(way, X, known, seed):
    """Return a fitted hasher, and the processor's seconds of `fit`."""
    begin = time.process_time()
    if way == "tsh":
        hasher = TwoStepHasher(N_BITS, random_state=seed).fit(X[known >= 0], known[known >= 0])
    else:
        share = "auto" if way == "auto" else 1.0
        hasher = MixedHasher(N_BITS, share=share, random_state=seed).fit(X, known)
    return hasher, time.process_time() - begin


def measures(hasher, X, Q, relevance):
    """Return MAP and precision at 10 of codes."""
    codes = hasher.encode(Q), hasher.encode(X)
    return [
        mean_average_precision(*codes, relevance),
        np.nanmean(precision_at_k(*codes, relevance, K)),
    ]


def float_measures(X, y, Q, y_queries, block=500):
    """Return MAP and precision at 10 of the embeddings themselves."""
    found = []
    for start in range(0, len(Q), block):
        order = np.argsort(-(Q[start : start + block] @ X.T), axis=1, kind="stable")
        hits = y[order] == y_queries[start : start + block, None]
        precision = np.cumsum(hits, axis=1) / np.arange(1, y.size + 1)
        with np.errstate(invalid="ignore"):
            average = (precision * hits).sum(axis=1) / hits.sum(axis=1)
        found.append(np.column_stack([average, hits[:, :K].mean(axis=1)]))
    return np.nanmean(np.concatenate(found), axis=0)


def row(n_labels, way, values, seconds=None, ratio=None, hasher=None):
    cells = f"{n_labels or '':>6}  {way:8}" + "".join(f"{value:8.3f}" for value in values)
    if seconds is not None:
        cells += f"{seconds:9.1f}{ratio:7.1f}"
    if hasattr(hasher, "n_label_bits_"):
        n_spread = hasher.label_hasher_.codes_.shape[0]
        cells += f"  {hasher.n_label_bits_} label bits, learned from {n_spread:,} items"
    print(cells, flush=True)


def run(name, all_labels, arguments):
    """Print the table of a set; return how much MAP and precision "auto" has more than tsh."""
    gains = {}
    for seed in range(arguments.first_seed, arguments.first_seed + arguments.seeds):
        (X, y), (Q, y_queries) = load(name, seed, arguments.whole, arguments.dev)
        relevance = relevance_from_labels(y_queries, y)
        print(f"\n{name}, seed {seed}: {y.size:,} items, {len(Q):,} queries, {N_BITS} bits")
        print(f"labels  {'':8}{'MAP':>8}{'P@10':>8}{'fit s':>9}{'/ tsh':>7}")
        row("", "float", float_measures(X, y, Q, y_queries))
        for n_labels in all_labels:
            known, found = hide_labels(y, n_labels, seed), {}
            for way in arguments.ways.split(","):
                hasher, seconds = fit(way, X, known, seed)
                found[way] = (*measures(hasher, X, Q, relevance), seconds)
                ratio = seconds / found["tsh"][2]
                row(n_labels, way, found[way][:2], seconds, ratio, hasher)
            if "auto" in found:
                gain = np.subtract(found["auto"], found["tsh"])[:2]
                gains.setdefault((name, n_labels), []).append(gain)
    return gains


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--labels", default="5,10,20", help="labels of each class")
    parser.add_argument("--ways", default="tsh,share=1,auto", help="tsh first")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--whole", action="store_true", help="all items and all queries")
    parser.add_argument("--dev", action="store_true", help="queries from the database part")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    X, y = text_embeddings("banking77_test")
    for way in ("tsh", "auto"):  # load compiled code
        fit(way, X[:N_WARM], hide_labels(y[:N_WARM], 3, 0), 0)
    all_labels, gains = [int(n) for n in arguments.labels.split(",")], {}
    for name in arguments.sets.split(","):
        gains |= run(name, all_labels, arguments)
    print('\n"auto" less tsh, mean over seeds: MAP, precision at 10')
    for (name, n_labels), found in gains.items():
        print(
            f"{name:10}{n_labels:4} labels" + "".join(f"{v:+8.3f}" for v in np.mean(found, axis=0))
        )


if __name__ == "__main__":
    main()

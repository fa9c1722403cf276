"""Codes of text embeddings on classes that were kept out of training.

    python benchmarks/new_classes.py [--sets banking77,clinc150] [--bits 32,64] [--json FILE]
    python benchmarks/new_classes.py --classes 20 --cases later --seeds 100

MiniLM embeddings of questions by intent. Three tenths of the classes are kept out, drawn by the
seed. Methods learn from a random half of the official training part; the database is its other
half, with all classes, and the queries are the official test part: nothing is learned from either.
MAP is over whole rankings, ties in expectation, for queries of seen and of new classes; "float q."
ranks by the query's margins.

Two cases: "later", items of new classes come after training, and "unlabelled", those in the half
that is learned from are there without a label, which helps methods that learn geometry. All
parameters are defaults but the number of bits, the seed, and for mixed codes unlabelled="ignore"
and what a row names. Values are means over seeds. With --json every run adds a line to a file, and
runs in the file are not repeated: use a new file for new code.

With --classes, some classes of the official training part alone: two fifths of their items are
learned from, two fifths searched, one fifth asks. Where sums are the default was chosen there.
"""

import argparse
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np

import float_rankings
from class_splits import UNSEEN_SHARE
from data import DATA, text_embeddings
from hashlearn import make_hasher
from hashlearn.metrics import mean_average_precision, relevance_from_labels
from hashlearn.search import pack_codes
from results_file import Results

SETS = ("banking77", "clinc150")
CASES = ("later", "unlabelled")
ROWS = {
    "itq": ("itq", {}),
    "tsh": ("tsh", {}),
    "mixed concatenated": ("mixed", {"unlabelled": "ignore", "combine": "concatenate"}),
    "mixed share .5": ("mixed", {"unlabelled": "ignore", "combine": "concatenate", "share": 0.5}),
    "mixed sum": ("mixed", {"unlabelled": "ignore", "combine": "sum"}),
}
ONCE = ("float cosine", "tsh")  # the same in both cases
SHARES = (0.25, 0.375, 0.5, 0.625, 0.75, 0.875)  # of sums, beside the one that was chosen
COLUMNS = ("seen", "new", "float_seen", "float_new")


def load(name, seed):
    """Return items and labels (-1 for new classes) to learn from, the database and the queries."""
    X, y = text_embeddings(f"{name}_train")
    queries, labels = text_embeddings(f"{name}_test")
    classes, y = np.unique(y, return_inverse=True)
    labels = np.searchsorted(classes, labels)
    new = np.random.RandomState(seed).permutation(classes.size)
    new = new[: round(UNSEEN_SHARE * classes.size)]
    half = np.random.RandomState(1000 + seed).permutation(len(X)) < len(X) // 2
    known = np.where(np.isin(y[half], new), -1, y[half])
    return (X[half], known), (X[~half], y[~half]), (queries, labels), np.isin(labels, new)


def load_some(name, seed, n_classes):
    """Return the same of some classes, from the official training part alone."""
    X, y = text_embeddings(f"{name}_train")
    _, y = np.unique(y, return_inverse=True)
    random = np.random.RandomState(seed)
    classes = random.permutation(y.max() + 1)[:n_classes]
    new, kept = classes[: round(UNSEEN_SHARE * n_classes)], np.isin(y, classes)
    X, y = X[kept], y[kept]
    order = random.permutation(len(y))
    learned, items, asked = np.split(order, [2 * len(y) // 5, 4 * len(y) // 5])
    known = np.where(np.isin(y[learned], new), -1, y[learned])
    is_new = np.isin(y[asked], new)
    return (X[learned], known), (X[items], y[items]), (X[asked], y[asked]), is_new


def measure(row, n_bits, case, data, seed):
    """Return the quality of a row on queries of seen and of new classes."""
    (X, known), (items, y), (queries, labels), is_new = data
    sides = {"seen": ~is_new, "new": is_new}
    if row == "float cosine":
        return {
            name: round(_by_floats(queries[side] @ -items.T, labels[side], y), 4)
            for name, side in sides.items()
        }
    method, params = ROWS[row]
    hasher = make_hasher(method, n_bits=n_bits).set_params(random_state=seed, **params)
    begin = time.perf_counter()
    taken = known >= 0 if case == "later" or row == "tsh" else slice(None)
    with warnings.catch_warnings(action="ignore"):
        hasher.fit(X[taken], known[taken] if hasher.supervised else None)
    found = {"fit_seconds": round(time.perf_counter() - begin, 1)}
    if hasattr(hasher, "decisions_"):
        found["why"] = hasher.decisions_[0]
        found["share"] = hasher.share_
    codes = hasher.encode(items)
    if row == "mixed sum":
        found["frontier"] = frontier(hasher, data)
    for name, side in sides.items():
        relevance = relevance_from_labels(labels[side], y)
        by_bits = mean_average_precision(hasher.encode(queries[side]), codes, relevance)
        distances = hasher.encode_queries(queries[side]).distances(codes)
        found[name] = round(float(by_bits), 4)
        found[f"float_{name}"] = round(_by_floats(distances, labels[side], y), 4)
    return found


def frontier(hasher, data):
    """Return the quality on seen and on new classes of other shares of the same sum."""
    _, (items, y), (queries, labels), is_new = data
    relevances = [relevance_from_labels(labels[side], y) for side in (~is_new, is_new)]
    of_items, of_queries = (margins(hasher, X) for X in (items, queries))
    found = []
    for share in SHARES:
        codes = pack_codes(hasher.sum_.added(*of_items, share) > 0)
        asked = pack_codes(hasher.sum_.added(*of_queries, share) > 0)
        maps = (
            mean_average_precision(asked[side], codes, relevance)
            for side, relevance in zip((~is_new, is_new), relevances, strict=True)
        )
        found.append((share, *(round(float(value), 4) for value in maps)))
    return found


def margins(hasher, X):
    """Return the margins of both parts of a sum."""
    in_metric = hasher.sum_.metric_.apply(X)
    return (
        hasher.label_hasher_.decision_function(X),
        hasher.geometry_hasher_.decision_function(in_metric),
    )


def _by_floats(distances, labels, y):
    """Return the mean average precision of rankings by distances."""
    return float(float_rankings.measures(lambda rows: distances[rows], labels, y)[0])


def run(name, all_bits, rows, cases, seeds, results, n_classes):
    """Measure the rows on a set, and print a table of the means."""
    lines = {}
    for seed in seeds:
        data = load(name, seed) if n_classes is None else load_some(name, seed, n_classes)
        for n_bits in all_bits:
            for row in rows:
                for case in CASES[:1] if row in ONCE else cases:
                    n = None if row == "float cosine" else n_bits
                    key = {"set": name, "row": row, "bits": n, "case": case, "seed": seed}
                    key |= {} if n_classes is None else {"classes": n_classes}
                    line = results.line(key, partial(measure, row, n_bits, case, data, seed))
                    lines.setdefault((n_bits, row, case), []).append(line)
    head = "".join(f"{column:>12}" for column in COLUMNS)
    print(f"\n{name}, seeds {seeds}\n{'':44}{head}{'fit s':>8}")
    for (n_bits, row, case), of_row in lines.items():
        means = (
            np.mean([line[c] for line in of_row]) if c in of_row[0] else np.nan for c in COLUMNS
        )
        cells = "".join(f"{value:12.3f}" for value in means)
        seconds = np.mean([line.get("fit_seconds", 0) for line in of_row])
        where = "" if row in ONCE else case
        print(f"{n_bits:3} bits  {row:22} {where:12}{cells}{seconds:8.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--bits", default="32,64")
    parser.add_argument("--rows", default=",".join(("float cosine", *ROWS)))
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--classes", type=int, help="of the training part; default: the protocol")
    parser.add_argument("--json", type=Path, metavar="FILE", help="a file of runs to go on with")
    arguments = parser.parse_args()
    if not (DATA / "embeddings").is_dir():
        parser.error(f"HASHLEARN_DATA is not set or {DATA / 'embeddings'} is missing")
    all_bits, seeds = (
        [int(n) for n in text.split(",")] for text in (arguments.bits, arguments.seeds)
    )
    results = Results(arguments.json)
    for name in arguments.sets.split(","):
        rows, cases = arguments.rows.split(","), arguments.cases.split(",")
        run(name, all_bits, rows, cases, seeds, results, arguments.classes)


if __name__ == "__main__":
    main()

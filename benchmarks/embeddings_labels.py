"""Labelled half of embeddings.py: questions by intent (BANKING77, CLINC150), images by class.

The database is the official training part, which is also what is learned from, and the queries are
the official test part: 2,000 of it, drawn at random, for CIFAR-10, whose features are
EfficientNet's. A second fit of every way keeps three tenths of the classes out, drawn at random;
then the queries are those of these classes, and the database is the same, with all classes.

MAP is over the whole ranking, P@10 the precision of the first ten; ties in expectation. "float q."
ranks by the query's margins against the codes. "by class" takes the code of its class for every
item of a class that was learned, and the hash function for the others. The classifier's row ranks
items of the predicted class first. tsh-sample learns from half of the database, at most 15,000
items, drawn at random. All parameters are the defaults; C of the classifier is chosen
by cross-validation. Seconds are processor time on one thread, microseconds those to encode an
item. Bytes are all that is kept per item. Values are means over seeds, which draw what is random,
CIFAR-10's queries and the classes that are kept out.
"""

import time
import warnings
from functools import cache, partial

import numpy as np
from threadpoolctl import threadpool_limits

import embeddings_peers as peers
import float_rankings
from class_splits import UNSEEN_SHARE
from data import image_embeddings, text_embeddings
from hashlearn import make_hasher
from hashlearn.metrics import mean_average_precision, precision_at_k, relevance_from_labels

SETS = ("banking77", "clinc150", "cifar10")
BITS = (16, 32, 64, 128)
HASHERS = ("tsh", "mixed", "itq-cca", "sdh", "ksh", "itq")
_MOST_QUERIES = 2_000  # of CIFAR-10
_MOST_LEARNED = 15_000  # of tsh-sample
_LEAST_RABITQ = 16  # bytes, of which 8 are not bits


def load(name, seed):
    """Return the training part as database, and queries; each with labels."""
    if name != "cifar10":
        return *text_embeddings(f"{name}_train"), *text_embeddings(f"{name}_test")
    X, y = image_embeddings()
    queries = 50_000 + np.random.RandomState(seed).permutation(10_000)[:_MOST_QUERIES]
    return X[:50_000], y[:50_000], X[queries], y[queries]


def ways(all_bits, seed):
    """Yield name, number of bits (None if it is not chosen) and a function that makes it."""
    yield "float cosine", None, peers.Cosine
    yield "sign bits", None, peers.SignBits
    yield "rabitq-all", None, partial(peers.Faiss, "RR{d},RaBitQ", seed)
    yield "lda floats", None, peers.LDA
    yield "classifier", None, partial(peers.ClassLabel, seed)
    for bits in all_bits:
        yield "opq+pq", bits, partial(peers.ProductQuantiser, bits // 8, seed)
        if bits // 8 >= _LEAST_RABITQ:
            yield "rabitq", bits, partial(peers.rabitq, bits // 8, seed)
        for method in HASHERS:
            make = partial(make_hasher, method, n_bits=bits, random_state=seed)
            yield method, bits, make
            if method == "tsh":
                yield "tsh-sample", bits, partial(FewLearned, make, seed)


class FewLearned:
    """A hasher that learns from half of the items, at most 15,000: the others are new to it."""

    def __init__(self, make, seed):
        self.hasher, self.seed = make(), seed

    def fit(self, X, y):
        order = np.random.RandomState(self.seed).permutation(len(X))
        learned = order[: min(len(X) // 2, _MOST_LEARNED)]
        self.hasher.fit(X[learned], y[learned])

    def __getattr__(self, name):
        return getattr(self.hasher, name)


def measure(make, X, y, queries, labels, seed):
    """Return the results of a way, on all classes and on classes kept out."""
    way, times = fitted(make(), X, y)
    known = np.ones(y.size, dtype=bool)
    found, per_item = quality(way, X, y, known, queries, labels)
    stored = n_bytes(way)
    classes = np.random.RandomState(seed).permutation(np.unique(y))
    kept_out = classes[: round(UNSEEN_SHARE * classes.size)]
    known, new = ~np.isin(y, kept_out), np.isin(labels, kept_out)
    way = fitted(make(), X[known], y[known])[0]
    unseen, _ = quality(way, X, y, known, queries[new], labels[new])
    return {
        "bytes": stored,
        "fit_seconds": round(times, 2),
        "encode_microseconds": round(per_item, 2),
        **found,
        **{f"unseen_{name}": value for name, value in unseen.items()},
    }


def fitted(way, X, y):
    """Return a fitted way, and the seconds of `fit`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        begin = time.process_time()
        way.fit(X, y)
    return way, time.process_time() - begin


def quality(way, X, y, known, queries, labels):
    """Return MAP and precision at 10 of each kind of ranking, and microseconds to encode."""
    begin = time.process_time()
    stored = way.encode(X) if hasattr(way, "encode") else way.store(X)
    per_item = 1e6 * (time.process_time() - begin) / len(X)
    if not hasattr(way, "encode"):
        of_floats = float_rankings.measures(
            lambda rows: way.distances(queries[rows], stored), labels, y
        )
        return named("", of_floats), per_item
    found = code_measures("", way, stored, y, queries, labels)
    if hasattr(way, "encode_labels"):
        by_class = np.array(stored)
        by_class[known] = way.encode_labels(y[known])
        found |= code_measures("class_", way, by_class, y, queries, labels)
    return found, per_item


def code_measures(prefix, way, codes, y, queries, labels):
    """Return the measures of queries' codes, and of their margins, against codes."""
    args = way.encode(queries), np.asarray(codes), relevance_from_labels(labels, y)
    by_bits = [
        measure(*args, n_bits=way.n_bits)
        for measure in (mean_average_precision, partial(precision_at_k, k=float_rankings.K))
    ]
    distinct, groups = np.unique(codes, axis=0, return_inverse=True)
    floats = way.encode_queries(queries)
    by_margins = float_rankings.measures(
        lambda rows: floats[rows].distances(distinct), labels, y, groups.ravel()
    )
    means = [float(np.mean(value)) for value in by_bits]
    return named(prefix, means) | named(f"{prefix}float_", by_margins)


def named(prefix, values):
    names = "map", "p10"
    return {
        f"{prefix}{name}": round(float(value), 4) for name, value in zip(names, values, strict=True)
    }


def n_bytes(way):
    if isinstance(way, peers.ClassLabel):
        return 1 if way.n_bits <= 256 else 2
    return way.bytes if hasattr(way, "bytes") else -(-way.n_bits // 8)


COLUMNS = {
    "map": "MAP",
    "p10": "P@10",
    "float_map": "float q.",
    "float_p10": "P@10",
    "class_float_map": "by class",
    "class_float_p10": "P@10",
    "unseen_map": "new MAP",
    "unseen_p10": "P@10",
    "unseen_float_map": "float q.",
    "unseen_float_p10": "P@10",
}


@cache
def warm_up(methods):
    """Load compiled code, so that it is not part of the first run's time."""
    X, y, queries, labels = load("banking77", 0)
    for method in methods:
        make = partial(make_hasher, method, n_bits=16, random_state=0)
        measure(make, X[::10], y[::10], queries[::10], labels[::10], 0)


def run(name, all_bits, n_seeds, results, methods=None):
    """Measure ways on a set, by default all of them, and print a table of the means."""
    lines = {}
    with threadpool_limits(1):
        peers.faiss.omp_set_num_threads(1)
        warm_up(tuple(method for method in HASHERS if not methods or method in methods))
        for seed in range(n_seeds):
            data = load(name, seed)
            for method, bits, make in ways(all_bits, seed):
                if methods and method not in methods:
                    continue
                key = {"set": name, "method": method, "bits": bits, "seed": seed}
                line = results.line(key, partial(measure, make, *data, seed))
                lines.setdefault((bits, method), []).append(line)
    show(name, lines)


def show(name, lines):
    head = "".join(f"{title:>15}" for title in COLUMNS.values())
    print(f"\n{name}; means, and standard deviations over seeds where there are several")
    print(f"{'':23}{'bits':>5}{'bytes':>6}{head}{'fit s':>8}{'µs':>8}")
    for (bits, method), runs in sorted(lines.items(), key=lambda item: item[0][0] or 0):
        cells = "".join(f"{spread(runs, column):>15}" for column in COLUMNS)
        fit, encode = (
            np.mean([r[c] for r in runs]) for c in ("fit_seconds", "encode_microseconds")
        )
        print(
            f"{method:23}{bits or '':>5}{runs[0]['bytes']:>6}{cells}{fit:8.1f}{encode:8.1f}",
            flush=True,
        )


def spread(lines, column):
    if column not in lines[0]:
        return ""
    values = [line[column] for line in lines]
    return f"{np.mean(values):.3f}" + (f" ± {np.std(values):.3f}" if len(values) > 1 else "")

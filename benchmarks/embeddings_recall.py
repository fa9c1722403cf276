"""Half of embeddings.py without labels: how many of the true neighbours do short codes find?

WordNet's entries by MiniLM (117,791 of 384 numbers) and CIFAR-10's images by EfficientNet (60,000
of 1,280). The seed draws 1,000 queries; the others are the database, and what is learned from. The
measure is the share of the 10 nearest items by cosine that are among the first 10 found. All ways
get rows of length 1.

Bytes are all that is kept per item: `bae` has 8 bits less for the byte of its length, RaBitQ two
numbers of 4 bytes and after PCA the bits that are left; PQ of 4 bits ("fastscan") has two
parts per byte. faiss and `bae` learn from 30,000 items. "float q." has queries that are not
rounded. All parameters are the defaults. Seconds are processor time.
"""

import time
from functools import partial

import numpy as np

import embeddings_peers as peers
from data import image_embeddings, text_embeddings
from hashlearn import HammingIndex, make_hasher

SETS = ("wordnet", "cifar10")
BITS = (128, 256, 384, 512, 768)  # per item, with everything
WAYS = ("sign bits", "rabitq-all", "pq fastscan", "opq+pq", "rabitq", "itq", "itq float q.", "bae")
N_QUERIES, K = 1_000, 10
N_LEARNED = 30_000


def load(name, seed):
    """Return the rows of the database and of the queries, of length 1."""
    X = peers.unit(text_embeddings("wordnet")[0] if name == "wordnet" else image_embeddings()[0])
    order = np.random.RandomState(seed).permutation(len(X))
    return X[order[N_QUERIES:]], X[order[:N_QUERIES]]


def ways(all_bits, n_features, seed):
    """Yield name, bits per item (None if they are not chosen) and a function that measures."""
    faiss = partial(Faiss, seed=seed, n_learned=N_LEARNED)
    yield "sign bits", None, partial(by_codes, peers.SignBits, floats=False)
    yield "rabitq-all", None, partial(by_faiss, faiss, f"RR{n_features},RaBitQ")
    for bits in all_bits:
        n = bits // 8
        yield "pq fastscan", bits, partial(by_faiss, faiss, f"PQ{2 * n}x4fs")
        rotated = min(n_features, 16 * n)
        yield "opq+pq", bits, partial(by_faiss, faiss, f"OPQ{n}_{rotated},PQ{n}x8")
        if 8 * (n - 8) <= n_features:
            yield "rabitq", bits, partial(by_faiss, faiss, f"PCAR{8 * (n - 8)},RaBitQ")
        if bits <= n_features:
            itq = partial(make_hasher, "itq", n_bits=bits, random_state=seed)
            yield "itq", bits, partial(by_codes, itq, floats=False)
            yield "itq float q.", bits, partial(by_codes, itq, floats=True)
        bae = partial(make_hasher, "bae", n_bits=bits - 8, random_state=seed)
        yield "bae", bits, partial(by_codes, bae, floats=True, beside=1)


class Faiss(peers.Faiss):
    """A faiss index that returns the nearest."""

    def nearest(self, queries):
        return self.index.search(queries, K)[1]


def by_faiss(make, factory, X, queries, nearest):
    """Measure a faiss index."""
    begin = time.process_time()
    way = make(factory).fit(X, None)
    fit = time.process_time() - begin
    begin = time.process_time()
    way.store(X)
    encode = time.process_time() - begin
    return line(way.nearest(queries), nearest, way.bytes, fit, len(X) / encode)


def by_codes(make, X, queries, nearest, floats, beside=0):
    """Measure packed codes, by Hamming distance or float queries; with bytes beside the bits."""
    begin = time.process_time()
    way = make()
    way.fit(X, None)
    fit = time.process_time() - begin
    begin = time.process_time()
    codes = way.encode(X)
    encode = time.process_time() - begin
    index = HammingIndex(way.n_bits)
    index.add(codes)
    asked = way.encode_queries(queries) if floats else way.encode(queries)
    return line(index.search(asked, K).ids, nearest, codes.shape[1] + beside, fit, len(X) / encode)


def line(found, nearest, n_bytes, fit, rate):
    recall = np.mean([np.isin(a, b).mean() for a, b in zip(nearest, found, strict=True)])
    return {
        "bytes": int(n_bytes),
        "recall": round(float(recall), 4),
        "fit_seconds": round(fit, 1),
        "encoded_per_second": round(rate),
    }


def true_nearest(X, queries):
    """Return the K nearest items of each query by cosine."""
    parts = [np.argpartition(-(rows @ X.T), K, axis=1)[:, :K] for rows in np.split(queries, 10)]
    return np.concatenate(parts)


def run(name, all_bits, n_seeds, results, methods=None):
    """Measure ways on a set, by default all of them, and print a table of the means."""
    lines = {}
    peers.faiss.omp_set_num_threads(1)
    for seed in range(n_seeds):
        X, queries = load(name, seed)
        nearest = true_nearest(X, queries)
        for method, bits, measure in ways(all_bits, X.shape[1], seed):
            if methods and method not in methods:
                continue
            key = {"set": name, "method": method, "bits": bits, "seed": seed}
            found = results.line(key, partial(measure, X, queries, nearest))
            lines.setdefault((bits or 0, WAYS.index(method)), []).append(found)
    show(name, lines)


def show(name, lines):
    print(f"\n{name}: recall at {K} of the neighbours by cosine; means and deviations over seeds")
    print(f"{'':14}{'bytes':>7}{'recall':>16}{'fit s':>8}{'encoded/s':>11}")
    for (_, way), runs in sorted(lines.items()):
        recall = [run["recall"] for run in runs]
        fit, rate = (np.mean([r[c] for r in runs]) for c in ("fit_seconds", "encoded_per_second"))
        print(
            f"{WAYS[way]:14}{runs[0]['bytes']:>7}{np.mean(recall):>10.3f} ± {np.std(recall):.3f}"
            f"{fit:8.1f}{rate:11,.0f}",
            flush=True,
        )

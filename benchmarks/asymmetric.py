"""Float queries against codes of a million embeddings, beside faiss's fast scans of equal bytes.

    python benchmarks/asymmetric.py [--items 1000000] [--methods itq bae] [--opq]
    python benchmarks/asymmetric.py --repeated 100

1,000 WordNet embeddings (MiniLM, 384 floats of length 1) are the queries. The items are all others,
and more of their kind up to a million: a real embedding plus half the difference of two others,
scaled to length 1. Recall is the share of the 10 nearest by cosine among the 10 found. Everything
is learned from 20,000 items; nothing that decides what is found is chosen by these queries. (The
number of bit planes in the scan, which changes its speed alone, was tried on some of them.)

Bytes are all that is stored per item: bits, the length's byte of `bae`, and the 8 bytes of factors
of RaBitQ, which sees the first principal components (rotated at random) that fill the rest. Times
are from vectors of queries to positions, best of several rounds in which all take turns, with the
same number of threads. A lone query's is the median of 300, one after the other, 100 in each round;
before them is a pause, because threads of faiss keep a core busy for a while after a search.

With --repeated N every code stands N times, and layouts that know it are compared with a plain one.
"""

import argparse
import time
import warnings

import faiss
import numba
import numpy as np

from data import text_embeddings
from hashlearn import HammingIndex, make_hasher

K, N_QUERIES, N_TRAINING, N_LONE, ROUNDS = 10, 1_000, 20_000, 100, 3
N_WARM, PAUSE = 10, 0.5  # queries before those that are timed, and seconds before these
BYTES = (8, 12, 16, 24, 32, 48)
BLOCK = 1 << 16


def more_of_a_kind(real, n, random):
    """Return n vectors: a real one plus half the difference of two others, of length 1."""
    made = np.empty((n, real.shape[1]), dtype=np.float32)
    for start in range(0, n, BLOCK):
        block = made[start : start + BLOCK]
        one, two, three = random.integers(0, len(real), (3, len(block)))
        block[:] = real[one] + (real[two] - real[three]) / 2
        block /= np.linalg.norm(block, axis=1, keepdims=True)
    return made


def million(n, seed=0):
    """Return queries and items."""
    random = np.random.default_rng(seed)
    X = random.permutation(text_embeddings("wordnet")[0])
    real = X[N_QUERIES : N_QUERIES + n]
    return X[:N_QUERIES], np.concatenate([real, more_of_a_kind(real, n - len(real), random)])


def true_neighbours(queries, items):
    """Return the positions of the K nearest by cosine."""
    index = faiss.IndexFlatIP(items.shape[1])
    index.add(items)
    return index.search(queries, K)[1]


class Ours:
    """A hasher's codes in an index, searched by float queries."""

    def __init__(self, method, n_bytes, training, items):
        has_length = method == "bae"
        hasher = make_hasher(method, n_bits=8 * (n_bytes - has_length), random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # 384 bits of 381 directions
            self.hasher = hasher.fit(training)
        self.index = HammingIndex(self.hasher.n_bits, ties="insertion")
        self.index.add(self.hasher.encode(items))
        self.name, self.n_bytes = f"hashlearn {method}", n_bytes

    def search(self, queries):
        return self.index.search(self.hasher.encode_queries(queries), K).ids


class Peer:
    """A fast scan of faiss."""

    def __init__(self, name, n_bytes, index, training, items):
        self.name, self.n_bytes, self.index = name, n_bytes, index
        index.train(training)
        for start in range(0, len(items), BLOCK):
            index.add(items[start : start + BLOCK])

    def search(self, queries):
        return self.index.search(queries, K)[1]


def peers(training, items, with_opq):
    """Return the fast scans of faiss, after what prepares vectors for them."""
    d, metric = items.shape[1], faiss.METRIC_INNER_PRODUCT
    for n_bytes in BYTES:
        pq = faiss.IndexPQFastScan(d, 2 * n_bytes, 4, metric)
        yield Peer("faiss PQFastScan", n_bytes, pq, training, items)
        if with_opq:
            rotation = faiss.OPQMatrix(d, 2 * n_bytes)
            rotation.niter = 10
            pq = faiss.IndexPQFastScan(d, 2 * n_bytes, 4, metric)
            opq = faiss.IndexPreTransform(rotation, pq)
            yield Peer("faiss OPQ + PQFastScan", n_bytes, opq, training, items)
        if n_bytes > 8:
            kept = 8 * (n_bytes - 8)
            directions = faiss.PCAMatrix(d, kept, 0, True)
            rabitq = faiss.IndexRaBitQFastScan(kept, metric)
            index = faiss.IndexPreTransform(directions, rabitq)
            yield Peer("faiss PCA + RaBitQFastScan", n_bytes, index, training, items)


def measure(contenders, queries):
    """Return seconds of all queries and of a lone one, by contender; all take turns."""
    together = np.full(len(contenders), np.inf)
    lone = np.empty((len(contenders), ROUNDS, N_LONE))
    for r in range(ROUNDS):
        for c, contender in enumerate(contenders):
            contender.search(queries[:2])
            begin = time.perf_counter()
            contender.search(queries)
            together[c] = min(together[c], time.perf_counter() - begin)
            time.sleep(PAUSE)
            for i in range(-N_WARM, N_LONE):
                begin = time.perf_counter()
                contender.search(queries[i % N_LONE : i % N_LONE + 1])
                lone[c, r, i] = time.perf_counter() - begin
    return together, np.median(lone, axis=(1, 2))


def compare(contenders, recalls, together, lone):
    """Print, for each size, how much faster ours is where it reaches the better peer's recall."""
    ours = [c for c, contender in enumerate(contenders) if isinstance(contender, Ours)]
    print("\nat the recall that the better peer reaches:")
    for n_bytes in BYTES:
        rivals = [
            c
            for c, contender in enumerate(contenders)
            if c not in ours and contender.n_bytes == n_bytes
        ]
        best = max(rivals, key=lambda c: recalls[c])
        reaching = [c for c in ours if recalls[c] >= recalls[best]]
        text = f"{contenders[best].name}, {n_bytes} bytes, recall {recalls[best]:.3f}: "
        if not reaching:
            print(text + "not reached")
            continue
        c, alone = (min(reaching, key=lambda c, t=times: t[c]) for times in (together, lone))
        print(
            f"{text}{contenders[c].name}, {contenders[c].n_bytes} bytes, {recalls[c]:.3f}, is "
            f"{together[best] / together[c]:.1f} times as fast; a lone query "
            f"{lone[best] / lone[alone]:.1f} times"
        )


def layouts(items, training, queries, n_repeats):
    """Print the queries per second of both layouts, for codes that repeat."""
    hasher = make_hasher("itq", n_bits=128, random_state=0).fit(training)
    codes = np.tile(hasher.encode(items[: len(items) // n_repeats]), (n_repeats, 1))
    seconds = {}
    for layout in ("plain", "bucketed"):
        index = HammingIndex(128, layout=layout)
        index.add(codes)
        index.search(hasher.encode_queries(queries[:2]), K)
        times = []
        for _ in range(ROUNDS):
            begin = time.perf_counter()
            index.search(hasher.encode_queries(queries), K)
            times.append(time.perf_counter() - begin)
        seconds[layout] = min(times)
        print(f"{layout:10}{N_QUERIES / seconds[layout]:9,.0f} queries/s")
    ratio = seconds["plain"] / seconds["bucketed"]
    print(
        f"{len(codes):,} codes, each {n_repeats} times: bucketed {ratio:.0f} times as fast as plain"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--methods", nargs="+", default=["itq", "bae"])
    parser.add_argument("--repeated", type=int, metavar="N", help="compare layouts instead")
    parser.add_argument("--opq", action="store_true", help="PQ after OPQ too, which trains long")
    arguments = parser.parse_args()
    n_threads = numba.get_num_threads()
    faiss.omp_set_num_threads(n_threads)
    queries, items = million(arguments.items)
    training = items[np.random.default_rng(1).permutation(len(items))[:N_TRAINING]]
    if arguments.repeated:
        layouts(items, training, queries, arguments.repeated)
        return
    truth = true_neighbours(queries, items)
    contenders = list(peers(training, items, arguments.opq))
    for method in arguments.methods:
        contenders += [Ours(method, n_bytes, training, items) for n_bytes in BYTES]
    print(f"{len(items):,} items, {N_QUERIES:,} queries, {n_threads} threads, k={K}")
    together, lone = measure(contenders, queries)
    recalls = []
    print(f"\n{'':28}{'bytes':>6}{'recall':>8}{'queries/s':>11}{'lone ms':>9}")
    for c, contender in enumerate(contenders):
        found = contender.search(queries)
        pairs = zip(truth, found, strict=True)
        recalls.append(np.mean([np.isin(*pair).mean() for pair in pairs]))
        print(
            f"{contender.name:28}{contender.n_bytes:6}{recalls[c]:8.3f}"
            f"{N_QUERIES / together[c]:11,.0f}{1000 * lone[c]:9.2f}"
        )
    compare(contenders, recalls, together, lone)


if __name__ == "__main__":
    main()

"""Multi-index hashing compared with scanning all codes and with faiss, with the same threads.

    python benchmarks/multi_index.py [--only random|clustered]

Both of ours and faiss.IndexBinaryFlat are exact and give the same results. Also
faiss.IndexBinaryMultiHash at radius 2, where it is exact: it has a table for each of three parts
of a code, one of which must agree. Best of several runs each, after one that is not counted; ours
alternate, so that neither finds its data in the cache. faiss runs once. Clustered codes are random
centres with 200 codes around each, with every bit flipped with probability 1/32, and so are the
queries.
"""

import argparse

import faiss
import numpy as np

from hashlearn import HammingIndex
from hashlearn._numerics.threads import n_threads
from timing import best_time

N_QUERIES = 200
MILLION = 1_000_000
CODES_PER_CENTRE = 200
SIZES = [(64, MILLION), (64, 10 * MILLION), (128, MILLION), (128, 10 * MILLION), (256, MILLION)]
COLUMNS = ("scan ms", "multi ms", "scan/multi", "faiss ms", "faiss/multi")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=KINDS, help="one kind of codes")
    only = parser.parse_args().only
    faiss.omp_set_num_threads(n_threads())
    print(f"{n_threads()} threads, {N_QUERIES} queries unless said otherwise")
    ratios = []
    for kind, draw in KINDS.items():
        if only in (None, kind):
            for n_bits, n in SIZES:
                ratios += compare(kind, *draw(n, n_bits // 64), n_bits)
    print(f"\nsmallest scan/multi: {min(ratios):.2f}x")


def compare(kind, codes, queries, n_bits):
    """Time all searches on one set of codes; return the ratios of scan to multi-index."""
    plain = HammingIndex(n_bits, layout="plain")
    multi = HammingIndex(n_bits, layout="multi-index")
    for index in (plain, multi):
        index.add(codes)
        build_seconds, layout = best_time(lambda index=index: index._contents.layout, 1)
    n_bytes = (layout.starts.nbytes + layout.items.nbytes) / len(codes)
    print(
        f"\n{kind} codes of {n_bits} bits, {len(codes):,}: {len(layout.items)} tables, built in "
        f"{build_seconds:.2f} s, {n_bytes:.0f} bytes an item beside the code's {n_bits // 8}"
    )
    print(f"{'':20}" + "".join(f"{column:>13}" for column in COLUMNS))
    flat = faiss.IndexBinaryFlat(n_bits)
    flat.add(codes)
    flat.search(queries[:1], 1)
    ratios = []
    for radius in (2, 4, 8):
        peer, (_, distances, _) = best_time(
            lambda radius=radius: flat.range_search(queries, radius + 1), 1
        )
        seconds, (plain_hits, hits) = time_both("radius_search", plain, multi, queries, radius)
        assert hits.distances.sum() == distances.sum()
        assert all(map(np.array_equal, hits, plain_hits))
        ratios.append(row(f"radius {radius}", *seconds, peer))
    for k in (10, 100):
        peer, (distances, _) = best_time(lambda k=k: flat.search(queries, k), 1)
        seconds, (plain_found, found) = time_both("search", plain, multi, queries, k)
        assert np.array_equal(found.distances, distances)
        assert np.array_equal(found.ids, plain_found.ids)
        ratios.append(row(f"k = {k}", *seconds, peer))
    peer, _ = best_time(lambda: [flat.search(query, 10) for query in queries[:9, None]], 1)
    seconds, _ = time_both("search", plain, multi, queries[:9, None], 10, singly=True)
    ratios.append(row("k = 10, one query", *(s / 9 for s in seconds), peer / 9))
    if n_bits == 64 and len(codes) == MILLION:
        compare_multi_hash(codes, queries, multi)
    return ratios


def time_both(method, plain, multi, queries, parameter, singly=False):
    """Return the best times and the results of the scan and of the multi-index, alternating."""

    def run(index):
        search = getattr(index, method)
        return [search(q, parameter) for q in queries] if singly else search(queries, parameter)

    indexes = plain, multi
    runs = [[best_time(lambda index=index: run(index), 1) for index in indexes] for _ in range(6)]
    results = [result for _, result in runs[0]]
    return [min(run[i][0] for run in runs[1:]) for i in range(2)], results


def compare_multi_hash(codes, queries, multi):
    """Time faiss's own multi-index at radius 2."""
    peer = faiss.IndexBinaryMultiHash(64, 3, 21)
    build_seconds, _ = best_time(lambda: peer.add(codes), 1)
    peer_seconds, (limits, _, _) = best_time(lambda: peer.range_search(queries, 3), 3)
    seconds, hits = best_time(lambda: multi.radius_search(queries, 2), 5)
    assert np.array_equal(limits, hits.offsets)
    print(
        f"radius 2, faiss.IndexBinaryMultiHash: built in {build_seconds:.1f} s, "
        f"{1000 * peer_seconds:.2f} ms, {peer_seconds / seconds:.1f}x ours; "
        f"{limits[-1]} of {hits.offsets[-1]} hits"
    )


def random_codes(n, n_words):
    random = np.random.default_rng(0)
    return as_bytes(random_words(random, n, n_words)), as_bytes(
        random_words(random, N_QUERIES, n_words)
    )


def clustered_codes(n, n_words):
    random = np.random.default_rng(0)
    centres = random_words(random, n // CODES_PER_CENTRE, n_words)

    def around_centres(n):
        noise = random_words(random, n, n_words)
        for _ in range(4):  # five random bits are all set once in 32 times
            noise &= random_words(random, n, n_words)
        return as_bytes(noise ^ centres[random.integers(0, len(centres), n)])

    return around_centres(n), around_centres(N_QUERIES)


def random_words(random, n, n_words):
    return random.integers(0, 2**64, (n, n_words), dtype=np.uint64)


def as_bytes(words):
    return words.view(np.uint8)


def row(name, seconds, multi_seconds, peer_seconds):
    """Print one row; return the ratio of scan to multi-index."""
    ratio = seconds / multi_seconds
    cells = (
        f"{1000 * seconds:.3f}",
        f"{1000 * multi_seconds:.3f}",
        f"{ratio:.2f}x",
        f"{1000 * peer_seconds:.2f}",
        f"{peer_seconds / multi_seconds:.1f}x",
    )
    print(f"{name:20}" + "".join(f"{cell:>13}" for cell in cells), flush=True)
    return ratio


KINDS = {"random": random_codes, "clustered": clustered_codes}

if __name__ == "__main__":
    main()

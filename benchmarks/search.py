"""Search compared with faiss.IndexBinaryFlat and usearch's exact search, with the same threads.

    python benchmarks/search.py [--only random|single|radius|learned|layouts|files]

Best of several runs each, after one that is not counted. usearch is timed on a tenth of the
queries and scaled: it is much slower. Ratios are times over ours, followed by the targets. "GB/s"
is bytes of codes compared per second: above the machine's measured read bandwidth, blocks of codes
stay in cache for many queries.
"""

import argparse
import os
import tempfile
from pathlib import Path

import faiss
import numpy as np
from numba import njit
from usearch.index import MetricKind
from usearch.index import search as usearch_exact

from data import mnist
from hashlearn import HammingIndex, TwoStepHasher
from hashlearn._numerics.threads import map_blocks, n_threads
from retrieval import split
from timing import best_time

N_QUERIES = 200
USEARCH_PART = 10
MILLION = 1_000_000
COLUMNS = ("faiss ms", "usearch ms", "ours ms", "faiss/ours", "asked", "usearch/ours", "GB/s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=PARTS, help="one part of the benchmark")
    only = parser.parse_args().only
    faiss.omp_set_num_threads(n_threads())
    print(f"{n_threads()} threads, read bandwidth {read_bandwidth() / 1e9:.1f} GB/s")
    for name, part in PARTS.items():
        if only in (None, name):
            part()


def bench_random():
    """Time batches of queries on uniformly random codes."""
    heading(f"random codes, {N_QUERIES} queries")
    for n_bits, n, asked in [
        (64, MILLION, {10: 8, 100: 5}),
        (64, 10 * MILLION, {10: 8, 100: 5}),
        (32, MILLION, {10: 3, 100: 3}),
        (128, MILLION, {10: 3, 100: 3}),
        (256, MILLION, {10: 3, 100: 3}),
        (256, 10 * MILLION, {10: 3, 100: 3}),
    ]:
        codes, queries = random_codes(n, n_bits, seed=0), random_codes(N_QUERIES, n_bits, seed=1)
        compare(codes, queries, asked)


def bench_single():
    """Time one query alone on uniformly random codes."""
    heading("random codes, one query")
    for n_bits in (64, 32, 128, 256):
        for n, asked in [(MILLION, 3), (10 * MILLION, 1.5)]:
            codes, queries = random_codes(n, n_bits, seed=0), random_codes(1, n_bits, seed=1)
            compare(codes, queries, {10: asked, 100: asked}, repeats=30, with_usearch=False)


def bench_radius():
    """Time a search within radius 2 on random codes with planted neighbours."""
    heading(f"radius 2, {N_QUERIES} queries, a neighbour planted for each")
    for n_bits in (64, 256):
        codes, queries = random_codes(MILLION, n_bits, seed=0), random_codes(N_QUERIES, n_bits, 1)
        codes[:N_QUERIES] = queries
        codes[:N_QUERIES, 0] ^= 0b101
        peer, index = both_indexes(codes)
        peer_seconds, (limits, _, _) = timed(3, peer.range_search, queries, 3)
        seconds, hits = timed(5, index.radius_search, queries, 2)
        assert np.array_equal(limits, hits.offsets)
        row(label(codes, "r=2"), peer_seconds, None, seconds, 1, codes.nbytes * N_QUERIES)


def bench_learned():
    """Time learned codes, which repeat: of MNIST, and repeated to a million with bit flips."""
    queries, codes = map(np.ascontiguousarray, mnist_codes())
    heading(f"learned codes of MNIST, {N_QUERIES} queries")
    compare(codes, queries[:N_QUERIES], {10: None, 100: None}, repeats=50, both_layouts=True)
    random = np.random.default_rng(0)
    million = np.resize(codes, (MILLION, codes.shape[1]))
    million ^= np.packbits(random.random((MILLION, 32), dtype=np.float32) < 0.005, axis=1)
    compare(million, queries[:N_QUERIES], {10: 20, 100: 20}, both_layouts=True)


def bench_layouts():
    """Time both layouts for several shares of distinct codes."""
    print("\nlayouts: 1,000,000 codes of 64 bits, times of plain over bucketed")
    columns = ("k=1", "k=10", "k=100", "k=1000", "radius 2")
    print(f"{'distinct share':>16}" + "".join(f"{column:>10}" for column in columns) + "  auto")
    random = np.random.default_rng(0)
    for share in (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0):
        distinct = random_codes(int(share * MILLION), 64, seed=2)
        codes = distinct[random.permutation(np.resize(np.arange(len(distinct)), MILLION))]
        queries = codes[:N_QUERIES]
        plain, bucketed = index_of(codes, "plain"), index_of(codes, "bucketed")
        ratios = [
            timed(4, plain.search, queries, k)[0] / timed(4, bucketed.search, queries, k)[0]
            for k in (1, 10, 100, 1000)
        ]
        ratios.append(
            timed(4, plain.radius_search, queries, 2)[0]
            / timed(4, bucketed.radius_search, queries, 2)[0]
        )
        cells = "".join(f"{ratio:>10.2f}" for ratio in ratios)
        print(f"{share:>16.2f}{cells}  {index_of(codes, 'auto').layout}", flush=True)


def bench_files():
    """Time saving and opening ten million codes with ids, and the memory read by opening."""
    codes, ids = random_codes(10 * MILLION, 64, seed=0), 7 * np.arange(10 * MILLION)
    index = HammingIndex(64)
    index.add(codes, ids)
    peer = index.to_faiss()
    print("\nfiles: 10,000,000 codes of 64 bits with ids, 160 MB; ms, and MB that became resident")
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = f"{folder}/ours", f"{folder}/theirs"
        print(f"{'save':28}{1000 * best_time(lambda: index.save(ours), 3)[0]:>10.1f}")
        seconds, _ = best_time(lambda: faiss.write_index_binary(peer, theirs), 3)
        print(f"{'save, faiss':28}{1000 * seconds:>10.1f}")
        for name, load in {
            "open": lambda: HammingIndex.load(ours),
            "open, verify=True": lambda: HammingIndex.load(ours, verify=True),
            "open, mmap=False": lambda: HammingIndex.load(ours, mmap=False),
            "open, faiss": lambda: faiss.read_index_binary(theirs),
        }.items():
            before = resident_bytes()
            opened = load()
            grown = (resident_bytes() - before) / 1e6
            del opened
            print(f"{name:28}{1000 * best_time(load, 5)[0]:>10.1f}{grown:>10.1f}", flush=True)


def resident_bytes():
    """Return the memory of this process that is in use (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def timed(repeats, function, *arguments):
    """Return the best time of several calls and their result, after a call that warms up."""
    function(*arguments)
    return best_time(lambda: function(*arguments), repeats)


def compare(codes, queries, asked, repeats=5, with_usearch=True, both_layouts=False):
    """Time k-nearest search with every library, and check that distances agree."""
    peer, index = both_indexes(codes)
    n_bytes = codes.nbytes * len(queries)
    for k, ratio in asked.items():
        peer_seconds, (distances, _) = timed(repeats, peer.search, queries, k)
        usearch_seconds = time_usearch(codes, queries, k, distances) if with_usearch else None
        layouts = ("plain", "bucketed") if both_layouts else (index.layout,)
        for layout in layouts:
            ours = index if layout == index.layout else index_of(codes, layout)
            seconds, found = timed(repeats, ours.search, queries, k)
            assert np.array_equal(distances, found.distances)
            chosen = layout == index.layout
            note = f"{layout}{' (chosen)' if chosen else ''}" if both_layouts else ""
            wanted = ratio if chosen else None
            row(
                label(codes, f"k={k}"),
                peer_seconds,
                usearch_seconds,
                seconds,
                wanted,
                n_bytes,
                note,
            )


def time_usearch(codes, queries, k, distances):
    """Return the scaled seconds of usearch, whose distances must agree."""
    part = max(1, len(queries) // USEARCH_PART)

    def run():
        return usearch_exact(
            codes, queries[:part], k, MetricKind.Hamming, exact=True, threads=n_threads()
        )

    seconds, found = best_time(run, 1)
    assert np.array_equal(found.distances.astype(np.int64), distances[:part])
    return seconds * len(queries) / part


def both_indexes(codes):
    peer = faiss.IndexBinaryFlat(8 * codes.shape[1])
    peer.add(codes)
    peer.search(codes[:1], 1)
    index = index_of(codes, "auto")
    index.search(codes[:1], 1)
    return peer, index


def index_of(codes, layout):
    index = HammingIndex(8 * codes.shape[1], layout=layout)
    index.add(codes)
    return index


def random_codes(n, n_bits, seed):
    return np.random.default_rng(seed).integers(0, 256, (n, n_bits // 8), dtype=np.uint8)


def mnist_codes():
    """Return the codes of 2,000 queries and 68,000 database items by a hasher of 32 bits."""
    X, y = mnist()
    X = X.astype(np.float32) / 255
    queries, database, training = split(y, seed=0)
    hasher = TwoStepHasher(n_bits=32, random_state=0).fit(X[training], y[training])
    return hasher.encode(X[queries]), hasher.encode(X[database])


@njit(nogil=True)
def read(words):
    total = np.uint64(0)
    for i in range(words.size):
        total ^= words[i]
    return total


def read_bandwidth(n_bytes=1 << 30):
    """Return the bytes per second that all threads read together from memory."""
    words = np.ones(n_bytes // 8, dtype=np.uint64)
    bounds = np.linspace(0, words.size, n_threads() + 1).astype(int).tolist()
    seconds, _ = best_time(lambda: map_blocks(lambda i, j: read(words[i:j]), bounds), 5)
    return n_bytes / seconds


def heading(text):
    print(f"\n{text}\n{'':28}" + "".join(f"{column:>14}" for column in COLUMNS))


def label(codes, what):
    return f"{8 * codes.shape[1]} bits, {len(codes):,}, {what}"


def row(name, peer_seconds, usearch_seconds, seconds, asked, n_bytes, note=""):
    ratio = peer_seconds / seconds
    usearch = ("-", "-")
    if usearch_seconds is not None:
        usearch = f"{1000 * usearch_seconds:.0f}", f"{usearch_seconds / seconds:.0f}x"
    wanted = "-" if asked is None else f"{asked}x" if ratio >= asked else f"{asked}x MISSED"
    cells = (
        f"{1000 * peer_seconds:.2f}",
        usearch[0],
        f"{1000 * seconds:.2f}",
        f"{ratio:.1f}x",
        wanted,
        usearch[1],
        f"{n_bytes / seconds / 1e9:.0f}",
    )
    print(f"{name:28}" + "".join(f"{cell:>14}" for cell in cells) + f"  {note}", flush=True)


PARTS = {
    "random": bench_random,
    "single": bench_single,
    "radius": bench_radius,
    "learned": bench_learned,
    "layouts": bench_layouts,
    "files": bench_files,
}

if __name__ == "__main__":
    main()

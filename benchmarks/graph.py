"""Step 1 on a neighbour graph: TSH-KSH without labels, time, peak memory and loss.

    OPENBLAS_NUM_THREADS=1 python benchmarks/graph.py                  # 50,000 items
    OPENBLAS_NUM_THREADS=1 python benchmarks/graph.py --items 500000

The items are a mixture of Gaussians in 32 dimensions with a fixed seed. Their graph is built
cheaply: items are halved at medians of random directions until leaves hold at most 1,024, and the
nearest items within each leaf are neighbours. The peer is the paper's algorithm on a graph of
1,000 items, in the same run; both losses are also given relative to random codes.
"""

import argparse
import resource
import time

import numpy as np
import scipy.sparse as sp

import paper_way
from hashlearn.affinity import NeighborAffinity
from hashlearn.inference import CoordinateDescent
from hashlearn.losses import as_loss

N_FEATURES = 32
N_CENTRES = 200
LEAF = 1_024
N_PEER = 1_000


def mixture(n, rng):
    centres = rng.normal(size=(N_CENTRES, N_FEATURES))
    noise = 0.7 * rng.normal(size=(n, N_FEATURES))
    return (centres[rng.integers(N_CENTRES, size=n)] + noise).astype(np.float32)


def leaves(X, items, rng):
    """Halve items at medians of random directions; yield the leaves."""
    if items.size <= LEAF:
        yield items
        return
    order = np.argsort(X[items] @ rng.normal(size=N_FEATURES).astype(np.float32))
    for half in np.array_split(items[order], 2):
        yield from leaves(X, half, rng)


def leaf_graph(X, n_neighbors, rng):
    """Return a sparse matrix of the nearest items within leaves."""
    n = len(X)
    columns = np.empty((n, n_neighbors), dtype=np.int32)
    for items in leaves(X, np.arange(n, dtype=np.int32), rng):
        x = X[items]
        squares = (x**2).sum(axis=1)
        distances = squares - 2 * x @ x.T  # of each row, up to a constant
        np.fill_diagonal(distances, np.inf)
        nearest = np.argpartition(distances, n_neighbors, axis=1)[:, :n_neighbors]
        columns[items] = items[nearest]
    indptr = np.arange(0, columns.size + 1, n_neighbors)
    ones = np.ones(columns.size, dtype=np.float32)
    return sp.csr_array((ones, columns.ravel(), indptr), shape=(n, n))


def peak_gb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def random_loss(affinity, n_bits):
    """Return KSH's mean loss over random codes: E (s - m y)^2 = m + m^2 per pair."""
    return 2 * affinity.n_defined * (n_bits + n_bits**2)


def mean_distances(affinity, codes, rng, n_pairs=1_000_000):
    """Return the mean Hamming distance of similar pairs, and of all pairs."""
    graph = affinity.similar_pairs
    entries = rng.integers(graph.nnz, size=n_pairs)
    i = np.searchsorted(graph.indptr, entries, side="right") - 1
    j = graph.indices[entries]
    others = rng.integers(len(codes), size=n_pairs)
    return [float((codes[i] != codes[k]).sum(axis=1).mean()) for k in (j, others)]


def step_one(affinity, n_bits):
    start, cpu = time.perf_counter(), time.process_time()
    result = CoordinateDescent().infer(
        affinity, as_loss("ksh"), n_bits, random_state=np.random.RandomState(0)
    )
    return time.perf_counter() - start, time.process_time() - cpu, result


def compare_with_paper(n_bits, n_neighbors, rng):
    """Print the results of the paper's algorithm and ours on a small graph."""
    affinity = NeighborAffinity(leaf_graph(mixture(N_PEER, rng), n_neighbors, rng))
    Y = affinity.block(slice(None)).astype(float)
    start = time.perf_counter()
    Z = paper_way.step_one(Y, "ksh", n_bits, "random")
    peer_seconds = time.perf_counter() - start
    peer = paper_way.objective(Z, Y, "ksh")
    step_one(affinity, n_bits)  # compiles
    seconds, _, result = step_one(affinity, n_bits)
    ours = paper_way.objective(2.0 * result.codes - 1, Y, "ksh")
    print(f"{N_PEER} items: the paper's way {peer_seconds:.2f} s, loss {peer:.6e}")
    share = ours / random_loss(affinity, n_bits)
    print(
        f"{N_PEER} items: ours {seconds:.3f} s ({peer_seconds / seconds:.0f}x), loss {ours:.6e}, "
        f"{ours / peer:.4f} of the paper's and {share:.4f} of random codes"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=50_000)
    parser.add_argument("--neighbors", type=int, default=30)
    parser.add_argument("--bits", type=int, default=32)
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    compare_with_paper(arguments.bits, arguments.neighbors, rng)
    start = time.perf_counter()
    affinity = NeighborAffinity(leaf_graph(mixture(arguments.items, rng), arguments.neighbors, rng))
    seconds = time.perf_counter() - start
    print(f"\n{affinity!r}: built in {seconds:.0f} s, peak memory so far {peak_gb():.2f} GB")
    seconds, cpu, result = step_one(affinity, arguments.bits)
    share = result.objective[-1] / random_loss(affinity, arguments.bits)
    print(
        f"{arguments.items} items, {arguments.bits} bits: Step 1 {seconds:.0f} s ({cpu:.0f} s of "
        f"processors), peak memory {peak_gb():.2f} GB, loss {share:.4f} of random codes"
    )
    similar, any_pair = mean_distances(affinity, result.codes, rng)
    print(f"mean Hamming distance of similar pairs {similar:.2f}, of any {any_pair:.2f}")


if __name__ == "__main__":
    main()

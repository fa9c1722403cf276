"""Step 1 on thousands of distinct label sets: time, peak memory and loss.

    OPENBLAS_NUM_THREADS=1 python benchmarks/many_label_sets.py
    OPENBLAS_NUM_THREADS=1 python benchmarks/many_label_sets.py --bits 32 --unlabelled 100000

A million items. Sets of few frequent labels are mostly similar, and a bit is stored for each of
their pairs; sets of many rare labels are mostly not, and only the similar pairs are listed. The
peer is the paper's algorithm ('spectral-lbfgsb') on 300 sets, in the same run; losses are relative
to random codes.
"""

import argparse
import resource
import time

import numpy as np
import scipy.sparse as sp

from hashlearn.affinity import MultilabelAffinity
from hashlearn.affinity._shared import groups_from_keys
from hashlearn.inference import CoordinateDescent
from hashlearn.losses import as_loss

N_PEER_SETS = 300


def frequent_labels(n, rng):
    """Return random sets of 40 labels, the rarest in 1 of 100 sets, the commonest in 25."""
    return sp.csr_array(rng.random((n, 40)) < np.linspace(0.01, 0.25, 40))


def rare_labels(n, n_labels, rng):
    """Return random sets of one or more labels, with frequencies as 1 / sqrt(rank)."""
    rows = np.repeat(np.arange(n), 1 + rng.poisson(1.5, size=n))
    share = 1 / np.sqrt(np.arange(1, n_labels + 1))
    columns = rng.choice(n_labels, size=rows.size, p=share / share.sum())
    ones = np.ones(rows.size, dtype=bool)
    return sp.csr_array((ones, (rows, columns)), shape=(n, n_labels))


def indicator(kind, n_sets, n_items, n_unlabelled, rng):
    """Return items with a given number of distinct label sets, with sizes as rank^-0.6."""
    drawn = 8 * n_sets
    sets = (
        frequent_labels(drawn, rng) if kind == "frequent" else rare_labels(drawn, n_sets // 4, rng)
    )
    sets.sum_duplicates()
    sets = sets[np.flatnonzero(np.diff(sets.indptr))]
    starts = zip(sets.indptr[:-1], sets.indptr[1:], strict=True)
    first = groups_from_keys([sets.indices[a:b].tobytes() for a, b in starts]).representatives
    share = 1 / np.arange(1, n_sets + 1) ** 0.6
    n_more = n_items - n_sets - n_unlabelled
    which = np.append(np.arange(n_sets), rng.choice(n_sets, n_more, p=share / share.sum()))
    none = sp.csr_array((n_unlabelled, sets.shape[1]), dtype=bool)
    return sp.csr_array(sp.vstack([sets[first[:n_sets]][which], none]))


def peak_gb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def step_one(affinity, n_bits, solver="sign-flip"):
    """Return seconds, seconds of processors, and the loss relative to random codes."""
    start, cpu = time.perf_counter(), time.process_time()
    result = CoordinateDescent(solver).infer(
        affinity, as_loss("ksh"), n_bits, random_state=np.random.RandomState(0)
    )
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    drawn = 2 * affinity.n_defined * (n_bits + n_bits**2)  # E (s - m y)^2 = m + m^2
    return seconds, cpu, result.objective[-1] / drawn


def compare_with_paper(n_bits, rng):
    """Print the results of the paper's algorithm and ours on few sets, one item each."""
    for kind in ("frequent", "rare"):
        affinity = MultilabelAffinity(indicator(kind, N_PEER_SETS, N_PEER_SETS, 0, rng))
        peer_seconds, _, peer = step_one(affinity, n_bits, "spectral-lbfgsb")
        step_one(affinity, n_bits)  # compiles
        seconds, _, ours = step_one(affinity, n_bits)
        print(
            f"{N_PEER_SETS} sets of {kind} labels: the paper's way {peer_seconds:.2f} s, loss "
            f"{peer:.4f}; ours {seconds:.2f} s ({peer_seconds / seconds:.0f}x), loss {ours:.4f}, "
            f"{ours / peer:.4f} of the paper's"
        )


def report(kind, n_sets, arguments, rng):
    sets = indicator(kind, n_sets, arguments.items, arguments.unlabelled, rng)
    start = time.perf_counter()
    affinity = MultilabelAffinity(sets)
    built = time.perf_counter() - start
    share = affinity.n_similar / affinity.n_defined
    seconds, cpu, loss = step_one(affinity, arguments.bits)
    print(
        f"{n_sets} sets of {kind} labels, {share:.1%} of the items' pairs similar: compared in "
        f"{built:.1f} s, Step 1 {seconds:.1f} s ({cpu:.1f} s of processors), loss {loss:.4f} of "
        f"random codes, peak memory so far {peak_gb():.2f} GB",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--bits", type=int, default=64)
    parser.add_argument("--unlabelled", type=int, default=0)
    parser.add_argument("--frequent", type=int, nargs="*", default=[5_000, 20_000])
    parser.add_argument("--rare", type=int, nargs="*", default=[20_000, 100_000])
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    compare_with_paper(arguments.bits, rng)
    for kind in ("frequent", "rare"):
        for n_sets in getattr(arguments, kind):
            report(kind, n_sets, arguments, rng)


if __name__ == "__main__":
    main()

"""Step 1: time and objective compared with the paper's algorithm, in one run.

    python benchmarks/step_one.py            # class labels and TMC2007, all five losses
    python benchmarks/step_one.py --starts   # initial values of bits
    OPENBLAS_NUM_THREADS=1 python benchmarks/step_one.py --losses ksh,splh   # peer on one thread

The peer is `paper_way.step_one`: dense matrices, `eigsh` and L-BFGS-B at default tolerances, one
cycle. Both have the same start, and both objectives are computed by the peer's formula.
"""

import argparse

import numpy as np

import paper_way
from data import tmc2007
from hashlearn.affinity import LabelAffinity, MultilabelAffinity, NeighborAffinity
from hashlearn.inference import CoordinateDescent
from hashlearn.losses import as_loss
from timing import best_time

N_BITS = 32
N_ITEMS = 2_000
LOSSES = ("ksh", "bre", "splh", "ee", "exph")


def ours(affinity, loss, start, group, seed=0):
    return CoordinateDescent(start=start).infer(
        affinity, as_loss(loss), N_BITS, group=group, random_state=np.random.RandomState(seed)
    )


def compare(title, affinity, groups, losses, start="random"):
    """Print one line per loss and algorithm."""
    print(f"\n{title}; {N_BITS} bits, start={start!r}")
    print(f"{'loss':6}{'way':24}{'seconds':>10}{'speed':>9}{'objective':>14}{'of the peer':>13}")
    Y = affinity.block(slice(None)).astype(float)
    for loss in losses:
        peer_time, Z = best_time(lambda: paper_way.step_one(Y, loss, N_BITS, start), 1)  # noqa: B023
        peer_value = paper_way.objective(Z, Y, loss)
        print(f"{loss:6}{'paper (peer)':24}{peer_time:10.3f}{'1x':>9}{peer_value:14.6e}{1:13.4f}")
        for group in groups:
            seconds, step_one = best_time(lambda: ours(affinity, loss, start, group), 10)  # noqa: B023
            value = paper_way.objective(2.0 * step_one.codes - 1, Y, loss)
            way = "sign-flip, " + ("groups" if group else "no groups")
            ratio = f"{peer_time / seconds:.0f}x"
            print(
                f"{loss:6}{way:24}{seconds:10.4f}{ratio:>9}{value:14.6e}{value / peer_value:13.4f}"
            )


def compare_starts(problems, seeds=3):
    """Print the mean objective of each start, relative to the best."""
    starts = ("random", "ones", "empty")
    print(f"\nObjective by start, relative to the best; mean of {seeds} seeds, {N_BITS} bits")
    print(f"{'problem':14}{'loss':7}" + "".join(f"{start:>10}" for start in starts))
    for name, affinity in problems.items():
        for loss in (*LOSSES, "hinge"):
            values = {
                start: np.mean(
                    [ours(affinity, loss, start, "auto", s).objective[-1] for s in range(seeds)]
                )
                for start in starts
            }
            best = min(values.values()) or 1.0
            row = "".join(f"{values[start] / best:10.4f}" for start in starts)
            print(f"{name:14}{loss:7}{row}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--starts", action="store_true", help="compare what bits start as")
    parser.add_argument("--losses", default=",".join(LOSSES))
    arguments = parser.parse_args()
    losses = arguments.losses.split(",")
    classes = LabelAffinity(np.arange(N_ITEMS) % 10)
    X, labels = tmc2007()
    chosen = np.random.default_rng(0).choice(labels.shape[0], N_ITEMS, replace=False)
    several = MultilabelAffinity(labels[chosen])
    if arguments.starts:
        graph = NeighborAffinity.from_data(X[chosen])
        compare_starts({"10 classes": classes, "TMC2007": several, "neighbours": graph})
        return
    ours(classes, "ksh", "ones", "auto")  # compile before timing
    ours(several, "splh", "ones", False)
    compare(f"{N_ITEMS} items in 10 classes", classes, ("auto",), losses)
    compare(f"TMC2007, {N_ITEMS} items with several labels", several, (False, "auto"), losses)


if __name__ == "__main__":
    main()

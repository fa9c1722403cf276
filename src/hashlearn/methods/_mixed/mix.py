"""The choice of the share of labels in a code."""

from __future__ import annotations

from typing import Any, NamedTuple

from hashlearn.methods._mixed.parts import Choice, Training
from hashlearn.methods._mixed.share import try_shares

DEFAULT_SHARE = 0.5  # if no class can be held out
MANY_CLASSES = 20  # with more, bits for labels and for geometry are too few apart


class Mix(NamedTuple):
    """The share of labels, the bits that they have, and whether all bits are sums."""

    share: float
    n_label_bits: int
    summed: bool


def is_summed(combine: str, training: Training) -> bool:
    """Return whether bits are sums of both kinds of margins."""
    if training.parts.n_bits > training.X.shape[1]:  # which geometry cannot fill
        return False
    if combine != "auto":
        return combine == "sum"
    # measured on 10 to 150 classes of embeddings (benchmarks/new_classes.py --classes)
    return training.supervision.n_classes > MANY_CLASSES


def choose_mix(
    training: Training, graph: Any, share: Any, summed: bool, seen_weight: float
) -> Choice:
    """Decide how much is from labels, which spread over a graph if there is one."""
    scores = None
    if not training.supervision.known.any():
        share, why = 0, "no item has a label"
    elif share != "auto":
        why = "as given"
    elif (scores := try_shares(training, graph, summed)) is None:
        share = DEFAULT_SHARE
        why = "too few classes, or items of them, to hold some out"
    else:
        classes = training.supervision.classes()
        best = scores.best(seen_weight, 1 if classes is None else classes.shape[1])
        share, why = scores.shares[best], scores.explain(best)
    n_bits = training.parts.n_bits
    mix = _mix(float(share), n_bits, summed)
    line = f"label bits       {mix.n_label_bits} of {n_bits}: {why}"
    if mix.summed:
        line = f"label margins    share {mix.share:g} of all bits: {why}"
    return Choice(mix, None if scores is None else scores._asdict(), line)


def _mix(share: float, n_bits: int, summed: bool) -> Mix:
    """Return the mix of a share; sums of one part alone are its bits."""
    if summed and 0 < share < 1:
        return Mix(share, n_bits, True)
    return Mix(share, round(share * n_bits), False)

"""What a mixed hasher decides on its training items, and why."""

from __future__ import annotations

from typing import Any, NamedTuple

from hashlearn.methods.mixed.evidence import known_evidence, spread_evidence
from hashlearn.methods.mixed.share import DEFAULT_SHARE, try_shares
from hashlearn.methods.mixed.training import Training
from hashlearn.methods.mixed.unlabelled import try_spreading


class Choice(NamedTuple):
    """What was decided.

    Attributes
    ----------
    value : object
        A number of bits, or what they are learned from.
    results : dict or None
        What was measured for it.
    why : str
        A line of the summary; "" if there was nothing to decide.
    """

    value: Any
    results: dict[str, Any] | None
    why: str


def choose_label_bits(training: Training, share: Any, seen_weight: float) -> Choice:
    """Decide how many bits come from labels.

    Parameters
    ----------
    training : Training
        The items, and what is known of them.
    share : float or "auto"
        The share of the bits.
    seen_weight : float
        How much seen classes weigh.
    """
    n_bits, scores = training.parts.n_bits, None
    if not training.supervision.known.any():
        n_label_bits, why = 0, "no item has a label"
    elif share != "auto":
        n_label_bits, why = round(share * n_bits), "as asked"
    elif (scores := try_shares(training)) is None:
        n_label_bits = round(DEFAULT_SHARE * n_bits)
        why = "too few classes, or items of them, to hold some out"
    else:
        best = scores.best(seen_weight)
        n_label_bits, why = int(scores.label_bits[best]), scores.explain(best)
    results = None if scores is None else scores._asdict()
    return Choice(n_label_bits, results, f"label bits       {n_label_bits} of {n_bits}: {why}")


def choose_evidence(training: Training, graph: Any, n_label_bits: int, unlabelled: str) -> Choice:
    """Decide what bits from labels learn from: known items alone, or unlabelled ones, too.

    Parameters
    ----------
    training : Training
        The items, and what is known of them.
    graph : csr_array of shape (n_items, n_items), or None
        Near items; None where nothing is to spread.
    n_label_bits : int
        How many bits there are to learn.
    unlabelled : {"auto", "spread", "ignore"}
        What is asked.
    """
    supervision, scores = training.supervision, None
    alone = evidence = known_evidence(supervision, supervision.known)
    n_unlabelled = int((~supervision.known).sum())
    if n_label_bits == 0 or n_unlabelled == 0:
        return Choice(alone, None, "")
    if not supervision.spreads:
        spread, why = False, "graded pairs do not spread"
    elif unlabelled != "auto":
        spread, why = unlabelled == "spread", "as asked"
    else:
        scores = try_spreading(training, graph, n_label_bits)
        spread = scores is not None and scores.helps
        why = "too few labels to hide some" if scores is None else scores.explain()
    if spread:
        evidence = spread_evidence(supervision, supervision.known, graph, training.random_state)
    results = None if scores is None else scores._asdict()
    n_learned = evidence.items.size - alone.items.size
    line = f"unlabelled items {n_learned:,} of {n_unlabelled:,} taught label bits: {why}"
    return Choice(evidence, results, line)

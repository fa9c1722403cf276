"""What a mixed hasher decides on its training items, and why."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hashlearn.mixed.evidence import known_evidence, spread_evidence
from hashlearn.mixed.parts import Parts
from hashlearn.mixed.share import DEFAULT_SHARE, try_shares
from hashlearn.mixed.supervision import Supervision
from hashlearn.mixed.unlabelled import try_spreading


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


def choose_label_bits(
    X: Any,
    supervision: Supervision | None,
    parts: Parts,
    share: Any,
    seen_weight: float,
    random_state: np.random.RandomState,
    verbose: int,
) -> Choice:
    """Decide how many bits come from labels."""
    scores = None
    if supervision is None or not supervision.known.any():
        n_label_bits, why = 0, "no item has a label"
    elif share != "auto":
        n_label_bits, why = round(share * parts.n_bits), "as asked"
    elif (scores := try_shares(X, supervision, parts, random_state, verbose)) is None:
        n_label_bits, why = (
            round(DEFAULT_SHARE * parts.n_bits),
            "too few classes, or items, to hold some out",
        )
    else:
        best = scores.best(seen_weight)
        n_label_bits, why = int(scores.label_bits[best]), scores.explain(best)
    results = None if scores is None else scores._asdict()
    line = f"label bits       {n_label_bits} of {parts.n_bits}: {why}"
    return Choice(n_label_bits, results, line)


def choose_evidence(
    X: Any,
    supervision: Supervision | None,
    graph: Any,
    parts: Parts,
    n_label_bits: int,
    unlabelled: str,
    random_state: np.random.RandomState,
    verbose: int,
) -> Choice:
    """Decide what bits from labels learn from: known items alone, or unlabelled ones, too."""
    if supervision is None or n_label_bits == 0:
        return Choice(None, None, "")
    alone = evidence = known_evidence(supervision, supervision.known)
    n_unlabelled = int((~supervision.known).sum())
    if n_unlabelled == 0:
        return Choice(alone, None, "")
    scores = None
    if not supervision.spreads:
        spread, why = False, "graded pairs do not spread"
    elif unlabelled != "auto":
        spread, why = unlabelled == "spread", "as asked"
    else:
        scores = try_spreading(X, supervision, graph, parts, n_label_bits, random_state, verbose)
        spread = scores is not None and scores.helps
        why = "too few labels to hide some" if scores is None else scores.explain()
    if spread:
        evidence = spread_evidence(supervision, supervision.known, graph, random_state)
    results = None if scores is None else scores._asdict()
    n_learned = evidence.items.size - alone.items.size
    return Choice(
        evidence,
        results,
        f"unlabelled items {n_learned:,} of {n_unlabelled:,} taught label bits: {why}",
    )

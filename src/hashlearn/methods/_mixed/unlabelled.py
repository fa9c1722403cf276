"""The use of unlabelled items, tried on labelled items whose labels are hidden."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from hashlearn._numerics.arrays import check_magnitude
from hashlearn._progress import say, track
from hashlearn.base import BaseHasher
from hashlearn.methods._mixed.parts import Choice, Parts, Training, of_length
from hashlearn.methods._mixed.spreading import neighbor_weights
from hashlearn.methods._mixed.supervision import Evidence
from hashlearn.metrics import average_precision
from hashlearn.search import pack_codes

N_FOLDS = 5
MAX_KNOWN = 20_000  # labelled items in trials
MAX_HIDDEN = 1000  # labelled items whose labels a trial hides
MAX_SEARCHED = 3000  # labelled items that it searches for those of the same class
MAX_BITS = 16  # of the codes that are compared
FEWEST_HIDDEN = 2
SURE = 2  # standard errors that a gain must exceed: few labels are often misleading


class Teaching(NamedTuple):
    """What bits from labels learn from, and how."""

    evidence: Evidence
    graph: sp.csr_array | None  # that labels spread over; None if they do not
    parts: Parts  # with what trials chose for spread labels, such as C


def choose_teaching(training: Training, n_label_bits: int, unlabelled: str) -> Choice:
    """Decide whether bits from labels learn from unlabelled items, too."""
    supervision, parts, scores = training.supervision, training.parts, None
    alone = evidence = supervision.of(np.flatnonzero(supervision.known))
    n_unlabelled = int((~supervision.known).sum())
    if n_label_bits == 0 or n_unlabelled == 0 or not supervision.known.any():
        return Choice(Teaching(alone, None, parts), None, "")
    graph = _neighbors(training) if supervision.spreads and unlabelled != "ignore" else None
    if not supervision.spreads:
        spread, why = False, "graded pairs do not spread"
    elif unlabelled != "auto":
        spread, why = unlabelled == "spread", "as given"
    else:
        scores, settled = try_spreading(training, graph, n_label_bits)
        spread = scores is not None and scores.helps
        parts = settled if spread else parts
        why = "too few labels to hide some" if scores is None else scores.explain()
    if spread:
        evidence = supervision.spread(supervision.known, graph, training.random_state)
    results = None if scores is None else scores._asdict()
    n_learned = evidence.items.size - alone.items.size
    line = f"unlabelled items {n_learned:,} of {n_unlabelled:,} taught label bits: {why}"
    return Choice(Teaching(evidence, graph if spread else None, parts), results, line)


def _neighbors(training: Training) -> sp.csr_array:
    """Return the graph that labels may spread over."""
    X, n_jobs, verbose = training.X, training.parts.n_jobs, training.verbose
    if X.dtype.kind == "f":
        check_magnitude(X)
    say(f"Neighbours among {X.shape[0]:,} items", verbose)
    try:
        return neighbor_weights(X, n_jobs=n_jobs, verbose=verbose)
    except ImportError as error:
        raise ImportError(
            f"Spreading labels among {X.shape[0]:,} items needs pynndescent: pip install "
            "'hashlearn[graph]', or set unlabelled='ignore'."
        ) from error


class SpreadScores(NamedTuple):
    """Quality with and without unlabelled items."""

    alone: float  # mean average precision of items with hidden labels, by codes from labels alone
    spread: float  # the same, from labels that spread
    error: float  # standard error of the difference

    @property
    def helps(self) -> bool:
        """Whether spreading is better by more than twice the standard error."""
        return self.spread - self.alone > SURE * self.error

    def explain(self) -> str:
        """Return the scores in words."""
        return (
            f"MAP of items with hidden labels {self.spread:.3f} with them, {self.alone:.3f} "
            f"without, where a gain above {SURE * self.error:.3f} is required"
        )


def try_spreading(
    training: Training, graph: sp.csr_array, n_bits: int
) -> tuple[SpreadScores | None, Parts]:
    """Hide labels, learn with and without unlabelled items; None if labels are too few.

    The parts have what was chosen for spread labels.
    """
    X, supervision, parts, random_state, verbose = training
    known = random_state.permutation(np.flatnonzero(supervision.known))[:MAX_KNOWN]
    folds = [fold[:MAX_HIDDEN] for fold in np.array_split(known, N_FOLDS)]
    if min(map(len, folds)) < FEWEST_HIDDEN:
        return None, parts
    learners = [parts, parts]
    found = []
    for hidden in track(folds, "Unlabelled items: labels hidden", len(folds), verbose):
        alone = supervision.of(np.setdiff1d(known, hidden))
        searched = known[~np.isin(known, hidden)][:MAX_SEARCHED]
        similar = supervision.similar(np.concatenate([hidden, searched]))
        similar = similar[: hidden.size, hidden.size :]
        if not (alone.teaches and similar.any()):
            continue
        spread = supervision.spread_in_trial(alone.items, hidden, graph, random_state)
        tried = zip((alone, spread), learners, strict=True)
        hashers = [_learn(X, *evidence, min(n_bits, MAX_BITS)) for evidence in tried]
        learners = [parts.settled(hasher) for hasher in hashers]
        found.append([_found(hasher, X[hidden], X[searched], similar) for hasher in hashers])
    if not found:
        return None, parts
    of_alone, of_spread = np.nanmean(np.concatenate(found, axis=1), axis=1).tolist()
    return SpreadScores(of_alone, of_spread, _error(found)), learners[1]


def _error(found: list[list[np.ndarray]]) -> float:
    """Return the standard error of the gain, the larger one over queries and over folds.

    Queries of a fold share a model, so that their spread alone would be too small.
    """
    gains = [spread - alone for alone, spread in found]
    of_queries, of_folds = np.concatenate(gains), np.array([np.nanmean(gain) for gain in gains])
    n_queries = np.count_nonzero(~np.isnan(of_queries))
    over_queries = np.nanstd(of_queries) / np.sqrt(n_queries)
    over_folds = of_folds.std(ddof=1) / np.sqrt(of_folds.size) if of_folds.size > 1 else np.inf
    return float(max(over_queries, over_folds))


def _learn(X: Any, evidence: Evidence, parts: Parts, n_bits: int) -> BaseHasher:
    with warnings.catch_warnings(action="ignore"):  # trials are discarded
        return of_length(parts.label_hasher, n_bits).fit(X[evidence.items], **evidence.given)


def _found(hasher: BaseHasher, hidden: Any, searched: Any, similar: np.ndarray) -> np.ndarray:
    """Return the average precision of hidden items among others: with few labels they have few."""
    codes, others = (pack_codes(hasher.transform(items)) for items in (hidden, searched))
    return average_precision(codes, others, similar)

"""The share of bits from labels, tried on classes that are held out."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed

from hashlearn._numerics.blas import one_blas_thread
from hashlearn._progress import track
from hashlearn.base import BaseHasher
from hashlearn.methods._mixed.parts import Choice, Parts, Training, of_length
from hashlearn.methods._mixed.supervision import Evidence, Supervision
from hashlearn.metrics import average_precision
from hashlearn.search import pack_codes

N_SHARES = 9  # eighths of the bits
MOST_LOST = 0.015  # of the quality on seen classes, if both kinds of classes have equal weight
LEAST_PER_BIT = 3  # label bits for each bit of a class's number: codes of classes must lie apart,
MOST_NEEDED = 0.75  # but not of all bits; trials have fewer items than a database, and miss this
SMOOTH = 3  # degree of the curve through measurements: single ones are noisy if labels are few
DEFAULT_SHARE = 0.5  # if no class can be held out
MAX_GEOMETRY_ITEMS = 2000  # unlabelled items for the geometry of a trial
N_TRIALS = 3
MAX_ITEMS = 3000  # more would improve the choice little, and cost as much as learning
MAX_CLASSES = 100  # with more, and more items, each would have too few of these
SEEN_TEST_SHARE = 1 / 3
FEWEST_TESTED = 5  # seen and unseen items, for a meaningful mean
FEWEST_TRAINED = 4


def choose_label_bits(training: Training, graph: Any, share: Any, seen_weight: float) -> Choice:
    """Decide the number of bits from labels, which spread over a graph if there is one."""
    n_bits, scores = training.parts.n_bits, None
    if not training.supervision.known.any():
        n_label_bits, why = 0, "no item has a label"
    elif share != "auto":
        n_label_bits, why = round(share * n_bits), "as given"
    elif (scores := try_shares(training, graph)) is None:
        n_label_bits = round(DEFAULT_SHARE * n_bits)
        why = "too few classes, or items of them, to hold some out"
    else:
        classes = training.supervision.classes()
        best = scores.best(seen_weight, 1 if classes is None else classes.shape[1])
        n_label_bits, why = int(scores.label_bits[best]), scores.explain(best)
    results = None if scores is None else scores._asdict()
    return Choice(n_label_bits, results, f"label bits       {n_label_bits} of {n_bits}: {why}")


class ShareScores(NamedTuple):
    """Quality of each number of label bits on the items that trials held out.

    It is the mean average precision; NaN where the geometry hasher has no such length.
    """

    label_bits: np.ndarray  # from labels: none, then eighths of all
    seen: np.ndarray  # of items of learned classes, searched among learned items
    unseen: np.ndarray  # and of those of held-out classes, searched among both kinds

    def best(self, seen_weight: float, n_classes: int = 1) -> int:
        """Return the position that is best on unseen classes, of those that seen ones allow.

        Seen classes may lose little of their best, and many of them need many label bits. Among
        equals, fewest label bits win, but at least one share: the first position, no label bits,
        is for comparison only. If seen classes have no weight, they need nothing.
        """
        seen, unseen = self.smoothed()
        needed, most_lost = 0.0, np.inf
        if seen_weight > 0:
            most_lost = MOST_LOST * (1 - seen_weight) / seen_weight
            needed = min(LEAST_PER_BIT * np.log2(n_classes), MOST_NEEDED * self.label_bits[-1])
        enough = self.label_bits >= max(needed, 1)
        allowed = enough & (seen >= (1 - most_lost) * np.nanmax(seen[enough]))
        return int(np.nanargmax(np.where(allowed, unseen, np.nan)))

    def smoothed(self) -> tuple[np.ndarray, np.ndarray]:
        """Return both qualities on a smooth curve over the number of label bits."""
        return _smooth(self.label_bits, self.seen), _smooth(self.label_bits, self.unseen)

    def explain(self, best: int) -> str:
        """Return the quality at a position, beside labels only and geometry only, in words."""
        last = self.label_bits.size - 1
        words = {best: "", last: " if all were label bits", 0: " if none were"}
        reached = [
            f"{self.seen[place]:.3f} and {self.unseen[place]:.3f}{word}"
            for place, word in words.items()
            if not np.isnan(self.seen[place])
        ]
        return f"MAP on seen and on held-out classes {', '.join(reached)}"


def _smooth(x: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return values on a cubic of x, those as they are that are too few for one; NaN stays NaN."""
    measured = np.isfinite(values)
    if measured.sum() <= SMOOTH + 1:
        return values
    curve = np.polynomial.Polynomial.fit(x[measured], values[measured], SMOOTH)
    return np.where(measured, curve(x), np.nan)


def try_shares(training: Training, graph: Any) -> ShareScores | None:
    """Measure shares on classes held out of the training items; None if none can be."""
    X, supervision, parts, random_state, verbose = training
    unlabelled = random_state.permutation(np.flatnonzero(~supervision.known))[:MAX_GEOMETRY_ITEMS]
    label_bits = np.unique(np.rint(np.linspace(0, parts.n_bits, N_SHARES)).astype(int))
    trials = hold_out(supervision, random_state)
    measured = []
    for trial in track(trials, "Shares of bits: classes held out", len(trials), verbose):
        questions = _questions(supervision, trial)
        evidence = supervision.of(trial.training)
        if questions is None or not evidence.teaches:
            continue
        if graph is not None:
            evidence = supervision.spread_in_trial(
                trial.training, questions.items[questions.asked], graph, random_state
            )
        items = np.concatenate([trial.training, unlabelled])
        with one_blas_thread():  # for small problems, more threads cost more than they save
            hashers = _learn_labels(X, evidence, parts)
            parts = parts.settled(hashers[-1])
            measured.append(_measured(X, questions, hashers, parts, items, label_bits))
    if not measured:
        return None
    seen, unseen = np.mean(measured, axis=0).T
    return ShareScores(label_bits, seen, unseen)


class _Questions(NamedTuple):
    """Queries of seen classes, then of unseen ones, then learned items; which are similar."""

    items: np.ndarray
    similar: np.ndarray
    seen: slice
    unseen: slice
    asked: slice  # of both kinds
    learned: slice

    def qualities(self, codes: np.ndarray) -> tuple[float, float]:
        """Return the mean average precision on seen and on unseen classes."""
        packed, similar = pack_codes(codes), self.similar
        of_seen = average_precision(
            packed[self.seen], packed[self.learned], similar[self.seen, self.learned]
        )
        of_asked = average_precision(
            packed[self.asked],
            packed[self.asked],
            similar[self.asked, self.asked],
            exclude_self=True,
        )
        return float(np.nanmean(of_seen)), float(np.nanmean(of_asked[self.unseen]))


def _questions(supervision: Supervision, trial: Trial) -> _Questions | None:
    """Return the queries of a trial; None if there is nothing to find."""
    items = np.concatenate([trial.seen, trial.unseen, trial.training])
    n_seen, n_asked = trial.seen.size, trial.seen.size + trial.unseen.size
    seen, unseen, learned = slice(n_seen), slice(n_seen, n_asked), slice(n_asked, None)
    similar = supervision.similar(items)
    if not (similar[seen, learned].any() and similar[unseen, unseen].any()):
        return None
    return _Questions(items, similar, seen, unseen, slice(n_asked), learned)


def _learn_labels(X: Any, evidence: Evidence, parts: Parts) -> list[BaseHasher]:
    """Learn codes from labels of half the bits, of three quarters and of all.

    The first n bits of the shortest that has them stand for a code of n bits: one per share would
    cost too much.
    """
    hashers = []
    with warnings.catch_warnings(action="ignore"):  # trials are discarded
        for n_bits in np.unique(np.ceil(np.array([0.5, 0.75, 1]) * parts.n_bits)):
            hasher = of_length(parts.label_hasher, n_bits)
            hashers.append(hasher.fit(X[evidence.items], **evidence.given))
            parts = parts.settled(hasher)
    return hashers


def _measured(
    X: Any,
    questions: _Questions,
    label_hashers: list[BaseHasher],
    parts: Parts,
    items: np.ndarray,
    label_bits: np.ndarray,
) -> list[tuple[float, float]]:
    """Return the quality of each share on seen and on unseen items."""
    asked, learned = X[questions.items], X[items]
    codes = [hasher.transform(asked) for hasher in label_hashers]
    with warnings.catch_warnings(action="ignore"):  # trials are discarded
        of_geometry = Parallel(n_jobs=parts.n_jobs, require="sharedmem")(
            delayed(_geometry_codes)(learned, asked, parts, parts.n_bits - n_label_bits)
            for n_label_bits in label_bits
        )
    reached = []
    for n_label_bits, from_geometry in zip(label_bits, of_geometry, strict=True):
        if from_geometry is None:
            reached.append((np.nan, np.nan))
            continue
        from_labels = next(bits for bits in codes if bits.shape[1] >= n_label_bits)
        bits = np.hstack([from_labels[:, :n_label_bits], from_geometry])
        reached.append(questions.qualities(bits))
    return reached


def _geometry_codes(items: Any, asked: Any, parts: Parts, n_bits: int) -> np.ndarray | None:
    """Return bits from geometry of the queries; None if it cannot have that number."""
    if n_bits == 0:
        return np.empty((asked.shape[0], 0), dtype=np.uint8)
    hasher = of_length(parts.geometry_hasher, n_bits)
    try:
        hasher.fit(items)
    except ValueError:  # such as more bits than features: another share may work
        return None
    return hasher.transform(asked)


class Trial(NamedTuple):
    """Positions of known items, to learn from and to search for."""

    training: np.ndarray  # items of the seen classes
    seen: np.ndarray  # further items of these
    unseen: np.ndarray  # items of the other classes


def hold_out(supervision: Supervision, random_state: np.random.RandomState) -> list[Trial]:
    """Hold every class out of one of three trials; none if classes or items are too few."""
    classes = supervision.classes()
    if classes is None or classes.shape[1] < N_TRIALS:
        return []
    if classes.shape[1] > MAX_CLASSES and np.count_nonzero(np.diff(classes.indptr)) > MAX_ITEMS:
        classes = classes[:, random_state.permutation(classes.shape[1])[:MAX_CLASSES]]
    items = np.flatnonzero(np.diff(classes.indptr) > 0)
    items = random_state.permutation(items)[:MAX_ITEMS]
    parts = np.array_split(random_state.permutation(classes.shape[1]), N_TRIALS)
    trials = [_trial(classes, held_out, items) for held_out in parts]
    return [trial for trial in trials if _is_enough(trial, classes)]


def _trial(classes: sp.csr_array, held_out: np.ndarray, items: np.ndarray) -> Trial:
    of_items = classes[items].astype(np.int32)
    n_held_out = of_items[:, held_out].sum(axis=1)
    unseen = n_held_out == of_items.sum(axis=1)  # items of both kinds of classes are left out
    seen = items[n_held_out == 0]
    n_tested = int(SEEN_TEST_SHARE * seen.size)
    return Trial(seen[n_tested:], seen[:n_tested], items[unseen])


def _is_enough(trial: Trial, classes: sp.csr_array) -> bool:
    n_classes = int(np.count_nonzero(classes[trial.training].sum(axis=0)))
    n_tested = min(trial.seen.size, trial.unseen.size)
    return n_classes > 1 and n_tested >= FEWEST_TESTED and trial.training.size >= FEWEST_TRAINED

"""The share of bits from labels, tried on classes that are held out."""

from __future__ import annotations

import math
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
TOP = 0.4  # the share of a ranking that is evaluated: its head matters most
DEFAULT_SHARE = 0.5  # if no class can be held out
MAX_GEOMETRY_ITEMS = 2000  # unlabelled items for the geometry of a trial
N_TRIALS = 3
MAX_ITEMS = 3000  # more would improve the choice little, and cost as much as learning
MAX_CLASSES = 100  # with more, each would have too few of these items
SEEN_TEST_SHARE = 1 / 3
FEWEST_TESTED = 5  # seen and unseen items, for a meaningful mean
FEWEST_TRAINED = 4


def choose_label_bits(training: Training, share: Any, seen_weight: float) -> Choice:
    """Decide the number of bits from labels."""
    n_bits, scores = training.parts.n_bits, None
    if not training.supervision.known.any():
        n_label_bits, why = 0, "no item has a label"
    elif share != "auto":
        n_label_bits, why = round(share * n_bits), "as given"
    elif (scores := try_shares(training)) is None:
        n_label_bits = round(DEFAULT_SHARE * n_bits)
        why = "too few classes, or items of them, to hold some out"
    else:
        best = scores.best(seen_weight)
        n_label_bits, why = int(scores.label_bits[best]), scores.explain(best)
    results = None if scores is None else scores._asdict()
    return Choice(n_label_bits, results, f"label bits       {n_label_bits} of {n_bits}: {why}")


class ShareScores(NamedTuple):
    """Quality of each number of label bits on the items that trials held out.

    It is the mean average precision over the first two fifths of the ranking, each item searched
    among those of learned and held-out classes; NaN where the geometry hasher has no such length.
    """

    label_bits: np.ndarray  # from labels: none, then eighths of all
    seen: np.ndarray  # of items of learned classes
    unseen: np.ndarray  # and of held-out ones

    def best(self, seen_weight: float) -> int:
        """Return the position of the best weighted geometric mean of seen and unseen.

        A relative loss counts the same on either side. Among equals, fewest label bits win, but at
        least one share: the first position, no label bits, is for comparison only.
        """
        weighed = self.seen**seen_weight * self.unseen ** (1 - seen_weight)
        return 1 + int(np.nanargmax(weighed[1:]))

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


def try_shares(training: Training) -> ShareScores | None:
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
    """Queries searched among each other: items, which are similar, which of seen classes."""

    items: np.ndarray
    similar: np.ndarray
    is_seen: np.ndarray


def _questions(supervision: Supervision, trial: Trial) -> _Questions | None:
    """Return the queries of a trial; None if there is nothing to find."""
    items = np.concatenate([trial.seen, trial.unseen])
    is_seen = np.arange(items.size) < trial.seen.size
    similar = supervision.similar(items)
    can_find = np.asarray(similar.any(axis=1))
    if not (can_find[is_seen].any() and can_find[~is_seen].any()):
        return None
    return _Questions(items, similar, is_seen)


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
    n_top = math.ceil(TOP * questions.items.size)
    reached = []
    for n_label_bits, from_geometry in zip(label_bits, of_geometry, strict=True):
        if from_geometry is None:
            reached.append((np.nan, np.nan))
            continue
        from_labels = next(bits for bits in codes if bits.shape[1] >= n_label_bits)
        packed = pack_codes(np.hstack([from_labels[:, :n_label_bits], from_geometry]))
        values = average_precision(
            packed, packed, questions.similar, k=n_top, denominator="found", exclude_self=True
        )
        of_seen, of_unseen = values[questions.is_seen], values[~questions.is_seen]
        reached.append((float(np.nanmean(of_seen)), float(np.nanmean(of_unseen))))
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
    if classes.shape[1] > MAX_CLASSES:
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

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
from hashlearn.methods._mixed.parts import Parts, Training, of_length
from hashlearn.methods._mixed.scores import ShareScores, SumScores
from hashlearn.methods._mixed.sums import learn_sum
from hashlearn.methods._mixed.supervision import Evidence, Supervision
from hashlearn.metrics import average_precision
from hashlearn.search import pack_codes

N_SHARES = 9  # eighths of the bits
MAX_GEOMETRY_ITEMS = 2000  # unlabelled items for the geometry of a trial
SUM_SHARES = np.arange(1, 16) / 16  # weights of label margins that are tried
LENGTHS = (0.5, 0.75, 1.0)  # of codes from labels in trials of concatenations
N_TRIALS = 3
MAX_ITEMS = 3000  # more would improve the choice little, and cost as much as learning
MAX_CLASSES = 100  # with more, and more items, each would have too few of these
SEEN_TEST_SHARE = 1 / 3
FEWEST_TESTED = 5  # seen and unseen items, for a meaningful mean
FEWEST_TRAINED = 4


def try_shares(training: Training, graph: Any, summed: bool) -> ShareScores | SumScores | None:
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
            hashers = _learn_labels(X, evidence, parts, (1.0,) if summed else LENGTHS)
            parts = parts.settled(hashers[-1])
            if summed:
                given = training._replace(parts=parts, verbose=0)
                measured.append(_summed(given, questions, evidence, hashers[-1], items))
            else:
                measured.append(_measured(X, questions, hashers, parts, items, label_bits))
    if not measured:
        return None
    seen, unseen = np.mean(measured, axis=0).T
    return SumScores(SUM_SHARES, seen, unseen) if summed else ShareScores(label_bits, seen, unseen)


class _Questions(NamedTuple):
    """Queries of seen classes, then of unseen ones, then learned items; which are similar."""

    items: np.ndarray
    similar: np.ndarray
    seen: slice
    unseen: slice
    asked: slice  # of both kinds
    learned: slice

    def qualities(self, codes: np.ndarray, *, fresh: bool = False) -> tuple[float, float]:
        """Return the mean average precision on seen and on unseen classes.

        Queries of seen classes search learned items; if `fresh`, those that were not learned, as
        far as there are relevant ones: codes of learned items are better than a database's.
        """
        packed, similar = pack_codes(codes), self.similar
        of_asked = average_precision(
            packed[self.asked],
            packed[self.asked],
            similar[self.asked, self.asked],
            exclude_self=True,
        )
        of_seen = average_precision(
            packed[self.seen], packed[self.learned], similar[self.seen, self.learned]
        )
        if fresh:
            found = of_asked[self.seen]
            of_seen = np.where(np.isnan(found), of_seen, found)
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


def _learn_labels(
    X: Any, evidence: Evidence, parts: Parts, lengths: tuple[float, ...]
) -> list[BaseHasher]:
    """Learn codes from labels of some lengths, as shares of all bits.

    The first n bits of the shortest that has them stand for a code of n bits: one per share would
    cost too much.
    """
    hashers = []
    with warnings.catch_warnings(action="ignore"):  # trials are discarded
        for n_bits in np.unique(np.ceil(np.array(lengths) * parts.n_bits)):
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


def _summed(
    training: Training,
    questions: _Questions,
    evidence: Evidence,
    label_hasher: BaseHasher,
    items: np.ndarray,
) -> list[tuple[float, float]]:
    """Return the quality of each weight of label margins on seen and on unseen items."""
    with warnings.catch_warnings(action="ignore"):  # trials are discarded
        learned = learn_sum(training, evidence, label_hasher, 0.5, items)
    codes = learned.shares(label_hasher, training.X[questions.items], SUM_SHARES)
    return [questions.qualities(bits.view(np.uint8), fresh=True) for bits in codes]


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

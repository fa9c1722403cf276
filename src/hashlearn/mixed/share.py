"""How many of the bits labels get: shares are tried on classes that are held out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hashlearn.metrics import average_precision
from hashlearn.mixed.parts import Parts, quiet
from hashlearn.mixed.supervision import Supervision
from hashlearn.mixed.trials import Trial, hold_out
from hashlearn.progress import track
from hashlearn.search import pack_codes

N_SHARES = 9  # eighths of the bits
DEFAULT_SHARE = 0.5  # where no class can be held out
MAX_GEOMETRY_ITEMS = 2000  # unlabelled ones that the geometry of a trial is learned from


class ShareScores(NamedTuple):
    """What each number of label bits reached on the items that trials held out.

    Attributes
    ----------
    label_bits : ndarray of int, of shape (n_shares,)
        Bits from labels.
    seen, unseen : ndarray of shape (n_shares,)
        Mean average precision of items of classes that were learned, and that were held out,
        each searched among both. NaN where the geometry hasher takes no such number of bits.
    """

    label_bits: np.ndarray
    seen: np.ndarray
    unseen: np.ndarray

    def best(self, seen_weight: float) -> int:
        """Return the place of the best share; of equals, the one with fewest label bits.

        Examples
        --------
        >>> scores = ShareScores(np.array([0, 4, 8]), np.array([0.5, 0.7, 0.8]),
        ...                      np.array([0.6, 0.6, 0.4]))
        >>> scores.best(seen_weight=0.5), scores.best(seen_weight=1.0)
        (1, 2)
        """
        weighed = seen_weight * self.seen + (1 - seen_weight) * self.unseen
        return int(np.nanargmax(weighed))

    def explain(self, best: int) -> str:
        """Return what the share at a place reached, beside labels alone and geometry alone."""
        at = [f"{self.seen[i]:.3f} and {self.unseen[i]:.3f}" for i in (best, -1, 0)]
        return (
            f"on seen and on held-out classes MAP {at[0]}; {at[1]} if all were label bits, "
            f"{at[2]} if none"
        )


def try_shares(
    X: Any,
    supervision: Supervision,
    parts: Parts,
    random_state: np.random.RandomState,
    verbose: int,
) -> ShareScores | None:
    """Measure shares on classes held out of the training items; None where none can be.

    Parameters
    ----------
    X : array or CSR matrix of n_items rows
        All items, the unlabelled ones too.
    supervision : Supervision
        What is known of them.
    parts : Parts
        The hashers.
    random_state : RandomState
        Draws classes and items.
    verbose : int
        Above 0, a bar over the trials.
    """
    trials = hold_out(supervision, random_state)
    if not trials:
        return None
    unlabelled = random_state.permutation(np.flatnonzero(~supervision.known))[:MAX_GEOMETRY_ITEMS]
    label_bits = np.unique(np.rint(np.linspace(0, parts.n_bits, N_SHARES)).astype(int))
    measured = [
        _measured(X, supervision, parts, trial, unlabelled, label_bits)
        for trial in track(trials, "Shares of bits: classes held out", len(trials), verbose)
    ]
    seen, unseen = np.mean(measured, axis=0).T
    return ShareScores(label_bits, seen, unseen)


def _measured(
    X: Any,
    supervision: Supervision,
    parts: Parts,
    trial: Trial,
    unlabelled: np.ndarray,
    label_bits: np.ndarray,
) -> list[tuple[float, float]]:
    """Return what each share reaches in a trial, on seen and on unseen items."""
    tested = np.concatenate([trial.seen, trial.unseen])
    is_seen = np.arange(tested.size) < trial.seen.size
    similar = supervision.similar(tested, tested)
    from_labels = _label_codes(X, supervision, parts, trial, tested)
    items = np.concatenate([trial.training, unlabelled])
    reached = []
    for n_label_bits in label_bits:
        n_left = parts.n_bits - n_label_bits
        from_geometry = _geometry_codes(X, parts, items, tested, n_left)
        if from_geometry is None:
            reached.append((np.nan, np.nan))
            continue
        packed = pack_codes(np.hstack([from_labels[:, :n_label_bits], from_geometry]))
        values = average_precision(packed, packed, similar, exclude_self=True)
        reached.append((np.nanmean(values[is_seen]), np.nanmean(values[~is_seen])))
    return reached


def _label_codes(
    X: Any, supervision: Supervision, parts: Parts, trial: Trial, tested: np.ndarray
) -> np.ndarray:
    """Return bits from labels of the items asked for, as many as there are bits in all.

    The first so many of them stand for a code of so many bits: learning each would cost too much.
    """
    hasher = parts.label_hasher_of(parts.n_bits)
    with quiet():
        hasher.fit(X[trial.training], **supervision.of(trial.training))
    return hasher.transform(X[tested])


def _geometry_codes(
    X: Any, parts: Parts, items: np.ndarray, tested: np.ndarray, n_bits: int
) -> np.ndarray | None:
    """Return bits from geometry of the items asked for; None where it takes no such number."""
    if n_bits == 0:
        return np.empty((tested.size, 0), dtype=np.uint8)
    hasher = parts.geometry_hasher_of(n_bits)
    try:
        with quiet():
            hasher.fit(X[items])
    except ValueError:  # more bits than features, say: another share may do
        return None
    return hasher.transform(X[tested])

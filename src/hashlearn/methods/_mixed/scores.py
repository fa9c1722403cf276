"""Qualities of shares on held-out classes, and the best of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

MOST_LOST = 0.015  # of the quality on seen classes, if both kinds of classes have equal weight
LEAST_PER_BIT = 3  # label bits for each bit of a class's number: codes of classes must lie apart,
MOST_NEEDED = 0.75  # but not of all bits; trials have fewer items than a database, and miss this
SMOOTH = 3  # degree of the curve through measurements: single ones are noisy if labels are few


class ShareScores(NamedTuple):
    """Quality of each number of label bits on the items that trials held out.

    It is the mean average precision; NaN where the geometry hasher has no such length.
    """

    label_bits: np.ndarray  # from labels: none, then eighths of all
    seen: np.ndarray  # of items of learned classes, searched among learned items
    unseen: np.ndarray  # and of those of held-out classes, searched among both kinds

    @property
    def shares(self) -> np.ndarray:
        """The shares of all bits."""
        return self.label_bits / self.label_bits[-1]

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


class SumScores(NamedTuple):
    """Quality of each weight of label margins in sums, on the items that trials held out."""

    share: np.ndarray  # the weight of label margins
    seen: np.ndarray
    unseen: np.ndarray

    @property
    def shares(self) -> np.ndarray:
        """The weights of label margins."""
        return self.share

    def best(self, seen_weight: float, n_classes: int = 1) -> int:
        """Return the position of the best weighted geometric mean of both qualities.

        Among equals the least weight of labels wins. The number of classes does not matter: every
        bit tells them apart.
        """
        logs = np.log(np.maximum([self.seen, self.unseen], np.finfo(float).tiny))
        return int(np.argmax(seen_weight * logs[0] + (1 - seen_weight) * logs[1]))

    def explain(self, best: int) -> str:
        """Return the quality at a position, and of label bits alone, in words."""
        places = {best: "", self.share.size - 1: f" with share {self.share[-1]:g}"}
        reached = [f"{self.seen[i]:.3f} and {self.unseen[i]:.3f}{w}" for i, w in places.items()]
        return f"MAP on seen and on held-out classes {', '.join(reached)}"


def _smooth(x: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return values on a cubic of x, those as they are that are too few for one; NaN stays NaN."""
    measured = np.isfinite(values)
    if measured.sum() <= SMOOTH + 1:
        return values
    curve = np.polynomial.Polynomial.fit(x[measured], values[measured], SMOOTH)
    return np.where(measured, curve(x), np.nan)

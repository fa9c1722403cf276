"""The choice of the smallest codes that are good enough."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from hashlearn.comparison._options import Option, best_of, of_codes, vectors_of
from hashlearn.comparison._truths import IN_USE

DEFAULT_RECALL = 0.9  # of codes for vectors alone, unless a target is given


class Target(NamedTuple):
    """A measure, and what it must reach."""

    measure: str
    at_least: float

    @classmethod
    def parse(cls, text: str) -> Target:
        """Read a target such as ``recall@10=0.95``."""
        name, _, number = str(text).partition("=")
        try:
            return cls(name.strip(), _checked(float(number)))
        except ValueError:
            raise ValueError(
                "target must be a measure and a number from 0 to 1, such as recall@10=0.95; got "
                f"{text!r}."
            ) from None

    def __str__(self) -> str:
        return f"{self.measure} of at least {self.at_least:g}"

    @property
    def cutoff(self) -> int | None:
        """The number behind the @."""
        found = re.fullmatch(r".*@(\d+)", self.measure)
        return int(found[1]) if found else None

    def check(self, measures: Sequence[str]) -> None:
        """Raise if the measure is not one of those that the data allow."""
        if self.measure not in measures:
            raise ValueError(
                f"target {self.measure!r} is not measured here; the measures of these data are "
                f"{', '.join(measures)}."
            )


class Choice(NamedTuple):
    """A chosen option, and why.

    `measure` decided, and `target` had to be reached; None: what the vectors reach. `level` are
    options that are as good.
    """

    option: Option
    measure: str
    target: Target | None
    reached: bool
    level: list[Option]


def choose(
    options: Sequence[Option],
    measure: str,
    target: Target | None = None,
    *,
    rescored: bool = False,
) -> Choice:
    """Choose the smallest option that reaches the target; else the one that comes nearest.

    Without a target, 9 of 10 neighbours must be found, or right items as well as by the vectors; if
    nothing is as good as these, the smallest option that is as good as the best is chosen.
    """
    if target is None and measure.startswith("recall"):
        target = Target(measure, DEFAULT_RECALL)
    measure = measure if target is None else target.measure
    codes = of_codes(options, rescored=rescored)
    best = best_of(codes, measure)
    if best is None:
        raise ValueError(f"no codes were measured by {measure}.")
    if target is None:
        vectors = vectors_of(options)
        reaching = [one for one in codes if vectors and _are_as_good(one, vectors, measure)]
        good = reaching or [one for one in codes if one.is_as_good_as(best, measure)]
    else:
        good = reaching = [one for one in codes if one.reaches(*target)]
    if not good:
        return Choice(best, measure, target, False, _level(best, codes, measure))
    least = min(one.n_bytes for one in good)
    smallest = [one for one in good if one.n_bytes == least]
    fewest = min(one.candidates for one in smallest)
    smallest = [one for one in smallest if one.candidates == fewest]
    chosen = best_of(smallest, measure) or best
    return Choice(chosen, measure, target, bool(reaching), _level(chosen, smallest, measure))


def _are_as_good(codes: Option, vectors: Option, measure: str) -> bool:
    """Return whether codes are as good as the vectors, with the training items to be found too.

    These make the vectors better, but not what was learned from them.
    """
    names = [name for name in (measure, IN_USE + measure) if vectors.folds(name)]
    return all(codes.is_as_good_as(vectors, name) for name in names)


def _level(option: Option, others: Sequence[Option], measure: str) -> list[Option]:
    """Return the options, other than those of the same codes, that are level with one."""
    return [one for one in others if one.key != option.key and one.is_level(option, measure)]


def _checked(number: float) -> float:
    if not 0 <= number <= 1:
        raise ValueError
    return number

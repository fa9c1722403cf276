"""Coverage: with how many seeds a row is run at each place, and what is left out as too slow.

What `hashlearn paper` is asked for by name (``--seeds``, ``--methods``) is run as asked.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from hashlearn.experiments.variants import further_rankings, library_method
from hashlearn.methods import METHODS

SEEDS = 3
SEEDS_AT_OTHER_LENGTHS = 1  # than that of the tables
# The classes that a seed keeps out decide: results on several labels differ by more than methods.
SEEDS_OF_NEW_LABELS = 10


@dataclass(frozen=True)
class Slow:
    """A method whose cells take minutes: where it is run all the same."""

    seeds: dict[str, int]  # by protocol, at the length of the tables
    all_labels: Collection[str] = ()  # data sets


SLOW = {
    "fasthash": Slow({"usual": 3, "unseen": 1, "all-labels": 1}, all_labels=("cifar10",)),
}


@dataclass(frozen=True)
class Place:
    """Where a row would be run."""

    dataset: str
    protocol: str
    is_table_length: bool  # the length of codes in tables
    has_several_labels: bool


def n_seeds(method: str, place: Place, asked: int | None = None, *, named: bool = False) -> int:
    """Return the number of seeds of a row at a place, 0 if it is left out there.

    `asked` is the number of seeds asked for, `named` whether the methods were.
    """
    if not (place.is_table_length or named) and method in further_rankings():
        return 0  # the same codes as in the method's own row, which take longer to rank
    slow = None if named else SLOW.get(library_method(method))
    if slow is None:
        return asked or _usual_seeds(place)
    if not place.is_table_length:
        return 0
    if place.protocol == "all-labels" and place.dataset not in slow.all_labels:
        return 0
    most = slow.seeds.get(place.protocol, 0)
    return (asked or most) if most else 0


def _usual_seeds(place: Place) -> int:
    if not place.is_table_length:
        return SEEDS_AT_OTHER_LENGTHS
    if place.protocol == "unseen" and place.has_several_labels:
        return SEEDS_OF_NEW_LABELS
    return SEEDS


def why_fewer(method: str) -> str:
    """Return why a row has fewer results than others, in a few words; "" without a reason."""
    return "a run takes minutes" if library_method(method) in SLOW else ""


def coverage_text() -> str:
    """Return what is run by default, in sentences."""
    return " ".join(
        [
            f"Unless the command asks for seeds or methods, {SEEDS} seeds are run at the length of "
            f"the tables and {SEEDS_AT_OTHER_LENGTHS} at other lengths; on unseen classes of sets "
            f"with several labels {SEEDS_OF_NEW_LABELS}, because much depends on the labels "
            "that a seed draws. Rows that rank a method's codes in another way are run at the "
            "length of the tables only.",
            *map(_slow_text, SLOW),
        ]
    )


def _slow_text(method: str) -> str:
    seeds, sets = SLOW[method].seeds, SLOW[method].all_labels
    counts = [f"{n} in the protocol {protocol}" for protocol, n in seeds.items()]
    return (
        f"{METHODS.get(method).card.title}, of which a run takes minutes, is run at the length of "
        f"the tables only, with fewer seeds: {', '.join(counts)} (there on {', '.join(sets)} only)."
    )

"""Rows of the tables: the methods in order, each with its group and title."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from hashlearn.losses import LOSSES
from hashlearn.methods import METHODS

Group = Literal["supervised", "unsupervised", "reference"]
GROUPS: tuple[Group, ...] = ("supervised", "unsupervised", "reference")
REFERENCE = "classifier-codes"
PREFERRED = "itq"  # the unsupervised method whose examples are shown, if it has results
TSH = "tsh-bre"  # the paper: "TSH denotes our method using BRE loss function"
OWN_DISTANCE = ":own"  # suffix of a method ranked by its own distance, not by Hamming distance


class KnownMethod(NamedTuple):
    """A row: the method's registered name, its title in tables, and its group."""

    name: str
    title: str
    group: Group


_ORDER = (  # as in the paper; groups stay together
    *("tsh-ksh", "tsh-bre", "tsh-splh", "tsh-ee", "tsh-exph", "sths", "sths-rbf", "ksh", "bres"),
    *("mlh", "splh", "itq-cca", "cghash", "fasthash", "sdh", "mixed"),
    *("mdsh", "spher", "itq", "agh", "sth", "bre", "lsh", "klsh", "sph", "imh"),
    REFERENCE,
)
_TITLES = {"tsh-exph": "TSH-ExpH", REFERENCE: "classifier codes (reference)"}


def _title(method: str) -> str:
    """Return a method's name in tables."""
    card = METHODS.get(method).card if method in METHODS.names() else None
    return _TITLES.get(method) or (card.title if card else "") or method.upper()


def is_two_step(method: str) -> bool:
    """Return whether a method is two-step hashing with some loss."""
    return method.startswith("tsh-")


def _group(method: str) -> Group:
    """Return the group that a method belongs to."""
    if is_two_step(method):
        return "supervised"
    if method not in METHODS.names():
        return "reference"  # or a method that this version does not have
    return "supervised" if METHODS.get(method).supervised else "unsupervised"


KNOWN_METHODS = tuple(KnownMethod(name, _title(name), _group(name)) for name in _ORDER)


def method_rows(in_results: Iterable[str] = ()) -> list[KnownMethod]:
    """Return known methods, then others (registered or in results) at the end of their group."""
    known = {method.name for method in KNOWN_METHODS}
    # `tsh` is a family: its rows have the name of a loss.
    names = dict.fromkeys([*METHODS.names(), *map(base_method, sorted(in_results))])
    further = [
        KnownMethod(name, _title(name), _group(name))
        for name in names
        if name not in known and name != "tsh"
    ]
    rows = sorted([*KNOWN_METHODS, *further], key=lambda method: GROUPS.index(method.group))
    return [row for method in rows for row in (method, *_own_row(method))]


def base_method(name: str) -> str:
    """Return a method's name without the suffix for its own distance."""
    return name.removesuffix(OWN_DISTANCE)


def with_own_distance() -> list[str]:
    """Return the names of the rows that are ranked by a method's own distance."""
    return [f"{name}{OWN_DISTANCE}" for name in METHODS.names() if METHODS.get(name).card.distance]


def _own_row(method: KnownMethod) -> list[KnownMethod]:
    """Return the row of a method's own distance, if it has one."""
    name = f"{method.name}{OWN_DISTANCE}"
    if name not in with_own_distance():
        return []
    distance = METHODS.get(method.name).card.distance
    return [KnownMethod(name, f"{method.title}, {distance}", method.group)]


def is_implemented(method: str) -> bool:
    """Return whether the library has a method."""
    if is_two_step(method):
        return method.removeprefix("tsh-") in LOSSES.names()
    return method in (REFERENCE, *METHODS.names(), *with_own_distance())


def figure_methods(names: Iterable[str]) -> list[str]:
    """Return methods with only one loss of two-step hashing, as in the paper's figures."""
    names = list(names)
    losses = sorted(filter(is_two_step, names), key=lambda name: (name != TSH, name))
    return [name for name in names if name not in losses[1:]]


def example_methods(names: Iterable[str]) -> list[str]:
    """Return two-step hashing and one unsupervised method, if there are any."""
    names = figure_methods(names)
    groups = {row.name: row.group for row in method_rows(names)}
    others = [name for name in names if groups[name] == "unsupervised"]
    others.sort(key=lambda name: name != PREFERRED)
    return [*filter(is_two_step, names), *others[:1]]

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
OWN_DISTANCE = ":own"  # after a method's name: ranked by its own distance, not by Hamming's


class KnownMethod(NamedTuple):
    """A row: the method's registered name, its title in tables, and its group."""

    name: str
    title: str
    group: Group


_ORDER = (  # of the rows, as in the paper; groups stay together
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
    """Return every row: the known methods, and others at the end of their group.

    Parameters
    ----------
    in_results : iterable of str
        Methods that have results: they get a row even if they are not registered.

    Examples
    --------
    >>> rows = method_rows(["tsh-hinge"])
    >>> [row.title for row in rows if row.group == "supervised"][-1]
    'TSH-HINGE'
    """
    known = {method.name for method in KNOWN_METHODS}
    # `tsh` is a family: its rows carry the name of a loss.
    names = dict.fromkeys([*METHODS.names(), *map(base_method, sorted(in_results))])
    further = [
        KnownMethod(name, _title(name), _group(name))
        for name in names
        if name not in known and name != "tsh"
    ]
    rows = sorted([*KNOWN_METHODS, *further], key=lambda method: GROUPS.index(method.group))
    return [row for method in rows for row in (method, *_own_row(method))]


def base_method(name: str) -> str:
    """Return a method's name without the suffix for its own distance.

    Examples
    --------
    >>> base_method("mdsh:own"), base_method("itq")
    ('mdsh', 'itq')
    """
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
    """Return whether the library has a method.

    Examples
    --------
    >>> is_implemented("lsh"), is_implemented("tsh-bre"), is_implemented("tsh-none")
    (True, True, False)
    """
    if is_two_step(method):
        return method.removeprefix("tsh-") in LOSSES.names()
    return method in (REFERENCE, *METHODS.names(), *with_own_distance())


def figure_methods(names: Iterable[str]) -> list[str]:
    """Return methods with one loss of two-step hashing, as the paper's figures have them.

    Examples
    --------
    >>> figure_methods(["tsh-ksh", "tsh-bre", "lsh"]), figure_methods(["tsh-ee", "lsh"])
    (['tsh-bre', 'lsh'], ['tsh-ee', 'lsh'])
    """
    names = list(names)
    losses = sorted(filter(is_two_step, names), key=lambda name: (name != TSH, name))
    return [name for name in names if name not in losses[1:]]


def example_methods(names: Iterable[str]) -> list[str]:
    """Return two-step hashing and one unsupervised method, if there are any.

    Examples
    --------
    >>> example_methods(["tsh-ksh", "tsh-bre", "lsh", "classifier-codes"])
    ['tsh-bre', 'lsh']
    """
    names = figure_methods(names)
    groups = {row.name: row.group for row in method_rows(names)}
    others = [name for name in names if groups[name] == "unsupervised"]
    others.sort(key=lambda name: name != PREFERRED)
    return [*filter(is_two_step, names), *others[:1]]

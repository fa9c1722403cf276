"""Rows of the tables: the methods in order, each with its group and title."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from hashlearn.experiments.variants import (
    DEFAULT,
    VARIANTS,
    base_method,
    further_rankings,
    library_method,
    variant_of,
    variants_of,
)
from hashlearn.losses import LOSSES
from hashlearn.methods import METHODS

Group = Literal["supervised", "unsupervised", "reference"]
GROUPS: tuple[Group, ...] = ("supervised", "unsupervised", "reference")
REFERENCE = "classifier-codes"
PREFERRED = "itq"  # the unsupervised method whose examples are shown, if it has results
TSH = "tsh-bre"  # the paper: "TSH denotes our method using BRE loss function"


class KnownMethod(NamedTuple):
    """A row: the method's registered name, its title in tables, and its group."""

    name: str
    title: str
    group: Group


_ORDER = (  # as in the paper; groups stay together
    *("tsh-ksh", "tsh-bre", "tsh-splh", "tsh-ee", "tsh-exph", DEFAULT, "sths", "sths-rbf", "ksh"),
    *("bres", "mlh", "splh", "itq-cca", "cghash", "fasthash", "sdh", "mixed"),
    *("mdsh", "spher", "itq", "agh", "sth", "bre", "lsh", "klsh", "sph", "imh"),
    REFERENCE,
)
_TITLES = {"tsh-exph": "TSH-ExpH", REFERENCE: "classifier codes (reference)"}


def _title(method: str) -> str:
    """Return a method's name in tables."""
    variant = variant_of(method)
    if variant is not None:
        return variant.title
    card = METHODS.get(method).card if method in METHODS.names() else None
    return _TITLES.get(method) or (card.title if card else "") or method.upper()


def is_two_step(method: str) -> bool:
    """Return whether a method is two-step hashing with some loss, as in the paper."""
    return method.startswith("tsh-")


def _group(method: str) -> Group:
    """Return the group that a method belongs to."""
    name = library_method(method)
    if is_two_step(name):
        return "supervised"
    if name not in METHODS.names():
        return "reference"  # or a method that this version does not have
    return "supervised" if METHODS.get(name).supervised else "unsupervised"


KNOWN_METHODS = tuple(KnownMethod(name, _title(name), _group(name)) for name in _ORDER)


def method_rows(in_results: Iterable[str] = ()) -> list[KnownMethod]:
    """Return known methods, then others (registered or in results) at the end of their group."""
    known = {method.name for method in KNOWN_METHODS}
    variants = {variant.name for variant in VARIANTS}  # their rows follow those of their methods
    names = dict.fromkeys([*METHODS.names(), *map(base_method, sorted(in_results))])
    further = [
        KnownMethod(name, _title(name), _group(name))
        for name in names
        if name not in known and name not in variants
    ]
    rows = sorted([*KNOWN_METHODS, *further], key=lambda method: GROUPS.index(method.group))
    return [row for method in rows for row in (method, *_further_rows(method))]


def _further_rows(method: KnownMethod) -> list[KnownMethod]:
    """Return the rows of a method's other rankings, and of its variants."""
    rows = [
        KnownMethod(name, f"{method.title}, {words}", method.group)
        for name, words in further_rankings().items()
        if base_method(name) == method.name
    ]
    return rows + [
        KnownMethod(variant.name, variant.title, method.group)
        for variant in variants_of(method.name)
    ]


def is_implemented(method: str) -> bool:
    """Return whether the library has a method."""
    if is_two_step(method):
        return method.removeprefix("tsh-") in LOSSES.names()
    variants = (variant.name for variant in VARIANTS)
    return method in (REFERENCE, *METHODS.names(), *further_rankings(), *variants)


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

"""Variants: rows of the tables that are a method with given parameters, or another ranking.

Every other row is a method as published. To add a row, add a line to `VARIANTS`: the name then
works in `hashlearn paper --methods`, and the row is in every table that has the method.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from hashlearn.methods import METHODS, make_hasher

DEFAULT = "tsh"  # two-step hashing as users get it: all parameters are the defaults
OWN_DISTANCE = ":own"  # suffix of a method ranked by its own distance, not by Hamming distance
MOST_CORRECTED_CLASSES = 50  # as in `TwoStepHasher(correct=True)`
FLOAT_QUERIES = ":float"  # suffix of a method whose queries are not rounded to bits


# Methods that also have a row of float queries, besides those whose codes are made for them.
WITH_FLOAT_QUERIES: tuple[str, ...] = ()


def anywhere(protocol: str, y: Any) -> bool:
    """Return True: a row that suits all labels, in every protocol."""
    return True


def several_labels(protocol: str, y: Any) -> bool:
    """Return whether items have several labels."""
    return y is not None and y.ndim == 2


def few_items_of_few_classes(protocol: str, y: Any) -> bool:
    """Return whether bits can be corrected by classes."""
    has_classes = protocol in ("usual", "unseen") and y is not None and y.ndim == 1
    return has_classes and np.unique(y).size <= MOST_CORRECTED_CLASSES


class Variant(NamedTuple):
    """A row that is a method with parameters of its own."""

    name: str  # in results and on the command line
    title: str  # in tables
    method: str  # a name for `make_hasher`
    parameters: Mapping[str, Any] = {}
    suits: Callable[[str, Any], bool] = anywhere  # which protocols and labels it is for


GRADED = {"similarity": "idf-cosine"}
VARIANTS = (
    Variant(DEFAULT, "TSH (default)", "tsh"),
    Variant("corrected", "TSH, corrected", "tsh", {"correct": True}, few_items_of_few_classes),
    Variant("ksh-graded", "KSH, idf-cosine", "ksh", GRADED, several_labels),
    Variant("cghash-graded", "CGHash, idf-cosine", "cghash", GRADED, several_labels),
)

# Parameters of publications that are not the defaults, by method.
PUBLISHED: dict[str, dict[str, Any]] = {"sdh": {"sigma": 0.4}}
# For every published method that has them: items are similar if they share a label.
PUBLISHED_FOR_ALL = {"similarity": "shared"}
UNPUBLISHED = ("mixed",)  # with all defaults

_BY_NAME = {variant.name: variant for variant in VARIANTS}


def variant_of(name: str) -> Variant | None:
    """Return the variant of a row, if it is one."""
    return _BY_NAME.get(base_method(name))


def variants_of(method: str) -> list[Variant]:
    """Return the variants of a method that have another name than the method itself."""
    return [variant for variant in VARIANTS if variant.method == method != variant.name]


def base_method(name: str) -> str:
    """Return a row's name without the suffix for its ranking."""
    return name.removesuffix(OWN_DISTANCE).removesuffix(FLOAT_QUERIES)


def library_method(name: str) -> str:
    """Return the name of a row's method for `make_hasher`."""
    variant = variant_of(name)
    return base_method(name) if variant is None else variant.method


def parameters_of(name: str) -> dict[str, Any]:
    """Return the parameters of a row's method that must be set: as published, or the variant's."""
    variant = variant_of(name)
    if variant is not None:
        return dict(variant.parameters)
    method = base_method(name)
    if method in UNPUBLISHED or not (method.startswith("tsh-") or method in METHODS.names()):
        return {}
    known = make_hasher(method).get_params(deep=False)
    shared = {key: value for key, value in PUBLISHED_FOR_ALL.items() if key in known}
    return shared | PUBLISHED.get(method, {})


def further_rankings() -> dict[str, str]:
    """Return the rows that rank a method's codes in another way, with what their titles add."""
    rows = {}
    for name in METHODS.names():
        method = METHODS.get(name)
        if method.card.distance:
            rows[f"{name}{OWN_DISTANCE}"] = method.card.distance
        if method.asymmetric or name in WITH_FLOAT_QUERIES:
            rows[f"{name}{FLOAT_QUERIES}"] = "float queries"
    return rows

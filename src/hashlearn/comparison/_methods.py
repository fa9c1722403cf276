"""The methods to compare: a short list with reasons, or those that are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from hashlearn.comparison._truths import Truth
from hashlearn.methods import list_methods, make_hasher

WITHOUT_LABELS = {
    "itq": "among the best by Hamming distance at any length, and quick",
    "bae": "the most recall per byte, with queries that are not rounded to bits",
    "mdsh": "sometimes ahead of itq by Hamming distance",
    "lsh": "random bits, the least that learning must beat",
}
MORE_BITS_THAN_FEATURES = {"klsh": "codes may have more bits than vectors have features"}
WITH_LABELS = {
    "tsh": "the best codes on most data with labels",
    "sdh": "near to tsh, and quick to learn",
    "itq-cca": "linear: the quickest to learn and to encode with",
    "itq": "learned without labels: what labels add, and how new classes fare without them",
    "mixed": "bits from labels and bits from geometry, for classes that appear later",
}
WITH_PAIRS = {name: WITH_LABELS[name] for name in ("tsh", "itq", "mixed")} | {
    "ksh": "learns from pairs, bit after bit"
}
SHORT_LISTS = {"vectors": WITHOUT_LABELS, "labels": WITH_LABELS, "pairs": WITH_PAIRS}


def check_methods(methods: Any) -> str | tuple[str, ...]:
    """Return "auto", "all" or the names that are asked for; raise if one is not known."""
    if isinstance(methods, str) and methods in ("auto", "all"):
        return methods
    is_several = isinstance(methods, Iterable) and not isinstance(methods, str)
    names = list(methods) if is_several else [methods]
    if not names or not all(isinstance(name, str) for name in names):
        raise ValueError(
            f"methods must be 'auto', 'all' or names such as 'tsh' and 'itq'; got {methods!r}."
        )
    for name in names:
        make_hasher(name).check_parts()
    return tuple(dict.fromkeys(names))


def choose_methods(
    methods: str | tuple[str, ...], truth: Truth, lengths: Sequence[int], n_features: int
) -> dict[str, str]:
    """Return the methods that are asked for, each with the reason for it.

    "auto" is a short list, "all" every method that can learn from what there is.
    """
    if isinstance(methods, tuple):
        for name in methods:
            if not _can_learn(name, truth):
                what = "pairs" if truth.supervised else "items alone"
                raise ValueError(
                    f"method {name!r} learns from labels; it cannot learn from {what}."
                )
        return dict.fromkeys(methods, "asked for")
    likely = _automatic(truth, lengths, n_features)
    if methods == "auto":
        return likely
    others = [name for name in list_methods() if name not in likely and _can_learn(name, truth)]
    return likely | dict.fromkeys(others, "asked for")  # last: the time may not do for all


def _automatic(truth: Truth, lengths: Sequence[int], n_features: int) -> dict[str, str]:
    longer = not truth.supervised and max(lengths) > n_features
    return SHORT_LISTS[truth.name] | (MORE_BITS_THAN_FEATURES if longer else {})


def _can_learn(name: str, truth: Truth) -> bool:
    return truth.has_labels or not make_hasher(name).needs_labels

"""Compact binary codes: learned from labels, pairs or raw vectors, searched by Hamming distance."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from hashlearn._version import __version__

if TYPE_CHECKING:
    from hashlearn._public import (
        EigenfunctionDistance,
        FloatQueries,
        HammingIndex,
        MarginRescoring,
        MixedHasher,
        SphericalHamming,
        TwoStepHasher,
        VectorRescoring,
        WeightedHamming,
        compare,
        list_methods,
        load,
        make_hasher,
        nearest_codes,
        pack_codes,
        unpack_codes,
    )

__all__ = [
    "EigenfunctionDistance",
    "FloatQueries",
    "HammingIndex",
    "MarginRescoring",
    "MixedHasher",
    "SphericalHamming",
    "TwoStepHasher",
    "VectorRescoring",
    "WeightedHamming",
    "__version__",
    "compare",
    "list_methods",
    "load",
    "make_hasher",
    "nearest_codes",
    "pack_codes",
    "unpack_codes",
]


def __getattr__(name: str) -> Any:
    """Import a public name, or a room, when it is first used: `hashlearn --help` needs none."""
    if name in __all__:
        globals()[name] = getattr(import_module("hashlearn._public"), name)
        return globals()[name]
    if name.isidentifier() and not name.startswith("_") and find_spec(f"hashlearn.{name}"):
        return import_module(f"hashlearn.{name}")
    raise AttributeError(f"module 'hashlearn' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

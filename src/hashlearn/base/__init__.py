"""The base of every hasher: bits, packed codes, a score, a summary, a file."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hashlearn.base.card import Card
from hashlearn.base.summary import Summary

if TYPE_CHECKING:
    from hashlearn.base.fit_description import describe_fit
    from hashlearn.base.hasher import METHODS, BaseHasher, register

__all__ = ["METHODS", "BaseHasher", "Card", "Summary", "describe_fit", "register"]


def __getattr__(name: str) -> Any:
    """Import the base class when it is first used: a summary does not need scikit-learn."""
    if name in __all__:
        module = "fit_description" if name == "describe_fit" else "hasher"
        return getattr(import_module(f"hashlearn.base.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

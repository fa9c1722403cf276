"""What follows from a fitted hasher and is kept: its fingerprint, and what encoding needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.utils.validation import check_is_fitted

from hashlearn.files import model_digest


class Fingerprinted:
    """The part of a hasher that identifies it, and keeps what is derived from its attributes."""

    def fingerprint(self) -> str | None:
        """Return 16 hexadecimal digits that identify the fitted model and so its codes.

        Returns
        -------
        fingerprint : str or None
            Equal for a model and its file. None for a model that no file can hold, such as one with
            other libraries' classifiers.
        """
        return self._derived("fingerprint", lambda: _digest(self))

    def _derived(self, name: str, make: Callable[[], Any]) -> Any:
        """Return what follows from the attributes, made once; until one of them is set."""
        kept = self.__dict__.setdefault("_kept", {})
        if name not in kept:
            kept[name] = make()
        return kept[name]

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute, and forget what was derived."""
        self.__dict__.pop("_kept", None)
        if name.endswith("_"):  # a fitted hasher has a place for it: `encode` adds no attribute
            self.__dict__["_kept"] = {}
        super().__setattr__(name, value)

    def __getstate__(self) -> dict[str, Any]:
        """Return what copies and pickles hold: nothing that is derived."""
        state: Any = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_kept"}


def _digest(hasher: Any) -> str | None:
    check_is_fitted(hasher)
    try:
        return model_digest(hasher)
    except TypeError:
        return None

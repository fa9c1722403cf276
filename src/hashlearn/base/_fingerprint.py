"""Fingerprint of a fitted hasher: which model made a code."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from hashlearn.files import model_digest


class Fingerprinted:
    """The part of a hasher that identifies it; the digest is kept until an attribute is set."""

    def fingerprint(self) -> str | None:
        """Return 16 hexadecimal digits that identify the fitted model and so its codes.

        Returns
        -------
        fingerprint : str or None
            Equal for a model and its file. None for a model that no file can hold, such as one with
            other libraries' classifiers.
        """
        check_is_fitted(self)
        if "_fingerprint" not in self.__dict__:
            self.__dict__["_fingerprint"] = _digest(self)
        return self.__dict__["_fingerprint"]

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute; a changed model has another fingerprint."""
        self.__dict__.pop("_fingerprint", None)
        super().__setattr__(name, value)


def _digest(hasher: Any) -> str | None:
    try:
        return model_digest(hasher)
    except TypeError:
        return None

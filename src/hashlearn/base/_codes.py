"""Codes of the training items: kept packed, and left out of what travels."""

from __future__ import annotations

import warnings
from copy import copy
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from hashlearn.search import unpack_codes


class TrainingCodes:
    """The part of a hasher that holds `codes_`; what describes them is `code_summary_`."""

    code_summary_: dict[str, Any]
    packed_codes_: np.ndarray
    n_bits_: int

    @property
    def codes_(self) -> np.ndarray:
        """The codes of the training items as 0/1, unpacked at every access."""
        if "packed_codes_" not in vars(self):
            raise AttributeError(
                f"This {type(self).__name__} has no codes_: it is not fitted, or was saved without "
                "the codes of its training items. Keep them with save(path, codes=True)."
            )
        return unpack_codes(self.packed_codes_, self.n_bits_)

    @codes_.setter
    def codes_(self, bits: np.ndarray) -> None:
        self.n_bits_ = bits.shape[1]
        self.packed_codes_ = np.packbits(bits, axis=1)
        self.__dict__.pop("code_summary_", None)  # of an earlier fit

    def without_codes(self) -> Self:
        """Return a copy without what encoding does not need.

        That is what grows with the training items, `codes_` and `groups_`, and what hash functions
        remember of them for `partial_fit`. The copy encodes the same, and is all that workers on
        other machines need.
        """
        return self._reduced(codes=False, partial_fit=False)

    def _reduced(self, *, codes: bool, partial_fit: bool) -> Self:
        """Return a copy without the training codes, and what `partial_fit` needs, unless asked."""
        light = copy(self)
        for name, value in vars(self).items():
            if name in ("packed_codes_", "groups_") and not codes:
                delattr(light, name)
            elif isinstance(value, TrainingCodes) and name.endswith("_"):
                setattr(light, name, value._reduced(codes=codes, partial_fit=partial_fit))
            elif name.endswith("_") and hasattr(value, "without_updates") and not partial_fit:
                setattr(light, name, value.without_updates())
        return light

    def _keep_codes(self: Any, X: Any) -> None:
        """Set `codes_` to the bits of the training items; warn if they are all equal."""
        self.codes_ = self._parallel_bits(X)
        if (self.packed_codes_ == self.packed_codes_[0]).all():
            classes = ", or most are of one class (unlabelled ones? See MixedHasher)"
            warnings.warn(
                "All training items have the same code: nothing in X separates them"
                f"{classes if self.supervised else ''}. Check the scale and the variance of the "
                "features, and whether they are far from the origin.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _add_codes(self, bits: np.ndarray) -> None:
        """Append the codes of more training items, where those of the first are kept."""
        if "packed_codes_" in vars(self):
            self.packed_codes_ = np.concatenate([self.packed_codes_, np.packbits(bits, axis=1)])
        else:
            self.__dict__.pop("code_summary_", None)  # it would describe the first items alone

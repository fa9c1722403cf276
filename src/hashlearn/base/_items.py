"""Checks of the items that a hasher learns from and encodes."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, validate_data

from hashlearn._numerics.arrays import ROW_DTYPES, is_numeric_array
from hashlearn._numerics.float_blocks import check_finite


class CheckedItems:
    """The part of a hasher that checks items."""

    n_features_in_: int

    def _items(self, X: Any) -> Any:
        """Return items to encode; values are converted and checked later, in blocks."""
        is_array = type(X) is np.ndarray and is_numeric_array(X) and X.size > 0
        if is_array and X.shape[1:] == (self.n_features_in_,):
            return X  # the checks below take longer than to encode a lone query
        return self._validated(X, reset=False, as_it_is=True)

    def _validate(self, X: Any, *, reset: bool) -> Any:
        """Return items as a float array or CSR matrix, checked as scikit-learn does.

        In a fit that reads blocks, an array of any numeric type is not converted.
        """
        has_rows = is_numeric_array(X) and X.ndim > 0
        as_it_is = reset and has_rows and self._reads_blocks(len(X))
        X = self._validated(X, reset=reset, as_it_is=as_it_is)
        if as_it_is:
            check_finite(X, type(self).__name__)
        return X

    def _validated(self, X: Any, *, reset: bool, as_it_is: bool) -> Any:
        if is_frame(X) and self._takes_frames():
            if reset:
                check_array(np.zeros((len(X), 1)), ensure_min_samples=2, estimator=self)
            return validate_data(self, X, reset=reset, skip_check_array=True)
        return validate_data(
            self if reset or is_frame(X) else _without_names(self),
            X,
            accept_sparse="csr" if self._accepts_sparse() else False,
            dtype="numeric" if as_it_is and is_numeric_array(X) else ROW_DTYPES,
            ensure_all_finite=not as_it_is,
            ensure_min_samples=2 if reset else 1,
            reset=reset,
        )

    def _accepts_sparse(self) -> bool:
        """Return whether X may be sparse."""
        return True

    def _takes_frames(self) -> bool:
        """Return whether a data frame is not made an array: a classifier may use its columns."""
        return False

    def _reads_blocks(self, n_samples: int) -> bool:
        """Return whether a fit to `n_samples` items converts them in blocks, never whole."""
        return False


def is_frame(X: Any) -> bool:
    """Return whether X is a data frame, of pandas or polars."""
    return hasattr(X, "columns")


def _without_names(hasher: Any) -> Any:
    """Return a hasher that does not warn of arrays, which have no names to compare with its own."""
    if not hasattr(hasher, "feature_names_in_"):
        return hasher
    nameless = copy(hasher)
    del nameless.feature_names_in_
    return nameless

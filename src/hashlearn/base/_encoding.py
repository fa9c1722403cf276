"""Items and queries as what an index searches."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hashlearn.search import FloatQueries, PackedCodes


class Encoding:
    """The part of a hasher that makes packed codes, and queries for them."""

    def encode(self: Any, X: Any) -> PackedCodes:
        """Return the packed codes of items, as `numpy.packbits` packs them.

        They know the model that made them: an index or a store does not mix them with codes of
        another model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The items.

        Returns
        -------
        packed : PackedCodes of shape (n_samples, ceil(n_bits / 8)), uint8
        """
        check_is_fitted(self)
        packed = self._map(lambda rows: np.packbits(self._is_one(rows), axis=1), self._items(X))
        return PackedCodes(packed, self.fingerprint())

    def encode_queries(self: Any, X: Any) -> FloatQueries:
        """Return items as queries that are not rounded to bits, for a search among codes.

        Their margins against the bits of codes rank better than their own bits, and cost no
        storage.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The items.

        Returns
        -------
        queries : FloatQueries
        """
        return FloatQueries(self._query_margins(X), model=self.fingerprint())

    def _query_margins(self: Any, X: Any) -> np.ndarray:
        """Return the margins of items as queries, which a method may put on one scale."""
        return self.decision_function(X)

"""Codes of classes: for items whose class is known, without a hash function."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hashlearn.affinity import distinct_labels
from hashlearn.search import PackedCodes
from hashlearn.two_step._incremental import NO_GROUP, labels_of_kind, positions_among


class ClassCodesMixin:
    """`encode_labels` of a two-step hasher."""

    def encode_labels(self: Any, y: Any) -> PackedCodes:
        """Return the packed codes of items by their classes alone, as Step 1 inferred them.

        All items of a class have the same code: the one that the hash functions were trained to
        predict. In a database of items with labels it is better than `encode`, which can make
        mistakes; queries, whose class is not known, are encoded by `encode` or `encode_queries`.
        Items of one class are then tied. A class that was not in `fit` has no code: use `encode`
        for its items, or learn it by `partial_fit`.

        Parameters
        ----------
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Labels, or label sets as a 0/1 indicator, as in `fit`.

        Returns
        -------
        packed : PackedCodes of shape (n_samples, ceil(n_bits / 8)), uint8

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.datasets import load_digits
        >>> from hashlearn import TwoStepHasher
        >>> X, y = load_digits(return_X_y=True)
        >>> hasher = TwoStepHasher(n_bits=16, random_state=0).fit(X[:500], y[:500])
        >>> codes = hasher.encode_labels([3, 5, 3])
        >>> codes.shape, np.array_equal(codes[0], codes[2])
        ((3, 2), True)
        """
        check_is_fitted(self)
        known = self._known_groups("encode_labels")
        distinct, which = distinct_labels(labels_of_kind(known.labels, y))
        positions = positions_among(known.labels, distinct)
        unknown = np.flatnonzero(positions == NO_GROUP)
        if unknown.size:
            raise ValueError(
                f"y must be classes or label sets that the hasher has learned; got "
                f"{_described(distinct, unknown[0])}, which has no code: use encode(X) for such "
                "items, or learn it by partial_fit."
            )
        packed = np.packbits(known.codes, axis=1)[positions[which]]
        return PackedCodes(packed, self.fingerprint())


def _described(labels: Any, position: int) -> str:
    """Return a label, or a label set as the positions of its labels, in words."""
    if labels.ndim == 1:
        return repr(labels[position].item())
    return f"the label set {labels[[position]].indices.tolist()}"

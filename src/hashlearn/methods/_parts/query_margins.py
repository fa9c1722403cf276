"""Margins of queries on one scale, for methods whose margins have none."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from hashlearn.base import BaseHasher

N_SIZED = 4096  # training items whose margins are measured, at most twice as many


class EvenMargins(BaseHasher):
    """The part of a hasher whose bits are learned as signs alone, one by one, or by two methods.

    The length of a bit's direction then has no meaning, and one bit could outweigh all others in
    `encode_queries`: margins are divided by their mean size on training items, `margin_sizes_`.
    Where bits are trained until most margins are large, larger ones mean no more, and they are
    also saturated, by tanh of the quotient times `saturation`.

    The form was chosen on training items of BANKING77 and on random queries of WordNet (MiniLM),
    32 and 128 bits, for mixed codes on training items of BANKING77, CLINC150 and CIFAR-10; which
    methods need it was seen in `benchmarks/float_queries.py`.
    """

    saturation: ClassVar[float | None] = None
    margin_sizes_: np.ndarray

    def _keep_codes(self, X: Any) -> None:
        """Set `codes_`, and the mean sizes of margins."""
        super()._keep_codes(X)
        margins = self._parallel_margins(X[:: max(1, X.shape[0] // N_SIZED)])
        self.margin_sizes_ = np.abs(margins).mean(axis=0, dtype=np.float64)

    def _query_margins(self, X: Any) -> np.ndarray:
        """Return the margins of items as queries."""
        margins = super()._query_margins(X)
        if not hasattr(self, "margin_sizes_"):  # a model file of an earlier version
            return margins
        sizes = np.where(self.margin_sizes_ > 0, self.margin_sizes_, 1.0)
        if self.saturation is None:
            return margins / sizes
        return np.tanh(self.saturation * margins / sizes)

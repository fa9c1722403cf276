"""The binary problem of a quadratic loss where items have label sets."""

from __future__ import annotations

import numpy as np

from hashlearn.affinity.label_sets import PackedPairs
from hashlearn.affinity.multilabel import MultilabelAffinity
from hashlearn.inference import label_set_kernels
from hashlearn.inference.problems import MAX_SWEEPS, TOLERANCE, QuadraticProblem


class LabelSetProblem(QuadraticProblem):
    """The problem of a quadratic loss on label sets."""

    affinity: MultilabelAffinity
    rough_above = 2_000

    def moved(self, z: np.ndarray, product: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Return A times other signs: only sets of items that moved are read, if few did."""
        return product + self.dot(other - z)

    def flip(self, z: np.ndarray, product: np.ndarray) -> np.ndarray:
        """Flip single variables in sweeps; a flip costs one row of the pairs of label sets."""
        z, sets, pairs = z.copy(), self.affinity, self.affinity.pairs
        near = pairs.dot(np.bincount(sets.of_item, weights=self.weights * z))
        tolerance = TOLERANCE * np.abs(product).max(initial=0)
        known = (z, self.weights, near, sets.own, sets.of_item, self.Z, self.counted, tolerance)
        if isinstance(pairs, PackedPairs):
            label_set_kernels.sweep_packed_sets(*known, MAX_SWEEPS, pairs.words)
        else:
            similar = pairs.listed()
            places = similar.indptr, similar.indices
            label_set_kernels.sweep_listed_sets(*known, MAX_SWEEPS, *places)
        return z

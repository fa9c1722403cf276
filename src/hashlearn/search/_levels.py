"""Levels of an index's codes: what the terms of float queries add, one byte per scanned code."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hashlearn._numerics.words import from_words
from hashlearn.search.code_terms import CodeTerms

BLOCK = 1 << 18  # codes packed at once


class Levels(NamedTuple):
    """Levels of codes in some order, and the digest of the terms that they are of."""

    digest: str
    values: np.ndarray  # uint8

    def by_position(self, positions: np.ndarray | None) -> Levels:
        """Return levels by place as levels by position of insertion."""
        if positions is None:
            return self
        values = np.zeros_like(self.values)
        values[positions] = self.values
        return Levels(self.digest, values)


def compute_levels(terms: CodeTerms, words: np.ndarray, n_bits: int) -> np.ndarray:
    """Return the levels of (n_words, n) codes."""
    levels = np.empty(words.shape[1], dtype=np.uint8)
    for start in range(0, levels.size, BLOCK):
        levels[start : start + BLOCK] = terms.levels(
            from_words(words[:, start : start + BLOCK], n_bits)
        )
    return levels


def complete_levels(
    terms: CodeTerms, words: np.ndarray, n_bits: int, known: np.ndarray, positions: np.ndarray
) -> np.ndarray:
    """Return the levels of codes at positions; those of the first positions are known."""
    is_known = positions < known.size
    levels = np.empty(words.shape[1], dtype=np.uint8)
    levels[is_known] = known[positions[is_known]]
    levels[~is_known] = compute_levels(terms, words[:, ~is_known], n_bits)
    return levels

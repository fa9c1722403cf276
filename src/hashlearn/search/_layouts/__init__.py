"""Arrangements of an index's codes: plain, by equal codes, or by substrings."""

from __future__ import annotations

from typing import Literal

import numpy as np

from hashlearn._numerics.buckets import N_HASHES_PER_SAMPLED, find_buckets, is_sampled
from hashlearn._numerics.words import read_only
from hashlearn.search._layouts.base import MAX_POSITIONS, Layout, LayoutName, PlainLayout
from hashlearn.search._layouts.bucketed import BucketedLayout
from hashlearn.search._layouts.multi_index import MultiIndexLayout

LayoutChoice = Literal["auto", "plain", "bucketed", "multi-index"]
LAYOUTS: dict[str, type[Layout]] = {
    layout.name: layout for layout in (PlainLayout, BucketedLayout, MultiIndexLayout)
}

MIN_ESTIMATED = 1 << 16  # codes: all of fewer are looked at in a millisecond
MAX_SHARE = 0.5  # distinct codes per item: above, finding the items costs what the scan saves

__all__ = ["LAYOUTS", "Layout", "LayoutChoice", "LayoutName", "arrange"]


def arrange(words: np.ndarray, choice: LayoutChoice = "auto", *, n_bits: int) -> Layout:
    """Arrange (n_words, n) codes as chosen; "auto" is by equal codes if they repeat enough."""
    words, n = read_only(words), words.shape[1]
    if choice == "plain" or n >= MAX_POSITIONS:
        return PlainLayout(words)
    if choice == "multi-index":
        return MultiIndexLayout.build(words, n_bits)
    if choice == "auto" and n >= MIN_ESTIMATED and _estimate_distinct(words) > 1.2 * MAX_SHARE * n:
        return PlainLayout(words)  # without the cost of looking at all
    max_buckets = n if choice == "bucketed" else int(MAX_SHARE * n)
    return BucketedLayout.build(words, max_buckets) or PlainLayout(words)


def _estimate_distinct(words: np.ndarray) -> float:
    """Return about how many codes are distinct, from those whose hashes are in a sample."""
    sampled = np.ascontiguousarray(words[:, is_sampled(words)])
    return N_HASHES_PER_SAMPLED * find_buckets(read_only(sampled), sampled.shape[1])[2]

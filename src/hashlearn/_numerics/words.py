"""Packed codes as the 64-bit words that compiled kernels read."""

from __future__ import annotations

import numpy as np

MAX_WIDE_BITS = 65_528  # distances are uint16, and one value beyond the largest stays free


def as_words(packed: np.ndarray) -> np.ndarray:
    """View packed codes as (n, n_words) uint64, the last word padded with zeros.

    The order of bytes in a word is the machine's: words are for counting bits, not for reading.
    """
    n, width = packed.shape
    missing = -width % 8
    if missing:
        packed = np.concatenate([packed, np.zeros((n, missing), dtype=np.uint8)], axis=1)
    return np.ascontiguousarray(packed).view(np.uint64)


def by_word(packed: np.ndarray) -> np.ndarray:
    """Return packed codes as most kernels read them: (n_words, n) uint64, contiguous."""
    return np.ascontiguousarray(as_words(packed).T)


def from_words(words: np.ndarray, n_bits: int) -> np.ndarray:
    """Return the packed codes of (n_words, n) words: the inverse of :func:`by_word`."""
    packed = np.ascontiguousarray(words.T).view(np.uint8)
    return np.ascontiguousarray(packed[:, : -(-n_bits // 8)])


def read_only(array: np.ndarray) -> np.ndarray:
    """Return a view that cannot be written: arrays in memory and in files compile to one kernel."""
    view = np.ascontiguousarray(array).view(np.ndarray)
    view.flags.writeable = False
    return view


def check_same_width(
    queries: np.ndarray, database: np.ndarray, names: tuple[str, str] = ("queries", "database")
) -> None:
    """Raise if two sets of packed codes differ in width, or if their distances overflow."""
    width = queries.shape[1]
    if width != database.shape[1]:
        raise ValueError(
            f"{names[0]} and {names[1]} must be equally wide; got {width} and "
            f"{database.shape[1]} bytes per code."
        )
    if 8 * width > MAX_WIDE_BITS:
        raise ValueError(f"{names[0]} must have at most {MAX_WIDE_BITS} bits; got {8 * width}.")

"""What must hold in an index file: sizes, always; the numbers in its arrays, on demand.

Each check raises a :class:`~hashlearn.files.errors.FileFormatError`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from hashlearn._numerics.checks import MAX_BITS
from hashlearn.files.errors import FileFormatError

MAX_POSITIONS = 2**32  # members and items are uint32
MAX_WIDTH = 32  # bits of a substring, far more than a table of its values can have
MAX_ID = 2**63  # one more than int64 holds: what comes after the largest id
BLOCK = 1 << 20
DTYPES = {
    "words": np.uint64,
    "ids": np.int64,
    "distinct": np.uint64,
    "offsets": np.int64,
    "members": np.uint32,
    "starts": np.uint32,
    "items": np.uint32,
}
REQUIRED = {
    "plain": {"words"},
    "bucketed": {"words", "distinct", "offsets", "members"},
    "multi-index": {"words", "starts", "items"},
}


def count_stored_bits(n_bits: int) -> int:
    """Return how many bits of the words packed codes fill: those of whole bytes."""
    return -(-n_bits // 8) * 8


def substring_bounds(n_bits: int, n_tables: int) -> np.ndarray:
    """Return where the substrings of codes begin, and where the last one ends.

    Parameters
    ----------
    n_bits : int
        Bits per code.
    n_tables : int
        Into how many substrings the codes are cut, of lengths that differ by at most one.

    Returns
    -------
    bounds : ndarray of shape (n_tables + 1,), int64
        Bit b is bit ``b % 64``, counted from the lowest, of word ``b // 64``.

    Examples
    --------
    >>> substring_bounds(63, n_tables=3)
    array([ 0, 21, 42, 64])
    """
    return np.arange(n_tables + 1) * count_stored_bits(n_bits) // n_tables


def check_scalars(scalars: Any) -> None:
    """Check what an index file holds beside its arrays, as far as it stands alone.

    Examples
    --------
    >>> check_scalars({"n_bits": 0, "next_id": 0, "layout": "plain"})
    Traceback (most recent call last):
    hashlearn.files.errors.FileFormatError: its n_bits=0 is not in 1 to 4096
    """
    if not isinstance(scalars, dict) or scalars.keys() != {"n_bits", "next_id", "layout"}:
        raise FileFormatError("its document does not describe an index")
    n_bits, next_id, layout = scalars["n_bits"], scalars["next_id"], scalars["layout"]
    if type(n_bits) is not int or not 1 <= n_bits <= MAX_BITS:
        raise FileFormatError(f"its n_bits={n_bits!r} is not in 1 to {MAX_BITS}")
    if type(next_id) is not int or not -MAX_ID <= next_id <= MAX_ID:
        raise FileFormatError(f"its next_id={next_id!r} is not an id")
    if layout not in list(REQUIRED):  # a list takes what cannot be a key
        raise FileFormatError(f"its layout {layout!r} is not known")


def check_sizes(scalars: dict[str, Any], tensors: dict[str, np.ndarray]) -> None:
    """Check that the arrays fit the scalars and each other; this reads two of their numbers."""
    layout, next_id = scalars["layout"], scalars["next_id"]
    if tensors.keys() - {"ids"} != REQUIRED[layout]:
        raise FileFormatError(f"its arrays are not those of the {layout} layout")
    n_words = -(-scalars["n_bits"] // 64)
    n = tensors["words"].shape[-1] if tensors["words"].ndim else 0
    _check_array("words", tensors, (n_words, n))
    if "ids" in tensors:
        _check_array("ids", tensors, (n,))
    elif next_id < n:
        raise FileFormatError(f"its next_id={next_id} is taken: it has {n} codes, ids from 0")
    if layout == "bucketed":
        _check_bucket_sizes(n_words, n, tensors)
    if layout == "multi-index":
        _check_table_sizes(scalars["n_bits"], n, tensors)


def check_arrays(scalars: dict[str, Any], tensors: dict[str, np.ndarray]) -> None:
    """Check the numbers in arrays whose sizes fit; this reads all of them."""
    _check_padding(scalars["n_bits"], tensors["words"])
    if "ids" in tensors:
        _check_ids(tensors["ids"], scalars["next_id"])
    if scalars["layout"] == "bucketed":
        _check_members(tensors["offsets"], tensors["members"])
        _check_buckets(**{name: tensors[name] for name in REQUIRED["bucketed"]})
    if scalars["layout"] == "multi-index":
        _check_tables(
            scalars["n_bits"], **{name: tensors[name] for name in REQUIRED["multi-index"]}
        )


def _check_array(name: str, tensors: dict[str, np.ndarray], shape: tuple[int, ...]) -> None:
    """Check an array's dtype and shape."""
    array = tensors[name]
    if array.dtype != DTYPES[name]:
        raise FileFormatError(f"its array {name!r} has dtype {array.dtype}")
    if array.shape != shape:
        raise FileFormatError(f"its array {name!r} has shape {array.shape} instead of {shape}")


def _check_bucket_sizes(n_words: int, n: int, tensors: dict[str, np.ndarray]) -> None:
    """Check the sizes of the bucketed layout."""
    offsets = tensors["offsets"]
    n_distinct = offsets.size - 1
    _check_array("offsets", tensors, (n_distinct + 1,))
    _check_array("distinct", tensors, (n_words, n_distinct))
    _check_array("members", tensors, (n,))
    if n >= MAX_POSITIONS or not min(n, 1) <= n_distinct <= n:
        raise FileFormatError(f"it has {n_distinct} distinct codes of {n}")
    if offsets[0] != 0 or offsets[-1] != n:
        raise FileFormatError(f"its buckets reach from {offsets[0]} to {offsets[-1]} of {n}")


def _check_table_sizes(n_bits: int, n: int, tensors: dict[str, np.ndarray]) -> None:
    """Check the sizes of the multi-index layout."""
    n_tables, n_stored = len(np.atleast_1d(tensors["items"])), count_stored_bits(n_bits)
    if n >= MAX_POSITIONS or not n_stored <= n_tables * MAX_WIDTH <= n_stored * MAX_WIDTH:
        raise FileFormatError(f"it has {n_tables} tables for {n} codes of {n_bits} bits")
    width = -(-n_stored // n_tables)
    _check_array("starts", tensors, (n_tables, 2**width + 1))
    _check_array("items", tensors, (n_tables, n))


def _check_padding(n_bits: int, words: np.ndarray) -> None:
    """Check that no code has a bit set after its last."""
    is_padding = np.arange(64 * len(words)) >= n_bits
    padding = np.packbits(is_padding).view(np.uint64)[-1]
    if np.bitwise_or.reduce(words[-1]) & padding:
        raise FileFormatError(f"its codes have bits set after n_bits={n_bits}")


def _check_ids(ids: np.ndarray, next_id: int) -> None:
    """Check that ids are unique, none is -1, which stands for no item, and the next is free."""
    if np.any(ids == -1):
        raise FileFormatError("its ids hold -1, which stands for no item")
    if not np.all(ids[1:] > ids[:-1]):
        ids = np.sort(ids)
        if not np.all(ids[1:] > ids[:-1]):
            raise FileFormatError("its ids are not unique")
    if ids.size and next_id <= ids[-1]:
        raise FileFormatError(f"its next_id={next_id} is taken: it has ids up to {ids[-1]}")


def _check_members(offsets: np.ndarray, members: np.ndarray) -> None:
    """Check that buckets hold every position once, in the order of their first members."""
    message = "its buckets do not hold every code once, in order"
    starts = offsets[:-1]
    if not np.all(offsets[1:] > starts):  # with the checked ends, they then all lie inside
        raise FileFormatError(message)
    is_first = np.zeros(members.size, dtype=bool)
    is_first[starts] = True
    rises = members[1:] > members[:-1]
    firsts = members[starts]
    if not (np.all(rises | is_first[1:]) and np.all(firsts[1:] > firsts[:-1])):
        raise FileFormatError(message)
    found = np.zeros(members.size, dtype=bool)
    found[members[members < members.size]] = True
    if not found.all():
        raise FileFormatError(message)


def _check_buckets(
    words: np.ndarray, distinct: np.ndarray, offsets: np.ndarray, members: np.ndarray
) -> None:
    """Check that every code equals the code of its bucket."""
    for start in range(0, members.size, BLOCK):
        stop = min(start + BLOCK, members.size)
        buckets = np.searchsorted(offsets, np.arange(start, stop), side="right") - 1
        if not np.array_equal(words[:, members[start:stop]], distinct[:, buckets]):
            raise FileFormatError("its buckets hold codes that differ")


def _check_tables(n_bits: int, words: np.ndarray, starts: np.ndarray, items: np.ndarray) -> None:
    """Check that each table lists every code under its substring, by position."""
    bounds = substring_bounds(n_bits, len(items)).tolist()
    for t, (first, stop) in enumerate(pairwise(bounds)):
        values = _substrings(words, first, stop)
        ends = np.cumsum(np.bincount(values, minlength=starts.shape[1] - 1))
        if starts[t, 0] != 0 or not np.array_equal(starts[t, 1:], ends):
            raise FileFormatError(f"its table {t} does not have the sizes that its codes give")
        is_listed = np.all(items[t] < values.size)  # and once, if pairs of value and item rise
        if is_listed:
            pairs = (values[items[t]] << 32) | items[t]
            is_listed = np.all(pairs[1:] > pairs[:-1])
        if not is_listed:
            raise FileFormatError(f"its table {t} does not list every code once, in order")


def _substrings(words: np.ndarray, first: int, stop: int) -> np.ndarray:
    """Return the bits from `first` to `stop` of all codes, int64."""
    values = words[first // 64] >> np.uint64(first % 64)
    if first // 64 < (stop - 1) // 64:
        values |= words[first // 64 + 1] << np.uint64(64 - first % 64)
    return (values & np.uint64((1 << (stop - first)) - 1)).astype(np.int64)

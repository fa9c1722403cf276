"""Index files: the codes of an index, the order of ties, their ids and their layout.

Sizes are always checked, at the price of reading the header and two numbers. The values in the
arrays are checked only on demand, since that reads them whole. So a search of a file that was not
verified must survive any values in its arrays.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from hashlearn._numerics.checks import MAX_BITS
from hashlearn._numerics.ids import tie_keys
from hashlearn.files import FileFormatError, load_index, save_index
from hashlearn.search._layouts import LAYOUTS
from hashlearn.search._layouts.base import MAX_POSITIONS, check_array

MAX_ID = 2**63  # one more than int64 holds: what comes after the largest id


@dataclass(frozen=True, eq=False)
class IndexContent:
    """Everything that an index file holds."""

    n_bits: int
    next_id: int  # of the next code that is added without an id
    layout: str
    words: np.ndarray  # (n_words, n), in the order of ties
    positions: np.ndarray | None = None  # of insertion; None if that is the order of ties
    ids: np.ndarray | None = None  # in the order of insertion; None if they are 0 to n - 1
    arranged: dict[str, np.ndarray] = field(default_factory=dict)  # further arrays of the layout
    model: str | None = None  # the fingerprint of the model that made the codes


def position_dtype(n: int) -> Any:
    """Return the type that holds the positions of n items."""
    return np.dtype(np.uint32 if n < MAX_POSITIONS else np.int64)


def write_index(path: str | os.PathLike[str], content: IndexContent) -> None:
    """Write the content of an index to a file, atomically."""
    document = {name: getattr(content, name) for name in ("n_bits", "next_id", "layout", "model")}
    if content.model is None:
        del document["model"]
    arrays = {name: getattr(content, name) for name in ("words", "positions", "ids")}
    arrays = {name: array for name, array in arrays.items() if array is not None}
    save_index(path, document, {**arrays, **content.arranged})


def read_index(path: str | os.PathLike[str], *, mmap: bool, verify: bool) -> IndexContent:
    """Read what :func:`write_index` wrote; `verify` also checks every value."""
    check = partial(_check, verify=verify)
    document, arrays = load_index(path, check, mmap=mmap, verify=verify)
    words, positions, ids = (
        arrays.pop("words"),
        arrays.pop("positions", None),
        arrays.pop("ids", None),
    )
    return IndexContent(**document, words=words, positions=positions, ids=ids, arranged=arrays)


def _check(document: Any, arrays: dict[str, np.ndarray], verify: bool) -> None:
    """Raise a `FileFormatError` if a file does not hold an index."""
    _check_document(document)
    n_bits, next_id, layout = document["n_bits"], document["next_id"], LAYOUTS[document["layout"]]
    if arrays.keys() - {"positions", "ids"} != {"words", *layout.dtypes}:
        raise FileFormatError(f"its arrays are not those of the {layout.name} layout")
    words, positions, ids = arrays["words"], arrays.get("positions"), arrays.get("ids")
    n = words.shape[-1] if words.ndim else 0
    check_array("words", words, np.uint64, (-(-n_bits // 64), n))
    if positions is not None:
        check_array("positions", positions, position_dtype(n), (n,))
    if ids is not None:
        check_array("ids", ids, np.int64, (n,))
    elif next_id < n:
        raise FileFormatError(f"its next_id={next_id} is taken: it has {n} codes, ids from 0")
    layout.check_sizes(words, n_bits, arrays)
    if verify:
        _check_padding(n_bits, words)
        if ids is not None:
            _check_ids(ids, next_id)
        if positions is not None:
            _check_places(positions, ids)
        layout.check_values(words, n_bits, arrays)


def _check_document(document: Any) -> None:
    if not isinstance(document, dict) or document.keys() - {"model"} != {
        "n_bits",
        "next_id",
        "layout",
    }:
        raise FileFormatError("its document does not describe an index")
    n_bits, next_id, layout = document["n_bits"], document["next_id"], document["layout"]
    if type(n_bits) is not int or not 1 <= n_bits <= MAX_BITS:
        raise FileFormatError(f"its n_bits={n_bits!r} is not in 1 to {MAX_BITS}")
    if type(next_id) is not int or not -MAX_ID <= next_id <= MAX_ID:
        raise FileFormatError(f"its next_id={next_id!r} is not an id")
    if layout not in list(LAYOUTS):  # a list, since JSON values may be unhashable
        raise FileFormatError(f"its layout {layout!r} is not known")
    model = document.get("model", "")
    if not isinstance(model, str):
        raise FileFormatError(f"its model {model!r} is not a fingerprint")


def _check_padding(n_bits: int, words: np.ndarray) -> None:
    """Raise if a code has a bit set after its last."""
    is_padding = np.arange(64 * len(words)) >= n_bits
    padding = np.packbits(is_padding).view(np.uint64)[-1]
    if np.bitwise_or.reduce(words[-1]) & padding:
        raise FileFormatError(f"its codes have bits set after n_bits={n_bits}")


def _check_ids(ids: np.ndarray, next_id: int) -> None:
    """Raise if ids are not unique, hold -1 (no item), or the next id is taken."""
    if np.any(ids == -1):
        raise FileFormatError("its ids hold -1, which means no item")
    if not np.all(ids[1:] > ids[:-1]):
        ids = np.sort(ids)
        if not np.all(ids[1:] > ids[:-1]):
            raise FileFormatError("its ids are not unique")
    if ids.size and next_id <= ids[-1]:
        raise FileFormatError(f"its next_id={next_id} is taken: it has ids up to {ids[-1]}")


def _check_places(positions: np.ndarray, ids: np.ndarray | None) -> None:
    """Raise if codes are not all there once, in the order of the tie keys of their ids."""
    found = np.zeros(positions.size, dtype=bool)
    found[positions[positions < positions.size]] = True
    if not found.all():
        raise FileFormatError("its positions are not those of all its codes")
    keys = tie_keys(positions if ids is None else ids[positions])
    if np.any(keys[1:] < keys[:-1]):
        raise FileFormatError("its codes are not in the order of their ties")

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
from hashlearn._numerics.texts import Texts
from hashlearn.files import FileFormatError, load_index, save_index
from hashlearn.search._layouts import LAYOUTS
from hashlearn.search._layouts.base import MAX_POSITIONS, check_array

OPTIONAL = ("model", "terms")  # in the document
OPTIONAL_ARRAYS = ("positions", "levels")
TEXT_ARRAYS = ("id_bytes", "id_offsets")  # of ids that are text
MAX_ID = 2**63  # one more than int64 holds: what comes after the largest id


@dataclass(frozen=True, eq=False)
class IndexContent:
    """Everything that an index file holds."""

    n_bits: int
    next_id: int  # of the next code that is added without an id
    layout: str
    words: np.ndarray  # (n_words, n), in the order of ties
    positions: np.ndarray | None = None  # of insertion; None if that is the order of ties
    # In the order of insertion, int64 or texts; None if they are 0 to n - 1.
    ids: np.ndarray | Texts | None = None
    arranged: dict[str, np.ndarray] = field(default_factory=dict)  # further arrays of the layout
    model: str | None = None  # the fingerprint of the model that made the codes
    terms: str | None = None  # the digest of the terms of float queries
    levels: np.ndarray | None = None  # theirs, of the codes that the layout scans


def position_dtype(n: int) -> Any:
    """Return the type that holds the positions of n items."""
    return np.dtype(np.uint32 if n < MAX_POSITIONS else np.int64)


def write_index(path: str | os.PathLike[str], content: IndexContent) -> None:
    """Write the content of an index to a file, atomically."""
    document = {name: getattr(content, name) for name in ("n_bits", "next_id", "layout")}
    for name in OPTIONAL:
        if getattr(content, name) is not None:
            document[name] = getattr(content, name)
    arrays = {"words": content.words, **content.arranged}
    for name in OPTIONAL_ARRAYS:
        if getattr(content, name) is not None:
            arrays[name] = getattr(content, name)
    if content.ids is not None and content.ids.dtype == object:
        texts = content.ids if isinstance(content.ids, Texts) else Texts.of(content.ids.tolist())
        arrays |= dict(zip(TEXT_ARRAYS, (texts.data, texts.offsets), strict=True))
    elif content.ids is not None:
        arrays["ids"] = np.asarray(content.ids)
    save_index(path, document, arrays)


def read_index(path: str | os.PathLike[str], *, mmap: bool, verify: bool) -> IndexContent:
    """Read what :func:`write_index` wrote; `verify` also checks every value."""
    check = partial(_check, verify=verify)
    document, arrays = load_index(path, check, mmap=mmap, verify=verify)
    layout = LAYOUTS[document["layout"]]
    return IndexContent(
        **document,
        words=arrays["words"],
        positions=arrays.get("positions"),
        levels=arrays.get("levels"),
        ids=_ids(arrays),
        arranged={name: arrays[name] for name in layout.dtypes},
    )


def _check(document: Any, arrays: dict[str, np.ndarray], verify: bool) -> None:
    """Raise a `FileFormatError` if a file does not hold an index."""
    _check_document(document)
    n_bits, next_id, layout = document["n_bits"], document["next_id"], LAYOUTS[document["layout"]]
    of_ids = arrays.keys() & {"ids", *TEXT_ARRAYS}
    needed = {"words", *layout.dtypes}
    if arrays.keys() - {*OPTIONAL_ARRAYS, *of_ids} != needed or of_ids not in (
        set(),
        {"ids"},
        {*TEXT_ARRAYS},
    ):
        raise FileFormatError(f"its arrays are not those of the {layout.name} layout")
    words, positions, ids = arrays["words"], arrays.get("positions"), _ids(arrays)
    n = words.shape[-1] if words.ndim else 0
    check_array("words", words, np.uint64, (-(-n_bits // 64), n))
    if positions is not None:
        check_array("positions", positions, position_dtype(n), (n,))
    if isinstance(ids, Texts):
        _check_text_sizes(ids, n)
    elif ids is not None:
        check_array("ids", ids, np.int64, (n,))
    elif next_id < n:
        raise FileFormatError(f"its next_id={next_id} is taken: it has {n} codes, ids from 0")
    layout.check_sizes(words, n_bits, arrays)
    if ("levels" in arrays) != ("terms" in document):
        raise FileFormatError("its levels and the terms that they are of do not come together")
    if "levels" in arrays:  # any values are levels
        check_array("levels", arrays["levels"], np.uint8, (layout.count_scanned(words, arrays),))
    if verify:
        _check_padding(n_bits, words)
        if isinstance(ids, Texts):
            _check_texts(ids)
        elif ids is not None:
            _check_ids(ids, next_id)
        if positions is not None:
            _check_places(positions, ids)
        layout.check_values(words, n_bits, arrays)


def _ids(arrays: dict[str, np.ndarray]) -> np.ndarray | Texts | None:
    """Return the ids that a file holds."""
    if "ids" in arrays or "id_bytes" not in arrays:
        return arrays.get("ids")
    return Texts(*(arrays[name] for name in TEXT_ARRAYS))


def _check_document(document: Any) -> None:
    if not isinstance(document, dict) or document.keys() - {*OPTIONAL} != {
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
    for name, noun in zip(OPTIONAL, ("fingerprint", "digest"), strict=True):
        if not isinstance(document.get(name, ""), str):
            raise FileFormatError(f"its {name} {document[name]!r} is not a {noun}")


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


def _check_text_sizes(ids: Texts, n: int) -> None:
    """Raise if texts are not n, or their bytes do not end with the last."""
    check_array("id_offsets", ids.offsets, np.int64, (n + 1,))
    check_array("id_bytes", ids.data, np.uint8, (ids.data.size,))
    if ids.offsets[0] != 0 or ids.offsets[-1] != ids.data.size:
        raise FileFormatError(
            f"its ids reach from byte {ids.offsets[0]} to {ids.offsets[-1]} of {ids.data.size}"
        )


def _check_texts(ids: Texts) -> None:
    """Raise if text ids are not UTF-8, or not unique."""
    try:
        ids.check()
    except ValueError as error:
        raise FileFormatError(f"its ids are not text: {error}") from error
    if len(set(ids[:].tolist())) < len(ids):
        raise FileFormatError("its ids are not unique")


def _check_places(positions: np.ndarray, ids: np.ndarray | Texts | None) -> None:
    """Raise if codes are not all there once, in the order of the tie keys of their ids."""
    found = np.zeros(positions.size, dtype=bool)
    found[positions[positions < positions.size]] = True
    if not found.all():
        raise FileFormatError("its positions are not those of all its codes")
    keys = tie_keys(positions if ids is None else ids[positions])
    if np.any(keys[1:] < keys[:-1]):
        raise FileFormatError("its codes are not in the order of their ties")

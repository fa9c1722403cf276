"""Exchange with the flat binary indexes of faiss, whose bytes are packed codes too."""

from __future__ import annotations

from typing import Any

import numpy as np


def to_faiss(packed: np.ndarray, ids: Any) -> Any:
    """Return a faiss index of packed codes, with ids unless they are the positions."""
    faiss = _faiss()
    if ids is not None and ids.dtype == object:
        raise ValueError(
            "faiss has integer ids only, and those of the index are text; keep a list of them, and "
            "add the codes to an index without ids."
        )
    flat = faiss.IndexBinaryFlat(8 * packed.shape[1])
    if ids is None:
        flat.add(packed)
        return flat
    index = faiss.IndexBinaryIDMap2(flat)
    index.add_with_ids(packed, np.ascontiguousarray(ids))
    flat.this.disown()  # the map owns it from here on
    index.own_fields = True
    return index


def from_faiss(index: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the packed codes and the ids of a flat binary faiss index; None for positions."""
    faiss = _faiss()
    index = faiss.downcast_IndexBinary(index) if isinstance(index, faiss.IndexBinary) else index
    ids = None
    if isinstance(index, faiss.IndexBinaryIDMap):
        ids = faiss.vector_to_array(index.id_map)
        index = faiss.downcast_IndexBinary(index.index)
    if not isinstance(index, faiss.IndexBinaryFlat):
        raise TypeError(
            "index must be a faiss IndexBinaryFlat, or an IndexBinaryIDMap of one; got a "
            f"{type(index).__name__}."
        )
    return faiss.vector_to_array(index.xb).reshape(index.ntotal, index.code_size), ids


def _faiss() -> Any:
    try:
        import faiss
    except ImportError as error:
        raise ImportError("faiss is not installed: pip install 'hashlearn[faiss]'.") from error
    return faiss

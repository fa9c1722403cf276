"""Codes of items that are spread over a cluster: lazily, block by block."""

from __future__ import annotations

from typing import Any

import numpy as np

from hashlearn.distributed.cluster import extra


def encode(hasher: Any, X: Any) -> Any:
    """Return the packed codes of items in blocks, each computed where its block is.

    Nothing is computed before the result is (``.compute()``, ``.to_zarr()``, ...), by whichever
    scheduler Dask uses. The codes are those of ``hasher.encode(X.compute())``, bit by bit. The
    model is a task of its own, so that a worker receives it once, whatever the number of blocks.

    Parameters
    ----------
    hasher : fitted hasher
        Anything with an `encode` that gives packed codes.
    X : dask array of shape (n_samples, n_features), or dask dataframe
        The items, chunked by rows; columns in several chunks are merged. The columns of a
        dataframe are checked by name if the hasher was fitted on names.

    Returns
    -------
    packed : dask array of shape (n_samples, ceil(n_bits / 8)), uint8
        A block for each block of X; the number of rows is unknown where that of X is.

    Examples
    --------
    >>> import dask.array as da
    >>> from hashlearn import make_hasher
    >>> X = np.random.default_rng(0).normal(size=(100, 8))
    >>> hasher = make_hasher("itq", n_bits=8).fit(X)
    >>> codes = encode(hasher, da.from_array(X, chunks=(40, 8)))
    >>> codes.chunks
    ((40, 40, 20), (1,))
    >>> np.array_equal(codes.compute(), hasher.encode(X))
    True
    """
    is_frame = _is_frame(X)
    sample = X._meta_nonempty if is_frame else _sample_row(X)
    width = hasher.encode(sample).shape[1]  # wrong columns are refused here
    model = extra("dask").delayed(_light(hasher), pure=True, traverse=False)
    nothing = np.empty((0, width), dtype=np.uint8)
    if is_frame:
        return X.map_partitions(_encode_block, model, width, meta=nothing)
    X = X.rechunk({1: -1})
    return X.map_blocks(
        _encode_block, model, width, dtype=np.uint8, chunks=(X.chunks[0], (width,)), meta=nothing
    )


def _encode_block(X: Any, hasher: Any, width: int) -> np.ndarray:
    """Encode a block; a partition of a dataframe may be empty, which no hasher takes."""
    return hasher.encode(X) if X.shape[0] else np.empty((0, width), dtype=np.uint8)


def _is_frame(X: Any) -> bool:
    """Tell a dask dataframe from a dask array; refuse anything else."""
    if isinstance(X, extra("dask.array").Array):
        if X.ndim != 2:
            raise ValueError(f"X has shape {X.shape}: it takes (n_samples, n_features).")
        return False
    if isinstance(X, extra("dask.dataframe").DataFrame):
        return True
    raise TypeError(
        f"X is a {type(X).__name__}: it takes a dask array or dataframe "
        "(hasher.encode takes what is in memory)."
    )


def _sample_row(X: Any) -> np.ndarray:
    return np.zeros((1, X.shape[1]), dtype=X.dtype)


def _light(hasher: Any) -> Any:
    """Return the hasher as it travels: without what grows with its training items."""
    return hasher.without_codes() if hasattr(hasher, "without_codes") else hasher

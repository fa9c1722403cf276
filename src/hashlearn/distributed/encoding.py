"""Encoding on a cluster: of dask collections, or of blocks that are read here."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from typing import Any

import numpy as np

from hashlearn.distributed._client import cancel, count_threads, extra, find_client, gather
from hashlearn.search import PackedCodes

MOST_UNDER_WAY = 32  # blocks; of 8 MB each they keep a network busy


def encode(hasher: Any, X: Any) -> Any:
    """Return the packed codes of items in blocks, each computed where its block is.

    Nothing is computed before the result is (``.compute()``, ``.to_zarr()``, ...), by any of
    Dask's schedulers. The codes are those of ``hasher.encode(X.compute())``, bit by bit. The
    model is a separate task, so that a worker receives it once for all blocks.

    Parameters
    ----------
    hasher : fitted hasher
        Anything whose `encode` returns packed codes.
    X : dask array of shape (n_samples, n_features), or dask dataframe
        The items, chunked by rows; columns in several chunks are merged. The columns of a
        dataframe are checked by name if the hasher was fitted on names.

    Returns
    -------
    packed : dask array of shape (n_samples, ceil(n_bits / 8)), uint8
        A block for each block of X; the number of rows is unknown if that of X is.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from hashlearn import make_hasher
    >>> from hashlearn.distributed import encode
    >>> X = np.random.default_rng(0).normal(size=(100, 8))
    >>> hasher = make_hasher("itq", n_bits=8).fit(X)
    >>> codes = encode(hasher, da.from_array(X, chunks=(40, 8)))
    >>> codes.chunks
    ((40, 40, 20), (1,))
    >>> np.array_equal(codes.compute(), hasher.encode(X))
    True
    """
    is_frame = _is_frame(X)
    sample = X._meta_nonempty if is_frame else np.zeros((1, X.shape[1]), dtype=X.dtype)
    width = hasher.encode(sample).shape[1]  # wrong columns are refused here
    model = extra("dask").delayed(_light(hasher), pure=True, traverse=False)
    nothing = np.empty((0, width), dtype=np.uint8)
    if is_frame:
        return X.map_partitions(_encode_block, model, width, meta=nothing)
    X = X.rechunk({1: -1})
    return X.map_blocks(
        _encode_block, model, width, dtype=np.uint8, chunks=(X.chunks[0], (width,)), meta=nothing
    )


def encode_blocks(
    hasher: Any, blocks: Iterable[Any], *, client: Any = None
) -> Iterator[PackedCodes]:
    """Yield the packed codes of blocks that are read here and encoded on the workers.

    Several blocks are under way at once, two per thread of the cluster and at most 32; their codes
    come back in order. When a worker dies, the scheduler encodes its blocks again.

    Parameters
    ----------
    hasher : fitted hasher
        Anything whose `encode` returns packed codes; it does not travel with every block.
    blocks : iterable of array of shape (n, n_features)
        The items; columns are not checked by name.
    client : distributed.Client, optional
        The cluster; by default that of the default client.

    Yields
    ------
    packed : PackedCodes of shape (n, ceil(n_bits / 8)), uint8

    Examples
    --------
    >>> import numpy as np
    >>> from distributed import Client
    >>> from hashlearn import make_hasher
    >>> from hashlearn.distributed import encode_blocks
    >>> X = np.random.default_rng(0).normal(size=(100, 8))
    >>> hasher = make_hasher("itq", n_bits=8).fit(X)
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     codes = np.concatenate(list(encode_blocks(hasher, [X[:60], X[60:]], client=client)))
    >>> np.array_equal(codes, hasher.encode(X))
    True
    """
    client = find_client(client)
    if not count_threads(client):
        warnings.warn("the cluster has no workers yet: waiting for the first one.", stacklevel=2)
    model = _submit(client, _same, _light(hasher))
    fingerprint = hasher.fingerprint() if hasattr(hasher, "fingerprint") else None
    under_way: deque[Any] = deque()

    def first_codes() -> PackedCodes:
        (packed,) = gather(client, [under_way.popleft()])  # an array: Dask sends no subclasses
        return PackedCodes(packed, fingerprint)

    try:
        for block in blocks:
            under_way.append(_submit(client, _encode, model, block))
            if len(under_way) >= _n_ahead(client):
                yield first_codes()
        while under_way:
            yield first_codes()
    finally:
        cancel(client, under_way)


def _submit(client: Any, work: Callable[..., Any], *arguments: Any) -> Any:
    """Begin a task that carries its arguments: data that was only sent would die with a worker."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph")
        return client.submit(work, *arguments, pure=False)


def _n_ahead(client: Any) -> int:
    """Return two blocks per thread of the cluster as it is now: workers come and go."""
    return min(max(2, 2 * sum(count_threads(client).values())), MOST_UNDER_WAY)


def _same(hasher: Any) -> Any:
    return hasher


def _encode(hasher: Any, items: Any) -> np.ndarray:
    return hasher.encode(items)


def _encode_block(X: Any, hasher: Any, width: int) -> np.ndarray:
    """Encode a block; a partition of a dataframe may be empty, which hashers refuse."""
    return hasher.encode(X) if X.shape[0] else np.empty((0, width), dtype=np.uint8)


def _is_frame(X: Any) -> bool:
    """Return whether X is a dask dataframe; raise if it is not a dask array either."""
    if isinstance(X, extra("dask.array").Array):
        if X.ndim != 2:
            raise ValueError(f"X must have shape (n_samples, n_features); got {X.shape}.")
        return False
    if isinstance(X, extra("dask.dataframe").DataFrame):
        return True
    raise TypeError(
        f"X must be a dask array or dataframe; got a {type(X).__name__}. For items in memory use "
        "hasher.encode."
    )


def _light(hasher: Any) -> Any:
    """Return a copy of the hasher for the workers, without what grows with its training items."""
    return hasher.without_codes() if hasattr(hasher, "without_codes") else copy(hasher)

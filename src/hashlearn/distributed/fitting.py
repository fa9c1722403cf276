"""Training on a cluster: Step 2 goes through joblib's Dask backend."""

from __future__ import annotations

from concurrent.futures import CancelledError
from typing import Any

import numpy as np
from joblib import parallel_config

from hashlearn.distributed._client import check_connected, extra, find_client


def fit(hasher: Any, X: Any, y: Any = None, *, client: Any = None, **params: Any) -> Any:
    """Fit a hasher with Step 2 on the workers of a Dask cluster; the bits are those of one machine.

    'linear-svm' and 'kernel-features' send each worker a shard of the items once, and add up the
    results of each pass. 'rbf-svm' and any scikit-learn classifier train one bit per task. Step 1,
    'anchor-ridge', boosting and all other methods run here.

    Parameters
    ----------
    hasher : BaseHasher
        The hasher to fit.
    X : array-like, sparse matrix or dask array of shape (n_samples, n_features)
        The training items; a dask array is brought here first.
    y : array-like or dask array, default=None
        Their labels, if any.
    client : distributed.Client, default=None
        The cluster; by default that of the default client.
    **params
        Further arguments of the hasher's `fit`.

    Returns
    -------
    hasher : BaseHasher
        The same object, fitted.

    Raises
    ------
    RuntimeError
        If the scheduler dies, or a worker, whose items are lost with it. With ``checkpoint=``
        the same call continues where it stopped.

    Examples
    --------
    >>> import numpy as np
    >>> from distributed import Client
    >>> from hashlearn import TwoStepHasher
    >>> from hashlearn.distributed import fit
    >>> X, y = np.eye(6), [0, 0, 1, 1, 2, 2]
    >>> hasher = TwoStepHasher(8, hash_function="linear-svm", random_state=0)
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     bits = fit(hasher, X, y, client=client).transform(X)
    >>> bool((bits == hasher.fit(X, y).transform(X)).all())
    True
    """
    client = find_client(client)
    X, y = (_brought_here(data, client) for data in (X, y))
    check_connected(client)
    try:
        with parallel_config(backend="dask", client=client):
            return hasher.fit(X, y, **params)
    except CancelledError as error:
        raise RuntimeError(
            "A worker died during training and its items are lost, or the scheduler is gone. "
            "Fit again; with checkpoint= the same call continues where it stopped."
        ) from error


def _brought_here(data: Any, client: Any) -> Any:
    """Return a dask collection as an array, everything else as it is."""
    if not extra("dask").is_dask_collection(data):
        return data
    return np.asarray(client.compute(data).result())

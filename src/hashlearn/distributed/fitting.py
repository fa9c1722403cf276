"""Training on a cluster: Step 2 goes through joblib's Dask backend."""

from __future__ import annotations

from concurrent.futures import CancelledError
from typing import Any

import numpy as np
from joblib import parallel_config

from hashlearn.distributed.cluster import check_connected, extra, find_client


def fit(hasher: Any, X: Any, y: Any = None, *, client: Any = None, **params: Any) -> Any:
    """Fit a hasher with Step 2 on the workers of a Dask cluster; the bits are those of one machine.

    'linear-svm' and 'kernel-features' divide the items among the workers, once, and sum what
    passes over them give. 'rbf-svm' and any scikit-learn classifier train a bit per task. Step 1,
    boosting and all other methods run here.

    Parameters
    ----------
    hasher : BaseHasher
        The hasher to fit.
    X : array-like, sparse matrix or dask array of shape (n_samples, n_features)
        The training items; a dask array is brought here first.
    y : array-like or dask array, default=None
        Their labels, if any.
    client : distributed.Client, default=None
        The cluster; the default client if not given.
    **params
        Further arguments of the hasher's `fit`.

    Returns
    -------
    hasher : BaseHasher
        The same one, fitted.

    Raises
    ------
    RuntimeError
        If a worker dies, whose items are lost with it, or the scheduler. With ``checkpoint=``
        the same call then goes on where it stopped.

    Examples
    --------
    >>> from distributed import Client
    >>> from hashlearn import TwoStepHasher
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
            "A worker died during training and took its items with it, or the scheduler is gone. "
            "Fit again: with checkpoint= the same call goes on where it stopped."
        ) from error


def _brought_here(data: Any, client: Any) -> Any:
    """Return a dask collection as an array, everything else as it is."""
    if not extra("dask").is_dask_collection(data):
        return data
    return np.asarray(client.compute(data).result())

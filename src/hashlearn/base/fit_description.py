"""Description of a fit: a checkpoint is resumed only by the fit that wrote it."""

from __future__ import annotations

import hashlib
import re
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from hashlearn._numerics.arrays import byte_blocks
from hashlearn._version import __version__
from hashlearn.affinity import Affinity

_WITHOUT_EFFECT = ("n_jobs", "verbose")  # parameters that do not change the bits


def describe_fit(hasher: BaseEstimator, **data: Any) -> dict[str, str]:
    """Return what identifies a fit: version, parameters, and digests of its arguments.

    Parameters
    ----------
    hasher : estimator
        The hasher to fit.
    **data : array-like, Affinity or None
        The arguments of `fit`, by name.

    Returns
    -------
    work : dict of str to str
        As `hashlearn.files.checkpointing` needs it.

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn import make_hasher
    >>> from hashlearn.base import describe_fit
    >>> sorted(describe_fit(make_hasher("itq"), X=np.eye(2), y=None))
    ['X', 'parameters', 'version', 'y']
    """
    params = {
        key: _described(value)
        for key, value in hasher.get_params(deep=True).items()
        if key.rpartition("__")[2] not in _WITHOUT_EFFECT
    }
    parameters = _digest(repr([type(hasher).__name__, sorted(params.items())]))
    described = {"version": __version__, "parameters": parameters}
    return described | {name: _digest(value) for name, value in data.items()}


def _digest(value: Any) -> str:
    """Return a short hexadecimal digest of an array, a sparse matrix, an affinity or None."""
    if value is None:
        return "None"
    if isinstance(value, Affinity):
        # whole numbers, so that sums are exact in any order; none is 0, which would hide a pair
        probe = np.random.RandomState(0).randint(1, 1 << 20, size=value.n_items).astype(float)
        return _digest(value.dot(probe))
    if sp.issparse(value):
        csr = sp.csr_array(value)
        return _digest("".join(map(_digest, (csr.shape, csr.indptr, csr.indices, csr.data))))
    array = np.asarray(value)
    sums = hashlib.blake2b(f"{array.shape} {array.dtype}".encode(), digest_size=16)
    for block in byte_blocks(array.astype(str) if array.dtype.kind == "O" else array):
        sums.update(block)
    return sums.hexdigest()


def _described(value: Any) -> str:
    """Return a description of a parameter that is the same in every process."""
    if isinstance(value, BaseEstimator):
        return type(value).__name__  # its own parameters are listed beside it
    code = getattr(value, "__code__", None)
    if code is not None:  # a function is identified by its code, not by its address
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        inside = (code.co_code.hex(), code.co_consts, code.co_names, value.__defaults__, cells)
        return _without_places(repr(inside))
    return _without_places(repr(value))


def _without_places(text: str) -> str:
    return re.sub(r" at 0x[0-9a-f]+", "", text)

"""From a cell to the hasher that it is about."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from hashlearn.base import BaseHasher
from hashlearn.experiments.cells import Cell
from hashlearn.experiments.classifier_codes import ClassifierCodes
from hashlearn.experiments.known_methods import REFERENCE, base_method
from hashlearn.experiments.step_one import TimedInference
from hashlearn.hash_functions import HashFunction, as_hash_function
from hashlearn.inference import as_inference
from hashlearn.losses import as_loss
from hashlearn.methods import make_hasher


def build_hash_function(cell: Cell, n_jobs: int | None) -> HashFunction:
    """Return a cell's hash function, its bandwidth and C not chosen yet."""
    function = clone(as_hash_function(cell.hash_function, n_samples=0))
    _set_taken(function, random_state=cell.seed, n_jobs=n_jobs)
    return function if cell.n_anchors is None else function.set_params(n_anchors=cell.n_anchors)


def build_hasher(cell: Cell, selection: dict[str, float] | None, n_jobs: int | None) -> BaseHasher:
    """Return a cell's hasher, with the parameters that were chosen for its hash function."""
    if cell.hash_function is None:  # the method has its own
        plain = make_hasher(base_method(cell.method), n_bits=cell.n_bits)
        _set_taken(plain, random_state=cell.seed, n_jobs=n_jobs)
        return plain if cell.n_anchors is None else plain.set_params(n_anchors=cell.n_anchors)
    function = build_hash_function(cell, n_jobs)
    function.set_params(**{n: v for n, v in (selection or {}).items() if n in ("sigma", "C")})
    if cell.method == REFERENCE:
        return ClassifierCodes(cell.n_bits, hash_function=function, random_state=cell.seed)
    hasher: Any = make_hasher(cell.method, n_bits=cell.n_bits, hash_function=function)
    inference = as_inference(hasher.inference, as_loss(hasher.loss))
    return hasher.set_params(
        inference=TimedInference(inference), random_state=cell.seed, n_jobs=n_jobs
    )


def _set_taken(estimator: Any, **parameters: Any) -> Any:
    """Set the parameters that an estimator has, and leave out the others."""
    taken = estimator.get_params(deep=False)
    return estimator.set_params(**{n: v for n, v in parameters.items() if n in taken})

"""Hashers of cells."""

from __future__ import annotations

import time
from typing import Any

from sklearn.base import clone

from hashlearn.base import BaseHasher
from hashlearn.experiments.cells import Cell
from hashlearn.experiments.classifier_codes import ClassifierCodes
from hashlearn.experiments.known_methods import REFERENCE, base_method
from hashlearn.hash_functions import HashFunction, as_hash_function
from hashlearn.inference import Inference, StepOne, as_inference
from hashlearn.losses import as_loss
from hashlearn.methods import make_hasher


def build_hash_function(cell: Cell, n_jobs: int | None) -> HashFunction:
    """Return a cell's hash function, before its bandwidth and C are chosen."""
    function = clone(as_hash_function(cell.hash_function, n_samples=0))
    _set_known(function, random_state=cell.seed, n_jobs=n_jobs)
    return function if cell.n_anchors is None else function.set_params(n_anchors=cell.n_anchors)


def build_hasher(cell: Cell, selection: dict[str, float] | None, n_jobs: int | None) -> BaseHasher:
    """Return a cell's hasher, with the parameters that were chosen for its hash function."""
    if cell.hash_function is None:  # the method has its own
        plain = make_hasher(base_method(cell.method), n_bits=cell.n_bits)
        _set_known(plain, random_state=cell.seed, n_jobs=n_jobs)
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


class TimedInference(Inference):
    """An inference that measures the time of Step 1.

    Parameters
    ----------
    inference : Inference
        Infers the codes.

    Attributes
    ----------
    seconds_ : float
        The time of the last Step 1.
    """

    def __init__(self, inference: Inference) -> None:
        self.inference = inference

    def check(self, loss: Any) -> None:
        """Raise if the inference does not support the loss."""
        self.inference.check(loss)

    def check_affinity(self, affinity: Any, loss: Any) -> None:
        """Raise if the inference does not support the affinity."""
        self.inference.check_affinity(affinity, loss)

    def infer(self, *args: Any, **kwargs: Any) -> StepOne:
        """Return the codes, and store the time."""
        begin = time.perf_counter()
        step_one = self.inference.infer(*args, **kwargs)
        self.seconds_ = time.perf_counter() - begin
        return step_one


def _set_known(estimator: Any, **parameters: Any) -> None:
    """Set the parameters that an estimator has, and leave out the others."""
    known = estimator.get_params(deep=False)
    estimator.set_params(**{n: v for n, v in parameters.items() if n in known})

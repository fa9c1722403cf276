"""Model files: a fitted hasher as one tensor file (see :mod:`hashlearn.files._tensor_file`).

Its document holds the model as JSON (see :mod:`hashlearn.files._codec`), its tensors are the
model's arrays. A model is always read whole and checked.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

import numpy as np

from hashlearn._numerics.arrays import byte_blocks
from hashlearn._registry import Registry
from hashlearn._version import __version__
from hashlearn.files._codec import Decoder, Encoder
from hashlearn.files._tensor_file import (
    BROKEN,
    MODEL,
    read_tensors,
    refusing_broken_files,
    write_tensors,
)
from hashlearn.files.errors import FileFormatError, ModelVersionWarning

Class = TypeVar("Class")

_STORABLE: Registry[Any] = Registry("class")

# Parameters and fitted attributes of hashers and their parts that do not change the bits.
WITHOUT_EFFECT = {
    "bit_error_",
    "code_summary_",
    "curvature_",
    "feature_names_in_",
    "groups_",
    "n_jobs",
    "objective_",
    "packed_codes_",
    "random_state",
    "verbose",
}


def storable(name: str) -> Callable[[type[Class]], type[Class]]:
    """Return a decorator that lets model files hold objects of a class.

    Registered losses, hash functions, inference methods and hashers need no mark. Any other class
    that is part of a fitted hasher does; it follows scikit-learn's conventions: its parameters,
    and its attributes whose names end with an underscore, are stored.

    Parameters
    ----------
    name : str
        The name of the class in files, unique and not to be changed later.

    Returns
    -------
    decorator : callable
        Registers a class and returns it unchanged.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> from hashlearn.files import storable
    >>> @storable("ExampleScaling")
    ... class Scaling(BaseEstimator):
    ...     def fit(self, X):
    ...         self.scale_ = X.std(axis=0)
    ...         return self
    """
    return _STORABLE.register(name)


def save_model(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write an estimator, fitted or not, to a file.

    The file is written under a temporary name and renamed when it is whole, so a crash leaves
    an older file of that name as it was.

    Parameters
    ----------
    estimator : estimator
        Its class and the classes of all of its parts must be registered (see
        :func:`storable`).
    path : str or path-like
        The file to write, or to replace.

    Raises
    ------
    TypeError
        If a parameter or fitted attribute cannot be stored, such as a function or a classifier
        that is not hashlearn's. Nothing is written then.

    Examples
    --------
    >>> import tempfile
    >>> from hashlearn.files import load_model, save_model
    >>> from hashlearn.losses.hinge import HingeLoss
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(HingeLoss(rho=3), f"{folder}/loss.hashlearn")
    ...     load_model(f"{folder}/loss.hashlearn")
    HingeLoss(rho=3)
    """
    encoder = Encoder()
    content = encoder.encode(estimator, path="")
    write_tensors(path, MODEL, content, encoder.tensors)


def model_digest(estimator: Any) -> str:
    """Return a digest of what decides the bits of a model: equal for a model and its file.

    Parameters
    ----------
    estimator : estimator
        As in :func:`save_model`.

    Returns
    -------
    digest : str
        16 hexadecimal digits.

    Examples
    --------
    >>> from hashlearn.files import model_digest
    >>> from hashlearn.losses.hinge import HingeLoss
    >>> model_digest(HingeLoss(rho=3)) == model_digest(HingeLoss(rho=3))
    True
    """
    encoder = Encoder()
    return _digest(encoder.encode(estimator, path=""), encoder.tensors)


def _digest(content: Any, tensors: Mapping[str, np.ndarray]) -> str:
    decisive = json.dumps(_with_effect(content), sort_keys=True)
    sums = hashlib.blake2b(decisive.encode(), digest_size=8)
    for name, array in sorted(tensors.items()):
        if not WITHOUT_EFFECT.intersection(re.split(r"[.\[\]#]", name)):
            sums.update(f"{name} {array.shape} {array.dtype}".encode())
            for block in byte_blocks(array):
                sums.update(block)
    return sums.hexdigest()


def _with_effect(content: Any) -> Any:
    """Return JSON without the keys of what does not change the bits."""
    if isinstance(content, dict):
        kept = {key: item for key, item in content.items() if key not in WITHOUT_EFFECT}
        return {key: _with_effect(item) for key, item in kept.items()}
    return list(map(_with_effect, content)) if isinstance(content, list) else content


class ModelFacts(NamedTuple):
    """What a model file says of its model, without the classes of the model.

    Attributes
    ----------
    name : str
        The registered name of its class, such as "method:itq".
    params, attributes : dict
        Parameters and fitted attributes. A part that is an object is its registered name.
    digest : str
        As :func:`model_digest` returns it.
    """

    name: str
    params: dict[str, Any]
    attributes: dict[str, Any]
    digest: str


def read_model_facts(path: str | os.PathLike[str]) -> ModelFacts:
    """Read what a model file says, which imports nothing that the model is made of.

    Parameters
    ----------
    path : str or path-like
        A model file; it is read whole and checked.

    Returns
    -------
    facts : ModelFacts

    Examples
    --------
    >>> import tempfile
    >>> from hashlearn.files import read_model_facts, save_model
    >>> from hashlearn.losses.hinge import HingeLoss
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(HingeLoss(rho=3), f"{folder}/loss.hashlearn")
    ...     facts = read_model_facts(f"{folder}/loss.hashlearn")
    >>> facts.name, facts.params["rho"]
    ('loss:hinge', 3)
    """
    document, tensors = read_tensors(path, MODEL, mmap=False, verify=True)
    with refusing_broken_files(path, MODEL):
        content = document["content"]
        stored, decoder = content["object"], Decoder(tensors)
        params, attributes = (
            {name: _fact(item, decoder) for name, item in stored[group].items()}
            for group in ("params", "attributes")
        )
        return ModelFacts(stored["class"], params, attributes, _digest(content, tensors))


def _fact(item: Any, decoder: Decoder) -> Any:
    """Return a stored value, or the name of a stored object; what contains objects is left out."""
    if isinstance(item, dict) and "object" in item:
        return item["object"]["class"].partition(":")[2]
    return None if '"object":' in json.dumps(item) else decoder.decode(item)


def load_model(path: str | os.PathLike[str]) -> Any:
    """Read the estimator that :func:`~hashlearn.files.save_model` wrote.

    Parameters
    ----------
    path : str or path-like
        A model file.

    Returns
    -------
    estimator : estimator
        Of the class that was saved, with its parameters and fitted attributes.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ModelFileError
        If the file is truncated, damaged, of another or a newer format, or needs a class that
        is not registered.

    Warns
    -----
    ModelVersionWarning
        If a newer version of hashlearn wrote the file.
    """
    document, tensors = read_tensors(path, MODEL, mmap=False, verify=True)
    version = document["hashlearn_version"]
    is_newer = _release(version) > _release(__version__)
    with refusing_broken_files(path, MODEL):
        try:
            model = Decoder(tensors).decode(document["content"])
        except BROKEN as error:
            if not is_newer:
                raise
            raise FileFormatError(
                f"it was written by hashlearn {version}, and this is {__version__}: upgrade "
                "hashlearn"
            ) from error
    if is_newer:
        warnings.warn(
            f"{os.fspath(path)!r} was written by hashlearn {version} and is read by the older "
            f"{__version__}: it may behave differently here.",
            ModelVersionWarning,
            stacklevel=2,
        )
    return model


def _release(version: str) -> tuple[int, ...]:
    """Return the numbers that a version starts with: (1, 10, 0) for "1.10.0rc1"."""
    match = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, match.group().split("."))) if match else ()

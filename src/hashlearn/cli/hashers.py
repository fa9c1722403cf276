"""From the words of a command to a hasher, and to a fitted one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from hashlearn.base import BaseHasher
from hashlearn.cli.training import TrainingItems
from hashlearn.files.checkpoint import check_folder
from hashlearn.hash_functions import as_hash_function
from hashlearn.inference import as_inference
from hashlearn.losses import as_loss
from hashlearn.methods import METHODS, make_hasher
from hashlearn.two_step import TwoStepHasher
from hashlearn.two_step._stagewise import check_two_steps


def build_hasher(method: str, settings: list[str], **params: Any) -> BaseHasher:
    """Return the hasher of a method; raise for anything that its name or parameters are not.

    Parameters
    ----------
    method : str
        A name that `make_hasher` takes.
    settings : list of str
        Further parameters, each as KEY=VALUE, the value in JSON or a plain string.
    **params
        Parameters that every method takes.

    Examples
    --------
    >>> build_hasher("lsh", ["center=true"], n_bits=8)
    LSHHasher(center=True, n_bits=8)
    """
    given = dict(map(_parse_setting, settings))
    taken = _further_parameters(method, set(params))
    unknown = [name for name in given if name not in taken]
    if unknown:
        raise ValueError(
            f"--set {unknown[0]}=... is not known; {method!r} takes {', '.join(taken)}."
        )
    hasher = make_hasher(method, **params, **given)
    _check_parts(hasher)
    return hasher


def check_checkpoint(hasher: BaseHasher, checkpoint: Path | None) -> None:
    """Raise, before anything is read, if the method keeps no checkpoint or not in that folder."""
    if checkpoint is None:
        return
    if not has_fit_parameter(hasher, "checkpoint"):
        raise ValueError(f"--checkpoint is given, and {type(hasher).__name__} keeps none.")
    check_two_steps(getattr(hasher, "stagewise", False))
    check_folder(checkpoint)


def learn(
    hasher: BaseHasher, training: TrainingItems, verbose: int, checkpoint: Path | None
) -> None:
    """Fit a hasher and keep the names of the features with it."""
    kept = {} if checkpoint is None else {"checkpoint": checkpoint}
    shown = {"verbose": verbose} if hasher.get_params().get("verbose") == 0 else {}
    hasher.set_params(**shown).fit(training.X, training.y, **kept)
    hasher.set_params(**dict.fromkeys(shown, 0))  # a model file is the same with and without
    if training.names is not None:
        hasher.feature_names_in_ = np.array(training.names, dtype=object)


def _parse_setting(setting: str) -> tuple[str, Any]:
    """Return the name and the value of a parameter.

    Examples
    --------
    >>> _parse_setting("n_jobs=2"), _parse_setting("loss=ksh")
    (('n_jobs', 2), ('loss', 'ksh'))
    """
    name, separator, text = setting.partition("=")
    if not (name and separator):
        raise ValueError(f"--set {setting} is not taken; it takes KEY=VALUE.")
    try:
        return name, json.loads(text)
    except json.JSONDecodeError:
        return name, text


def _further_parameters(method: str, given: set[str]) -> list[str]:
    """Return the names of a method's parameters that are not given yet."""
    is_of_loss = method.startswith("tsh-")
    cls = METHODS.get("tsh" if is_of_loss else method)
    names = cls().get_params(deep=False)
    return [name for name in names if name not in given | ({"loss"} if is_of_loss else set())]


def _check_parts(hasher: BaseHasher) -> None:
    """Raise for a part of a two-step hasher that is not known; `fit` would after reading."""
    if isinstance(hasher, TwoStepHasher):
        loss = as_loss(hasher.loss)
        as_inference(hasher.inference, loss).check(loss)
        as_hash_function(hasher.hash_function, n_samples=0)

"""Learning from an input: the hasher that is asked for, and a random sample to fit it on."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hashlearn._numerics.columns import listing
from hashlearn._progress import say
from hashlearn.base import METHODS, BaseHasher
from hashlearn.cli._shared.codes import ItemValues
from hashlearn.cli._shared.outputs import row_progress
from hashlearn.files import check_checkpoint_folder
from hashlearn.items import Items, as_numbers, open_items, sample_items
from hashlearn.methods import default_method, make_hasher

MIN_IDS = 20  # fewer whole numbers may all differ by chance


def choose_method(
    input: Path, array: str | None, labels: str | None, ignored: Sequence[str], n_bits: int
) -> str:
    """Return the default method; without labels, say which."""
    if labels is not None:
        return default_method(labelled=True)
    n_features = open_items(input, array).n_features(others=ignored)
    method = default_method(labelled=False, n_bits=n_bits, n_features=n_features)
    say(f"No labels: learning with {method}; --method names another.", verbose=1)
    return method


def build_hasher(method: str, settings: list[str], **params: Any) -> BaseHasher:
    """Return the hasher of a method; raise if its name or a parameter is not known.

    `settings` are further parameters, each as KEY=VALUE, the value in JSON or a plain string.
    """
    given = dict(map(_parse_setting, settings))
    known = _further_parameters(method, set(params))
    unknown = [name for name in given if name not in known]
    if unknown:
        raise ValueError(
            f"--set {unknown[0]}=... is not known; the parameters of {method!r} are "
            f"{', '.join(known)}."
        )
    hasher = make_hasher(method, **params, **given)
    hasher.check_parts()
    return hasher


def check_labels(hasher: BaseHasher, method: str, labels: str | None) -> None:
    """Raise, before anything is read, if the method learns from labels and there are none."""
    if labels is None and hasher.needs_labels:
        default = default_method(labelled=False)
        raise ValueError(
            f"--method {method} learns from labels alone: name them with --labels, or use "
            f"--method {default}, which needs none."
        )


def check_checkpoint(hasher: BaseHasher, checkpoint: Path | None) -> None:
    """Raise, before anything is read, if the method keeps no checkpoint or not in that folder."""
    if checkpoint is None:
        return
    if not hasher.keeps_checkpoints:
        raise ValueError(f"--checkpoint does not go with {hasher}, which keeps no checkpoints.")
    check_checkpoint_folder(checkpoint)


class TrainingItems(NamedTuple):
    """A sample of an input of `n_items`: items, labels, and names of the features, if any."""

    X: np.ndarray
    y: np.ndarray | None
    names: tuple[str, ...] | None
    n_items: int

    def __str__(self) -> str:
        n, n_features = self.X.shape
        names = "" if self.names is None else f" ({listing(self.names, most=5)})"
        return f"{n:,} of {self.n_items:,} items with {n_features:,} features{names}"


def read_training_items(
    source: Items,
    labels: ItemValues | None,
    ignored: Sequence[str],
    n: int,
    seed: int,
    progress: bool | None,
) -> TrainingItems:
    """Return at most `n` random items and their labels, in one pass of bounded memory.

    Each set of `n` items is equally likely. The columns of labels and `ignored` columns are not
    features.
    """
    columns = () if labels is None else labels.columns
    names = source.feature_names(others=(*columns, *ignored))
    with row_progress("Reading", source, progress) as advance:
        block, positions, n_items = sample_items(source, n, seed, names, columns, advance)
    if n_items < 2:
        raise ValueError(f"'{source.path}' must have at least 2 items; it has {n_items}.")
    _warn_of_ids(block.features, names or ())
    source.check_finite(block.features, positions, names)
    if labels is None:
        return TrainingItems(block.features, None, names, n_items)
    labels.check_length(n_items)
    y = labels.of_rows(block.others, positions)
    labels.check_whole(y)
    return TrainingItems(block.features, as_numbers(y), names, n_items)


def learn(
    hasher: BaseHasher, training: TrainingItems, verbose: int, checkpoint: Path | None
) -> None:
    """Fit a hasher and store the names of the features with it."""
    kept = {} if checkpoint is None else {"checkpoint": checkpoint}
    shown = {"verbose": verbose} if hasher.get_params().get("verbose") == 0 else {}
    hasher.set_params(**shown).fit(training.X, training.y, **kept)
    hasher.set_params(**dict.fromkeys(shown, 0))  # a model file is the same with and without
    if training.names is not None:
        hasher.feature_names_in_ = np.array(training.names, dtype=object)


def _parse_setting(setting: str) -> tuple[str, Any]:
    """Return the name and the value of a parameter."""
    name, separator, text = setting.partition("=")
    if not (name and separator):
        raise ValueError(f"--set must be KEY=VALUE; got {setting}.")
    try:
        return name, json.loads(text)
    except json.JSONDecodeError:
        return name, text


def _further_parameters(method: str, given: set[str]) -> list[str]:
    """Return the names of a method's parameters that are not given yet."""
    has_loss = method.startswith("tsh-")
    cls = METHODS.get("tsh" if has_loss else method)
    names = cls().get_params(deep=False)
    return [name for name in names if name not in given | ({"loss"} if has_loss else set())]


def _warn_of_ids(X: np.ndarray, names: Sequence[str]) -> None:
    """Warn of a column whose values are all different integers: distances of ids mean nothing."""
    if len(X) < MIN_IDS:
        return
    for name, values in zip(names, X.T, strict=False):
        if np.all(values == np.round(values)) and np.unique(values).size == values.size:
            warnings.warn(
                f"column {name!r} has a different whole number in every item: if it is an id, "
                f"exclude it with --ignore {name}.",
                stacklevel=2,
            )

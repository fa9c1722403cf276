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
from hashlearn.cli._shared.reading import Reading
from hashlearn.files import check_checkpoint_folder
from hashlearn.items import Items, as_numbers, is_missing, sample_items
from hashlearn.methods import default_method, make_hasher

MIN_IDS = 20  # fewer whole numbers may all differ by chance


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
    """Raise, before anything is read, if labels are missing; warn if they are of no use."""
    if labels is None and hasher.needs_labels:
        default = default_method(labelled=False)
        raise ValueError(
            f"--method {method} learns from labels alone: name them with --labels, or use "
            f"--method {default}, which needs none."
        )
    if labels is not None and not hasher.supervised:
        warnings.warn(
            f"--method {method} does not learn from labels: --labels {labels} is not used.",
            stacklevel=2,
        )


def check_checkpoint(hasher: BaseHasher, checkpoint: Path | None) -> None:
    """Raise, before anything is read, if the method keeps no checkpoint or not in that folder."""
    if checkpoint is None:
        return
    if not hasher.keeps_checkpoints:
        raise ValueError(f"--checkpoint does not go with {hasher}, which keeps no checkpoints.")
    check_checkpoint_folder(checkpoint)


class TrainingItems(NamedTuple):
    """A sample of an input of `n_items`: items, labels, and names of the features, if any.

    `y` is -1 where `n_unlabelled` items of the sample have no label; `n_left_out` more, which have
    none, are not in the sample.
    """

    X: np.ndarray
    y: np.ndarray | None
    names: tuple[str, ...] | None
    n_items: int
    n_unlabelled: int = 0
    n_left_out: int = 0

    def __str__(self) -> str:
        n, n_features = self.X.shape
        names = "" if self.names is None else f" ({listing(self.names, most=5)})"
        return f"{n:,} of {self.n_items:,} items with {n_features:,} features{names}"

    def labelled(self) -> TrainingItems:
        """Return the part that has labels."""
        if self.y is None:
            return self
        kept = self.y >= 0
        return self._replace(X=self.X[kept], y=self.y[kept], n_unlabelled=0)


def read_training_items(
    source: Items,
    labels: ItemValues | None,
    n: int,
    seed: int,
    *,
    unlabelled: str | None = None,
    reading: Reading | None = None,
    progress: bool | None = None,
) -> TrainingItems:
    """Return at most `n` random items and their labels, in bounded memory.

    Each set of `n` items is equally likely; but where some have no label, those that have one come
    first. The columns of labels are not features. `unlabelled` is a further value that means "not
    labelled".
    """
    columns = () if labels is None else labels.columns
    names = (reading or Reading()).names(source, columns)
    with row_progress("Reading", source, progress) as advance:
        block, positions, n_items = sample_items(source, n, seed, names, columns, advance)
    if n_items < 2:
        raise ValueError(f"'{source.path}' must have at least 2 items; it has {n_items}.")
    if labels is None:
        return _checked(source, TrainingItems(block.features, None, names, n_items), positions)
    labels.check_length(n_items)
    y = labels.of_rows(block.others, positions)
    missing = is_missing(y, unlabelled or ())
    if not missing.any():
        numbers = as_numbers(y)
        if numbers.dtype.kind in "if" and (numbers == -1).any():  # a class, beside 1
            numbers = _numbered(y, missing) if y.ndim == 1 else numbers
        return _checked(source, TrainingItems(block.features, numbers, names, n_items), positions)
    if n_items > n:  # labels are rare perhaps: take those that there are
        missing_of_all = is_missing(_all_labels(labels, source, n_items), unlabelled or ())
        positions = _labelled_first(missing_of_all, n, seed)
        with row_progress("Reading again", source, progress) as advance:
            block = source.rows(positions, names, columns, advance)
        y, missing = labels.of_rows(block.others, positions), missing_of_all[positions]
    else:
        missing_of_all = missing
    if missing.all():
        raise ValueError(f"{labels.option}: no item has a label; leave out --labels.")
    n_missing, n_left_out = int(missing.sum()), int(missing_of_all.sum() - missing.sum())
    numbers = _numbered(y, missing)
    found = TrainingItems(block.features, numbers, names, n_items, n_missing, n_left_out)
    return _checked(source, found, positions)


def _checked(source: Items, training: TrainingItems, positions: np.ndarray) -> TrainingItems:
    """Return training items if they are finite; warn of a feature that looks like an id."""
    _warn_of_ids(training.X, training.names or ())
    source.check_finite(training.X, positions, training.names)
    return training


def _all_labels(labels: ItemValues, source: Items, n_items: int) -> np.ndarray:
    """Return the labels of all items."""
    features = None if source.columns is None else ()
    if not labels.columns:
        return labels.of_rows({}, slice(None))
    blocks = (block.others for block in source.blocks(features, labels.columns))
    return np.concatenate([labels.of_rows(others, slice(None)) for others in blocks])


def _labelled_first(missing: np.ndarray, n: int, seed: int) -> np.ndarray:
    """Return at most n random positions, increasing: of labelled items before others."""
    order = np.random.RandomState(seed).permutation(len(missing))
    return np.sort(order[np.argsort(missing[order], kind="stable")][:n])


def _numbered(y: np.ndarray, missing: np.ndarray) -> np.ndarray:
    """Return labels as the numbers of their classes, -1 where one is missing."""
    if y.ndim != 1:
        raise ValueError("several labels per item must all be given: some are missing.")
    numbers = np.full(len(y), -1)
    numbers[~missing] = np.unique(y[~missing].astype(str), return_inverse=True)[1]
    return numbers


def choose_hasher(
    training: TrainingItems, method: str | None, settings: list[str], **params: Any
) -> tuple[BaseHasher, TrainingItems]:
    """Return the hasher that is asked for, or the default, and the items that it learns from.

    A choice that follows from missing labels is said in one line.
    """
    n, n_without = len(training.X), training.n_unlabelled
    name = method or _default_for(training, params["n_bits"])
    hasher = build_hasher(name, settings, **params)
    if training.y is None and method is None:
        say(f"No labels: learning with {name}; --method names another.", verbose=1)
    if n_without and hasher.semi_supervised:
        say(f"{n_without:,} of {n:,} items have no label; {name} learns from all.", verbose=1)
    elif n_without and hasher.supervised:
        say(
            f"{n_without:,} of {n:,} items have no label and are left out; --method mixed learns "
            "from all.",
            verbose=1,
        )
        training = training.labelled()
    return hasher, training if hasher.supervised else training._replace(y=None)


def _default_for(training: TrainingItems, n_bits: int) -> str:
    if training.n_unlabelled:
        return "mixed"
    n_features = training.X.shape[1]
    return default_method(labelled=training.y is not None, n_bits=n_bits, n_features=n_features)


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

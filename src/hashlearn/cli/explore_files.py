"""The files of `hashlearn explore`, read and matched: models, indexes, items, labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hashlearn.base import BaseHasher
from hashlearn.cli.explore_labels import GivenLabels
from hashlearn.cli.explore_work import Request
from hashlearn.cli.item_values import ItemValues
from hashlearn.cli.models import check_finite, find_features, load_hasher
from hashlearn.cli.progress import is_shown, row_progress
from hashlearn.explorer import CodedItems, Collection, digits_collection
from hashlearn.explorer.naming import method_name, method_title
from hashlearn.explorer.opening import open_collection, square_images
from hashlearn.io.items import Items, as_ids, open_items
from hashlearn.progress import say
from hashlearn.search import HammingIndex

ITEMS = "items"  # --images items: the items themselves are pictures


class Called(NamedTuple):
    """What a method's codes are called: by a name that no other has, and in words."""

    name: str
    title: str


def open_request(request: Request, progress: bool | None) -> Collection:
    """Return the collection that is asked for; without any request, the digits."""
    if request == Request():
        say("Learning codes of scikit-learn's digits.", verbose=is_shown(progress))
        return digits_collection()
    _check_together(request)
    try:
        hashers = [load_hasher(path) for path in request.models]
        if request.items is None:
            return _open_indexes(request, hashers)
        return _open_items(request, request.items, hashers, progress)
    except OSError as error:
        if error.filename is None:
            raise
        raise OSError(f"'{error.filename}' cannot be read: {error.strerror}.") from error


def _check_together(request: Request) -> None:
    """Raise if options were given that do not go together."""
    n_models, n_indexes = len(request.models), len(request.indexes)
    if request.items is not None and n_indexes:
        raise ValueError("--items and --index exclude each other: give one of them.")
    if request.items is None and not n_indexes:
        raise ValueError("what is to be shown? Give --index, or --items and --model.")
    if request.items is not None and not n_models:
        raise ValueError("--items needs --model, which encodes them.")
    if n_indexes and n_models not in (0, n_indexes):
        raise ValueError(
            f"--model is given {n_models} times and --index {n_indexes} times: give one index "
            "for each model, or no model."
        )
    if n_indexes and (request.ids is not None or request.array is not None):
        raise ValueError("--ids and --array go with --items: an index has its own ids.")
    if n_indexes and request.images == ITEMS:
        raise ValueError("--images items goes with --items: an index holds codes only.")


def _open_indexes(request: Request, hashers: list[BaseHasher]) -> Collection:
    """Return indexed items; every index is put in the order of the first."""
    labels = None if request.labels is None else GivenLabels(request.labels)
    indexes = [HammingIndex.load(path) for path in request.indexes]
    models: Sequence[BaseHasher | None] = hashers or [None] * len(indexes)
    ids = indexes[0].ids
    methods = []
    for path, called, index, hasher in zip(
        request.indexes, _names(request, hashers), indexes, models, strict=True
    ):
        _check_ids(request.indexes[0], ids, path, index.ids)
        packed = index.reconstruct(ids)
        methods.append(CodedItems(called.name, called.title, packed, index.n_bits, hasher))
    return _collection(request, request.indexes[0], methods, ids, labels, request.images)


def _check_ids(first: Path, ids: np.ndarray, other: Path, other_ids: np.ndarray) -> None:
    """Raise unless two indexes have the same ids."""
    for path, missing in (
        (other, np.setdiff1d(ids, other_ids)),
        (first, np.setdiff1d(other_ids, ids)),
    ):
        if missing.size:
            raise ValueError(
                f"'{path}' has no item {missing[0]}, which "
                f"'{first if path == other else other}' has: indexes take the same ids."
            )


def _open_items(
    request: Request, path: Path, hashers: list[BaseHasher], progress: bool | None
) -> Collection:
    """Return items that every model encodes now."""
    source = open_items(path, request.array)
    labels = None if request.labels is None else GivenLabels(request.labels, source)
    ids = None if request.ids is None else ItemValues("--ids", request.ids, source)
    others = tuple(name for values in (labels, ids) if values for name in values.columns)
    methods, vectors = [], None
    for called, hasher in zip(_names(request, hashers), hashers, strict=True):
        keep = request.images == ITEMS and vectors is None
        packed, rows = _encode(source, hasher, others, called.name, progress, keep)
        methods.append(CodedItems(called.name, called.title, packed, hasher.n_bits, hasher))
        vectors = rows if keep else vectors
    taken = None if ids is None else as_ids(_whole(ids, source))
    images = request.images if vectors is None else square_images(vectors)
    return _collection(request, path, methods, taken, labels, images)


def _collection(
    request: Request,
    path: Path,
    methods: list[CodedItems],
    ids: np.ndarray | None,
    labels: GivenLabels | None,
    images: str | np.ndarray | None,
) -> Collection:
    """Return codes with all that the request says of the items."""
    given = None if labels is None else labels.read()
    return open_collection(
        methods,
        name=path.stem,
        ids=ids,
        labels=None if given is None else given.values,
        label_names=None if given is None else given.names,
        images=images,
        text=request.text,
        features=request.features,
        verbose=1,
    )


def _encode(
    source: Items,
    hasher: BaseHasher,
    others: tuple[str, ...],
    name: str,
    progress: bool | None,
    keep: bool,
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the packed codes of all items and, if they are to be kept, the items."""
    features = find_features(hasher, source, others)
    packed, rows, n_items = [], [], 0
    with row_progress(f"Encoding with {name}", source, progress) as advance:
        for block in source.blocks(features, others):
            check_finite(block.features, source, n_items)
            packed.append(hasher.encode(block.features))
            if keep:
                rows.append(block.features)
            n_items += len(block.features)
            advance(len(block.features))
    if not packed:
        raise ValueError(f"'{source.path}' has no items.")
    return np.concatenate(packed), np.concatenate(rows) if keep else None


def _whole(values: ItemValues, source: Items) -> np.ndarray:
    """Return the values of all items."""
    return values.of_rows({name: source.column(name) for name in values.columns}, slice(None))


def _names(request: Request, hashers: list[BaseHasher]) -> list[Called]:
    """Return what each method is called; two of one kind are called as their files are."""
    if not hashers:
        called = [Called(path.stem, path.name) for path in request.indexes]
        return _numbered(called)
    called = [Called(method_name(hasher), method_title(hasher)) for hasher in hashers]
    n_times = Counter(called)
    return _numbered(
        [
            one if n_times[one] == 1 else Called(path.stem, f"{one.title} ({path.name})")
            for one, path in zip(called, request.models, strict=True)
        ]
    )


def _numbered(called: list[Called]) -> list[Called]:
    """Return distinct names: a second 'a' becomes 'a-2'.

    Examples
    --------
    >>> [one.name for one in _numbered([Called("a", "A"), Called("a", "A"), Called("b", "B")])]
    ['a', 'a-2', 'b']
    """
    seen: Counter[str] = Counter()
    numbered = []
    for one in called:
        seen[one.name] += 1
        suffix = f"-{seen[one.name]}" if seen[one.name] > 1 else ""
        numbered.append(Called(f"{one.name}{suffix}", one.title))
    return numbered

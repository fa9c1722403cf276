"""The collection of `hashlearn explore`: models, indexes, stores, items and labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hashlearn._progress import say
from hashlearn.base import BaseHasher
from hashlearn.cli._shared.codes import CodeSource, ItemIds, load_hasher
from hashlearn.cli._shared.outputs import is_shown, row_progress
from hashlearn.cli.explore._indexes import Opened, open_indexes, tables_of
from hashlearn.cli.explore._labels import GivenLabels, LabelValues
from hashlearn.cli.explore._serving import Request
from hashlearn.explorer import CodedItems, Collection, digits_collection
from hashlearn.explorer.collection.coded import method_name, method_title
from hashlearn.explorer.collection.opening import open_collection, square_images
from hashlearn.items import Items, open_items

ITEMS = "items"  # --images items: the items are images


class Called(NamedTuple):
    """The unique name of a method's codes, and their title."""

    name: str
    title: str


def open_request(request: Request, progress: bool | None) -> Collection:
    """Return the requested collection; without options, the digits."""
    if request == Request():
        say("Learning codes of scikit-learn's digits.", verbose=is_shown(progress))
        return digits_collection()
    _check_together(request)
    try:
        hashers = [load_hasher(path) for path in request.models]
        if request.items is None:
            return _open_indexes(request, hashers, progress)
        return _open_items(request, request.items, hashers, progress)
    except OSError as error:
        if error.filename is None:
            raise
        raise OSError(f"'{error.filename}' cannot be read: {error.strerror}.") from error


def _check_together(request: Request) -> None:
    """Raise if options do not go together."""
    n_models, n_indexes = len(request.models), len(request.indexes)
    if request.items is not None and n_indexes:
        raise ValueError("--items and --index exclude each other: give one of them.")
    if request.items is not None and request.tables:
        raise ValueError("--table goes with a store in --index: a file of items has no tables.")
    if request.items is None and not n_indexes:
        raise ValueError("nothing to show: give --index, or --items and --model.")
    if request.items is not None and not n_models:
        raise ValueError("--items needs --model, which encodes them.")
    if n_indexes and n_models not in (0, n_indexes):
        raise ValueError(
            f"--model is given {n_models} times and --index {n_indexes} times: give one index "
            "for each model, or no model."
        )
    if n_indexes and (request.ids is not None or request.array is not None):
        raise ValueError("--ids and --array go with --items: an index has its own ids.")
    if n_indexes and request.delimiter is not None:
        raise ValueError("--delimiter goes with --items: an index is not a .csv.")
    if n_indexes and request.images == ITEMS:
        raise ValueError("--images items goes with --items: an index holds codes only.")


def _open_indexes(request: Request, hashers: list[BaseHasher], progress: bool | None) -> Collection:
    """Return indexed items; every index is put in the order of the first."""
    tables = tables_of(request.indexes, request.tables)
    labels, column = None, None
    if any(tables) and _is_column(request.labels):
        column = request.labels
    elif request.labels is not None:
        labels = GivenLabels(request.labels).read()
    text = request.text if any(tables) and _is_column(request.text) else None
    opened = open_indexes(request.indexes, tables, column, text, progress)
    models: Sequence[BaseHasher | None] = hashers or [None] * len(opened)
    first, ids = opened[0], opened[0].index.ids
    texts: str | list[str] | None = request.text
    methods = []
    for called, one, hasher in zip(_names(request, hashers, opened), opened, models, strict=True):
        _check_ids(first, one)
        if one.labels is not None:
            labels = LabelValues(one.labels[np.searchsorted(one.index.ids, ids)])
        if one.texts is not None:
            texts = one.texts[np.searchsorted(one.index.ids, ids)].tolist()
        packed = one.index.reconstruct(ids)
        methods.append(CodedItems(called.name, called.title, packed, one.index.n_bits, hasher))
    return _collection(request, first.name, methods, ids, labels, request.images, texts)


def _is_column(given: str | None) -> bool:
    """Return whether a word may be a column of a store, which has no dot, as files have."""
    return given is not None and "." not in given


def _check_ids(first: Opened, other: Opened) -> None:
    """Raise unless two indexes have the same ids."""
    if first.index.ids.dtype != other.index.ids.dtype:
        raise ValueError(
            f"{first.place} and {other.place} must have the same ids; one has text, the other "
            "integers."
        )
    for one, another in ((other, first), (first, other)):
        missing = np.setdiff1d(another.index.ids, one.index.ids)
        if missing.size:
            raise ValueError(
                f"{one.place} has no item {missing[0]}, which {another.place} has: indexes must "
                "have the same ids."
            )


def _open_items(
    request: Request, path: Path, hashers: list[BaseHasher], progress: bool | None
) -> Collection:
    """Return items that every model encodes now."""
    source = open_items(path, request.array, delimiter=request.delimiter)
    labels = None if request.labels is None else GivenLabels(request.labels, source)
    ids = None if request.ids is None else ItemIds("--ids", request.ids, source)
    text = request.text if request.text in (source.columns or ()) else None
    others = tuple(name for values in (labels, ids) if values for name in values.columns)
    others = tuple(dict.fromkeys((*others, *([] if text is None else [text]))))
    methods, vectors = [], None
    for called, hasher in zip(_names(request, hashers), hashers, strict=True):
        keep = request.images == ITEMS and vectors is None
        packed, rows = _encode(source, hasher, others, called.name, progress, keep)
        methods.append(CodedItems(called.name, called.title, packed, hasher.n_bits, hasher))
        vectors = rows if keep else vectors
    taken = None if ids is None else ids.all
    images = request.images if vectors is None else square_images(vectors)
    read = None if labels is None else labels.read()
    texts = request.text if text is None else source.column(text).astype(str).tolist()
    return _collection(request, path.stem, methods, taken, read, images, texts)


def _collection(
    request: Request,
    name: str,
    methods: list[CodedItems],
    ids: np.ndarray | None,
    labels: LabelValues | None,
    images: str | np.ndarray | None,
    texts: str | list[str] | None,
) -> Collection:
    """Return codes with labels, images and texts of the items."""
    return open_collection(
        methods,
        name=name,
        ids=ids,
        labels=None if labels is None else labels.known(request.unlabelled),
        label_names=None if labels is None else labels.names,
        images=images,
        text=texts,
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
    """Return the packed codes of all items and, with `keep`, the items."""
    packed, rows = [], []
    with row_progress(f"Encoding with {name}", source, progress) as advance:
        for block in CodeSource(source, hasher, others=others).blocks():
            packed.append(block.packed)
            if keep and block.items is not None:
                rows.append(block.items)
            advance(len(block.packed))
    if not packed:
        raise ValueError(f"'{source.path}' has no items.")
    return np.concatenate(packed), np.concatenate(rows) if keep else None


def _names(
    request: Request, hashers: list[BaseHasher], opened: Sequence[Opened] = ()
) -> list[Called]:
    """Return the name of each method; two of one kind are named after their files."""
    if not hashers:
        return _numbered([Called(one.name, one.title) for one in opened])
    called = [Called(method_name(hasher), method_title(hasher)) for hasher in hashers]
    n_times = Counter(called)
    return _numbered(
        [
            one if n_times[one] == 1 else Called(path.stem, f"{one.title} ({path.name})")
            for one, path in zip(called, request.models, strict=True)
        ]
    )


def _numbered(called: list[Called]) -> list[Called]:
    """Return distinct names: a second 'a' becomes 'a-2'."""
    seen: Counter[str] = Counter()
    numbered = []
    for one in called:
        seen[one.name] += 1
        suffix = f"-{seen[one.name]}" if seen[one.name] > 1 else ""
        numbered.append(Called(f"{one.name}{suffix}", one.title))
    return numbered

"""The best two codes of `hashlearn compare`, learned for the page."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from hashlearn._progress import say
from hashlearn.cli._shared.codes import ItemValues
from hashlearn.cli._shared.outputs import is_shown
from hashlearn.cli._shared.reading import Reading
from hashlearn.cli.explore._labels import file_of
from hashlearn.cli.explore._serving import Request, require_explorer
from hashlearn.cli.fit._learning import (
    TrainingItems,
    choose_hasher,
    learn,
    read_training_items,
)
from hashlearn.comparison import Source
from hashlearn.comparison.comparison import FILE

N_LEARNED = 10_000  # as `hashlearn fit` samples
NEEDED = {
    "items": ("path", "folder"),
    "recommendation": ("method", "n_bits", "runner_up"),
    "settings": ("random_state", "metric"),
}


def add_comparison(request: Request, folder: Path, progress: bool | None) -> Request:
    """Return a request for the items of a comparison, and two models in its folder."""
    require_explorer()
    if request.models or request.indexes or request.items:
        raise ValueError("--comparison excludes --model, --index and --items.")
    content, source = _read(folder)
    items = Path(source.path)
    if not items.is_file():
        raise ValueError(
            f"'{items}', which '{folder}' compares, is not a file: the items must be a file that "
            "is still there."
        )
    found = content["recommendation"]
    codes = [(found["method"], found["n_bits"])]
    if found["runner_up"] is not None:
        codes.append(tuple(found["runner_up"]))
    models = _learned(folder, source, codes, content["settings"], progress)
    return replace(
        request,
        models=tuple(models),
        items=items,
        array=request.array or source.array,
        delimiter=request.delimiter or source.delimiter,
        labels=request.labels or source.labels,
        unlabelled=source.unlabelled,
        side_by_side=True,
    )


def _read(folder: Path) -> tuple[dict[str, Any], Source]:
    """Return what a comparison wrote, and where its files are."""
    try:
        content = json.loads((folder / FILE).read_bytes())
        has_all = all(name in content[part] for part, names in NEEDED.items() for name in names)
        if has_all and content["items"]["path"]:
            base = content["items"].pop("folder")
            source = Source(**content["items"])
            path, labels = str(Path(base, source.path)), source.labels
            if labels is not None and not source.columns:
                labels = str(Path(base, labels))
            return content, replace(source, path=path, labels=labels)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise ValueError(f"'{folder}' has no comparison: 'hashlearn compare' writes one there.")


def _learned(
    folder: Path,
    source: Source,
    codes: Iterable[tuple[str, int]],
    settings: dict[str, Any],
    progress: bool | None,
) -> list[Path]:
    """Return the files of models; what is newer than comparison and items is not learned."""
    paths, training = [], None
    compared = (folder / FILE).stat().st_mtime
    times = {path: path.stat().st_mtime for path in _files(source)}
    changed = max(times.values())
    for path, time in times.items():
        if time > compared:
            warnings.warn(f"'{path}' was changed after it was compared.", stacklevel=2)
    for method, n_bits in codes:
        path = folder / f"{method}-{n_bits}.hashlearn"
        paths.append(path)
        if path.exists() and path.stat().st_mtime > max(compared, changed):
            continue
        training = training or _training_items(source, settings["random_state"], progress)
        params = {"n_bits": n_bits, "random_state": settings["random_state"]}
        hasher, taken = choose_hasher(training, method, [], **params)
        if "metric" in hasher.get_params(deep=False):
            hasher.set_params(metric=settings["metric"])
        say(f"Learning {n_bits} bits with {method}", verbose=is_shown(progress))
        learn(hasher, taken, 0, None)
        hasher.save(path)
    return paths


def _files(source: Source) -> list[Path]:
    """Return the files of items and labels."""
    labels = None if source.labels is None or source.columns else file_of(source.labels)
    return [Path(source.path), *([] if labels is None else [Path(labels)])]


def _training_items(source: Source, seed: int, progress: bool | None) -> TrainingItems:
    features, ignore = list(source.features) or None, list(source.ignore) or None
    reading = Reading(source.array, features, ignore, source.delimiter)
    items = reading.open(source.path)
    labels = source.labels
    return read_training_items(
        items,
        None if labels is None else ItemValues("--labels", labels, items),
        N_LEARNED,
        seed,
        unlabelled=source.unlabelled,
        reading=reading,
        progress=progress,
    )

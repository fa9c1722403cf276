"""The best two codes of `hashlearn compare`, learned for the page."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hashlearn._progress import say
from hashlearn.cli._shared.codes import ItemValues
from hashlearn.cli._shared.outputs import is_shown
from hashlearn.cli._shared.reading import Reading
from hashlearn.cli.explore._serving import Request, require_explorer
from hashlearn.cli.fit._learning import choose_hasher, learn, read_training_items
from hashlearn.comparison.comparison import FILE

N_LEARNED = 10_000  # as `hashlearn fit` samples
NEEDED = {
    "items": ("path", "folder", "options"),
    "recommendation": ("method", "n_bits", "runner_up"),
    "settings": ("random_state", "metric"),
}


def add_comparison(request: Request, folder: Path, progress: bool | None) -> Request:
    """Return a request for the items of a comparison, and two models in its folder."""
    require_explorer()
    if request.models or request.indexes or request.items:
        raise ValueError("--comparison excludes --model, --index and --items.")
    content = _read(folder)
    base = content["items"]["folder"]
    items = Path(base, content["items"]["path"])
    if not items.is_file():
        raise ValueError(
            f"'{items}', which '{folder}' compares, is not a file: the items must be a file that "
            "is still there."
        )
    options = [_located(name, value, base) for name, value in content["items"]["options"]]
    found = content["recommendation"]
    codes = [(found["method"], found["n_bits"])]
    if found["runner_up"] is not None:
        codes.append(tuple(found["runner_up"]))
    models = _learned(folder, items, options, codes, content["settings"], progress)
    given = dict(options)
    return replace(
        request,
        models=tuple(models),
        items=items,
        array=request.array or given.get("--array"),
        labels=request.labels or given.get("--labels"),
        side_by_side=True,
    )


def _read(folder: Path) -> dict[str, Any]:
    try:
        content = json.loads((folder / FILE).read_bytes())
        has_all = all(name in content[part] for part, names in NEEDED.items() for name in names)
        if has_all and content["items"]["path"]:
            return content
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise ValueError(f"'{folder}' has no comparison: 'hashlearn compare' writes one there.")


def _located(name: str, value: str, folder: str) -> tuple[str, str]:
    """Return an option of the comparison; a file of labels is found from anywhere."""
    path = Path(folder, value)
    return name, str(path) if name == "--labels" and path.is_file() else value


def _learned(
    folder: Path,
    items: Path,
    options: Sequence[tuple[str, str]],
    codes: Iterable[tuple[str, int]],
    settings: dict[str, Any],
    progress: bool | None,
) -> list[Path]:
    """Return the files of models; what is newer than comparison and items is not learned."""
    paths, training = [], None
    compared, changed = (path.stat().st_mtime for path in (folder / FILE, items))
    if changed > compared:
        warnings.warn(f"'{items}' was changed after it was compared.", stacklevel=2)
    for method, n_bits in codes:
        path = folder / f"{method}-{n_bits}.hashlearn"
        paths.append(path)
        if path.exists() and path.stat().st_mtime > max(compared, changed):
            continue
        training = training or _training_items(items, options, settings["random_state"], progress)
        params = {"n_bits": n_bits, "random_state": settings["random_state"]}
        hasher, taken = choose_hasher(training, method, [], **params)
        if "metric" in hasher.get_params(deep=False):
            hasher.set_params(metric=settings["metric"])
        say(f"Learning {n_bits} bits with {method}", verbose=is_shown(progress))
        learn(hasher, taken, 0, None)
        hasher.save(path)
    return paths


def _training_items(
    items: Path, options: Sequence[tuple[str, str]], seed: int, progress: bool | None
) -> Any:
    given = dict(options)
    of_columns = {
        name: [value for option, value in options if option == f"--{name}"] or None
        for name in ("features", "ignore")
    }
    reading = Reading(given.get("--array"), delimiter=given.get("--delimiter"), **of_columns)
    source = reading.open(items)
    labels = given.get("--labels")
    return read_training_items(
        source,
        None if labels is None else ItemValues("--labels", labels, source),
        N_LEARNED,
        seed,
        unlabelled=given.get("--unlabelled"),
        reading=reading,
        progress=progress,
    )

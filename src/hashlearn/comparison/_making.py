"""Recommended codes in Python and as commands."""

from __future__ import annotations

import shlex
from pathlib import Path

from hashlearn.base import BaseHasher
from hashlearn.comparison._measuring import ASYMMETRIC
from hashlearn.comparison._options import Option
from hashlearn.comparison.recommendation import Source
from hashlearn.comparison.settings import Settings

USUAL_K = 10  # of a search, unless -k is given


def python_lines(
    option: Option, hasher: BaseHasher, settings: Settings, source: Source | None
) -> str:
    """Return lines that fit the hasher, and encode items and queries."""
    known = hasher.get_params(deep=False)
    params = f'"{option.method}", n_bits={option.n_bits}'
    if "metric" in known and settings.metric != "cosine":
        params += f', metric="{settings.metric}"'
    if "random_state" in known:
        params += f", random_state={settings.random_state}"
    learned, given = _labelled(hasher, settings, "" if source is None else source.unlabelled)
    names = "HammingIndex, VectorRescoring, make_hasher" if option.candidates > 1 else "make_hasher"
    imports = [f"from hashlearn import {names}"]
    if learned:
        imports.append("from hashlearn.items import is_missing")
    if any("np." in line for line in learned):
        imports = ["import numpy as np", "", *imports]
    asked = "encode_queries" if option.search == ASYMMETRIC else "encode"
    lines = [
        *imports,
        "",
        *learned,
        f"hasher = make_hasher({params}).fit({given})",
        f"codes, asked = hasher.encode(X), hasher.{asked}(queries)",
    ]
    if option.candidates > 1:
        lines += [
            f"index = HammingIndex({option.n_bits})",
            "index.add(codes)",
            f'rescoring = VectorRescoring(queries, X, metric="{settings.metric}")',
            f"found = index.search(asked, {settings.k}, rescore=rescoring, "
            f"oversample={option.candidates})",
        ]
    return "\n".join(lines)


def _labelled(
    hasher: BaseHasher, settings: Settings, unlabelled: str | None
) -> tuple[list[str], str]:
    """Return lines that find the labels where some are missing, and the arguments of `fit`."""
    if not (hasher.supervised and settings.supervised):
        return [], "X"
    if settings.supervision == "pairs":
        return [], "X, affinity=affinity"
    if not settings.n_missing or (hasher.semi_supervised and settings.several):
        return [], "X, y"
    missing = f"is_missing(y, {unlabelled!r})" if unlabelled else "is_missing(y)"
    if not hasher.semi_supervised:
        return [f"known = ~{missing}"], "X[known], y[known]"
    numbers = [
        f"known, classes = ~{missing}, np.full(len(y), -1)",
        "classes[known] = np.unique(y[known], return_inverse=True)[1]",
    ]
    return numbers, "X, classes"


def commands(option: Option, hasher: BaseHasher, settings: Settings, source: Source | None) -> str:
    """Return the commands that fit, index and search; none learns from pairs."""
    if settings.supervision == "pairs":
        return ""
    if source is None:
        labelled = settings.supervision == "labels"
        source = Source("items.npy", "labels.csv" if labelled else None)
    name = Path(source.path).name.partition(".")[0].lstrip("-") or "items"
    path = f"{name}.csv" if source.path == "-" else source.path
    model, index = f"{name}.hashlearn", f"{name}.index"
    reading = source.options(labelled=hasher.supervised)
    fit = ["fit", path, *reading, "--method", option.method, "--bits", str(option.n_bits)]
    if settings.random_state:
        fit += ["--seed", str(settings.random_state)]
    if "metric" in hasher.get_params(deep=False) and settings.metric != "cosine":
        fit += ["--set", f"metric={settings.metric}"]
    search = ["search", index, "QUERIES", "--model", model]
    if settings.k != USUAL_K:
        search += ["-k", str(settings.k)]
    if (option.search == ASYMMETRIC) != hasher.asymmetric:
        search.append(f"--{'' if option.search == ASYMMETRIC else 'no-'}asymmetric")
    if option.candidates > 1:
        search += ["--items", path, "--rescore", "vectors", "--metric", settings.metric]
        search += ["--oversample", str(option.candidates)]
    words = (  # a model knows its columns
        [*fit, "--output", model],
        ["index", path, *source.place(), "--model", model, "--output", index],
        search,
    )
    return "\n".join(shlex.join(["hashlearn", *each]) for each in words)

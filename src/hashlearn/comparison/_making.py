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


NUMBERS = (
    "known, classes = ~{missing}, np.full(len(y), -1)",
    "classes[known] = np.unique(y[known], return_inverse=True)[1]",
)


def python_lines(
    option: Option, hasher: BaseHasher, settings: Settings, source: Source | None
) -> str:
    """Return lines that fit the hasher, and encode items and queries."""
    given = f'"{option.method}", n_bits={option.n_bits}'
    if "metric" in hasher.get_params(deep=False) and settings.metric != "cosine":
        given += f', metric="{settings.metric}"'
    if "random_state" in hasher.get_params(deep=False):
        given += f", random_state={settings.random_state}"
    y = {"vectors": "", "labels": ", y", "pairs": ", affinity=affinity"}[settings.supervision]
    is_rescored = option.candidates > 1
    names = "HammingIndex, VectorRescoring, make_hasher" if is_rescored else "make_hasher"
    lines, items, y = [f"from hashlearn import {names}"], "X", y if hasher.supervised else ""
    if y and settings.n_missing:
        extra = "" if source is None or source.unlabelled is None else f', "{source.unlabelled}"'
        missing = f"is_missing(y{extra})"
        lines += ["from hashlearn.items import is_missing", ""]
        if not hasher.semi_supervised:
            lines.append(f"known = ~{missing}")
            items, y = "X[known]", ", y[known]"
        elif not settings.several:
            lines = ["import numpy as np", "", *lines]
            lines += [line.format(missing=missing) for line in NUMBERS]
            y = ", classes"
    else:
        lines.append("")
    asked = "encode_queries" if option.search == ASYMMETRIC else "encode"
    lines += [
        f"hasher = make_hasher({given}).fit({items}{y})",
        f"codes, asked = hasher.encode(X), hasher.{asked}(queries)",
    ]
    if is_rescored:
        lines += [
            f"index = HammingIndex({option.n_bits})",
            "index.add(codes)",
            f'rescoring = VectorRescoring(queries, X, metric="{settings.metric}")',
            f"found = index.search(asked, {settings.k}, rescore=rescoring, "
            f"oversample={option.candidates})",
        ]
    return "\n".join(lines)


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

"""Recommended codes in Python and as commands."""

from __future__ import annotations

import shlex
from pathlib import Path

from hashlearn.base import BaseHasher
from hashlearn.comparison._measuring import ASYMMETRIC
from hashlearn.comparison._options import Option
from hashlearn.comparison._splits import MOST_TRAINING
from hashlearn.comparison.recommendation import Source
from hashlearn.comparison.settings import Settings

PAIRS = "X, affinity=affinity"
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
    if any("is_missing(" in line for line in learned):
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


def advice_for_fit(hasher: BaseHasher, settings: Settings) -> list[str]:
    """Return sentences about the items to fit a hasher to."""
    if not (hasher.supervised and settings.supervised):
        is_paired = settings.supervision == "pairs"
        return ["Fit it without the pairs: it learns from vectors alone."] if is_paired else []
    said = []
    if settings.n_missing:
        missing = f"the {settings.n_missing:,} items without a label"
        remedy = f"label {missing} -1" if hasher.semi_supervised else f"leave out {missing}"
        said.append(f"For `fit`, {remedy}.")
    if _has_many(hasher, settings):
        said.append(
            f"Fit it to a random {MOST_TRAINING:,} items, as `recommend().python` does: of more, "
            "which it was not measured with, its codes may be worse."
        )
    return said


def _has_many(hasher: BaseHasher, settings: Settings) -> bool:
    """Return whether there are more items to learn from than anything was measured with."""
    n_left_out = 0 if hasher.semi_supervised else settings.n_missing
    return settings.n_items - n_left_out > MOST_TRAINING


def _labelled(
    hasher: BaseHasher, settings: Settings, unlabelled: str | None
) -> tuple[list[str], str]:
    """Return lines that choose what to learn from, and the arguments of `fit`.

    Of many items it is a sample, as was measured: "auto" may learn from more in another way.
    """
    if not (hasher.supervised and settings.supervised):
        return [], "X"
    n_missing, semi = settings.n_missing, hasher.semi_supervised
    has_many = _has_many(hasher, settings)
    sample = f"np.random.RandomState({settings.random_state}).permutation"
    missing = f"is_missing(y, {unlabelled!r})" if unlabelled else "is_missing(y)"
    if n_missing and not semi:
        if not has_many:
            return [f"known = ~{missing}"], "X[known], y[known]"
        lines = [f"known = {sample}(np.flatnonzero(~{missing}))[:{MOST_TRAINING}]"]
        return lines, "X[known], y[known]"
    lines, y = [], "y"
    if n_missing and not settings.several:
        lines = [
            f"known, classes = ~{missing}, np.full(len(y), -1)",
            "classes[known] = np.unique(y[known], return_inverse=True)[1]",
        ]
        y = "classes"
    if has_many:
        lines.append(f"some = {sample}(len(X))")
        if n_missing:  # labelled items first
            lines.append(f'some = some[np.argsort({missing}[some], kind="stable")]')
        lines.append(f"some = some[:{MOST_TRAINING}]")
    if settings.supervision == "pairs":
        return lines, "X[some], affinity=affinity[some][:, some]" if has_many else PAIRS
    return lines, f"X[some], {y}[some]" if has_many else f"X, {y}"


def commands(option: Option, hasher: BaseHasher, settings: Settings, source: Source | None) -> str:
    """Return the commands that fit, index and search; none learns from pairs."""
    if settings.supervision == "pairs":
        return ""
    if source is None:
        labelled = settings.supervision == "labels"
        source = Source("items.npy", "labels.csv" if labelled else None)
    name = Path(source.path).name.partition(".")[0] or "items"
    path, model, index = source.path, f"{name}.hashlearn", f"{name}.index"
    reading = source.options(labelled=hasher.supervised)
    fit = ["fit", path, *reading, "--method", option.method, "--bits", str(option.n_bits)]
    if settings.random_state:
        fit += ["--seed", str(settings.random_state)]
    if "metric" in hasher.get_params(deep=False) and settings.metric != "cosine":
        fit += ["--set", f"metric={settings.metric}"]
    search = ["search", index, "QUERIES", *source.place(), "--model", model]
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

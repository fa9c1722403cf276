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
    learned, given = _learned(hasher, settings, "" if source is None else source.unlabelled)
    names = "HammingIndex, VectorRescoring, make_hasher" if option.candidates > 1 else "make_hasher"
    imports = [f"from hashlearn import {names}"]
    if any("is_missing(" in line for line in learned):
        imports.append("from hashlearn.items import is_missing")
    if any("as_affinity(" in line for line in learned):
        imports.insert(1, "from hashlearn.affinity import as_affinity")
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
    if settings.supervision == "pairs" and not hasher.supervised:
        return ["Fit it without the pairs: it learns from vectors alone."]
    said = []
    if settings.supervision == "labels" and hasher.supervised and settings.n_missing:
        missing = f"the {settings.n_missing:,} items without a label"
        remedy = f"label {missing} -1" if hasher.semi_supervised else f"leave out {missing}"
        said.append(f"For `fit`, {remedy}.")
    if _has_many(hasher, settings):
        said.append(
            f"Fit it to a random {MOST_TRAINING:,} items, as `recommend().python` does: it was "
            "measured with no more, and of more its codes may be worse."
        )
    return said


def _has_many(hasher: BaseHasher, settings: Settings) -> bool:
    """Return whether there are more items than were measured with: "auto" follows their number."""
    n_left_out = 0 if hasher.semi_supervised else settings.n_missing
    return hasher.supervised and settings.n_items - n_left_out > MOST_TRAINING


def _learned(
    hasher: BaseHasher, settings: Settings, unlabelled: str | None
) -> tuple[list[str], str]:
    """Return lines that choose what to learn from, and the arguments of `fit`."""
    lines, y = [], ""
    missing = f"is_missing(y, {unlabelled!r})" if unlabelled else "is_missing(y)"
    has_labels = settings.supervision == "labels" and hasher.supervised
    has_missing = has_labels and settings.n_missing > 0
    if has_labels:
        y = ", y"
    if has_missing and hasher.semi_supervised and not settings.several:
        y = ", classes"
        lines = [
            f"known, classes = ~{missing}, np.full(len(y), -1)",
            "classes[known] = np.unique(y[known], return_inverse=True)[1]",
        ]
    is_paired = settings.supervision == "pairs" and hasher.supervised
    if _has_many(hasher, settings):  # masks, which rows of any kind are taken by
        drawn = "np.arange(X.shape[0])"
        if is_paired:
            drawn = "np.flatnonzero(as_affinity(affinity, None, X).has_pairs())"
        elif has_missing and not hasher.semi_supervised:
            drawn = f"np.flatnonzero(~{missing})"
        lines.append(f"drawn = np.random.RandomState({settings.random_state}).permutation({drawn})")
        if has_missing and hasher.semi_supervised:
            lines.append(f'drawn = drawn[np.argsort({missing}[drawn], kind="stable")]')
        lines.append(f"some = np.isin(np.arange(X.shape[0]), drawn[:{MOST_TRAINING}])")
        pairs = ", affinity=affinity[some][:, some]" if is_paired else ""
        return lines, f"X[some]{y and f'{y}[some]'}{pairs}"
    if has_missing and not hasher.semi_supervised:
        return [f"known = ~{missing}"], "X[known], y[known]"
    return lines, f"X{y}{', affinity=affinity' if is_paired else ''}"


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

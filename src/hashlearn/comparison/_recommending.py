"""The choice of codes in words, in Python and as commands."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from hashlearn.base import BaseHasher
from hashlearn.comparison._choice import Choice, Target, choose
from hashlearn.comparison._measuring import ASYMMETRIC, VECTORS, build_hasher
from hashlearn.comparison._options import REPORTING, Option, best_of, of_codes
from hashlearn.comparison._tables import figure
from hashlearn.comparison._truths import NEW
from hashlearn.comparison.recommendation import Recommendation, Source


def recommend(
    options: Sequence[Option],
    settings: Any,
    target: Target | None,
    *,
    rescored: bool = False,
    source: Source | None = None,
) -> Recommendation:
    """Choose codes and say why, from measured options."""
    try:
        choice = choose(options, settings.measure, target, rescored=rescored)
    except ValueError as error:  # nothing was measured by it
        reasons = " ".join(f"{reason.rstrip('.')}." for reason in settings.untried)
        raise ValueError(f"{error} {reasons}".strip()) from None
    option, measure = choice.option, choice.measure
    found = option.estimate(measure, REPORTING)
    other = _for_new_classes(options, option, settings)
    words = [
        _main(choice, options, settings),
        *_level(choice),
        *_new(option, other, options, settings),
        *_rescored(options, choice, settings),
    ]
    hasher = build_hasher(
        option.method, option.n_bits, settings.metric, settings.random_state, None
    )
    return Recommendation(
        sentence=" ".join(words),
        reached=choice.reached,
        method=option.method,
        n_bits=option.n_bits,
        search=option.search,
        candidates=option.candidates,
        n_bytes=option.n_bytes,
        measure=measure,
        value=None if found is None else found.mean,
        error=None if found is None else found.error,
        hasher=hasher,
        python=_python(option, hasher, settings),
        command=_command(option, hasher, settings, source or Source()),
        runner_up=_runner_up(options, option, other, measure),
    )


def _main(choice: Choice, options: Sequence[Option], settings: Any) -> str:
    """Return the sentence about the chosen codes."""
    option, target = choice.option, choice.target
    size = f"{option.n_bits} bits ({_bytes(option.n_bytes)} instead of {4 * settings.n_features:,})"
    how = ", queries not rounded to bits" if option.search == ASYMMETRIC else ""
    if option.candidates > 1:
        how += f", {option.candidates} candidates per neighbour ordered by the vectors"
    said = f"{size} by {option.method}{how}: {_values(option, options, choice.measure)}."
    if choice.reached:
        return said
    if target is None:
        return f"Nothing is as good as the vectors. The smallest of the best: {said}"
    wanted = f"{in_words(target.measure)} of {figure(target.at_least)}"
    return f"Nothing that was measured reaches a {wanted}. The nearest: {said}"


def _values(option: Option, options: Sequence[Option], measure: str) -> str:
    """Return what an option reaches by a measure, beside the vectors."""
    found = option.estimate(measure, REPORTING)
    if found is None:
        return f"{in_words(measure)} of no query that it was not chosen by"
    said = f"{in_words(measure)} {figure(found.mean)} ± {figure(found.error)}"
    theirs = _of_vectors(options, measure)
    return said if theirs is None else f"{said}, the vectors {theirs}"


def _of_vectors(options: Sequence[Option], measure: str) -> str | None:
    """Return what the vectors reach; None where they are what should be found."""
    vectors = next((one for one in options if one.method == VECTORS), None)
    if vectors is None or measure.startswith("recall"):
        return None
    return _short(vectors, measure)


def _level(choice: Choice) -> list[str]:
    """Return a sentence about codes that are no worse, within the error."""
    names = sorted({f"{one.method} ({one.n_bits} bits)" for one in choice.level})
    return [f"Level with it: {', '.join(names)}."] if choice.reached and names else []


def _for_new_classes(options: Sequence[Option], option: Option, settings: Any) -> Option | None:
    """Return the codes of the same length that are best on classes kept out."""
    name = settings.new_measure
    if name is None or option.estimate(name) is None:
        return None
    best = best_of([one for one in of_codes(options) if one.n_bits == option.n_bits], name)
    return None if best is None or best.key == option.key or best.is_level(option, name) else best


def _new(
    option: Option, other: Option | None, options: Sequence[Option], settings: Any
) -> list[str]:
    """Return sentences about classes that were kept out of training."""
    name = settings.new_measure
    if name is None or option.estimate(name) is None:
        return []
    theirs = _of_vectors(options, name)
    words = [f"Classes that were kept out: {_short(option, name)}, the vectors {theirs}."]
    if other is not None:
        words.append(
            f"If new classes matter, {other.method}: {_short(other, settings.measure)} and "
            f"{_short(other, name)}."
        )
    return words


def _short(option: Option, measure: str) -> str:
    found = option.estimate(measure, REPORTING)
    return "not measured" if found is None else figure(found.mean)


def _rescored(options: Sequence[Option], choice: Choice, settings: Any) -> list[str]:
    """Return a sentence about smaller codes, or better ones, with the vectors at hand."""
    if choice.option.candidates > 1 or settings.supervision != "vectors":
        return []
    assert choice.target is not None  # recall has one
    measure, at_least = choice.target
    others = [one for one in of_codes(options, rescored=True) if one.candidates > 1]
    reaching = [one for one in others if one.reaches(measure, at_least)]
    best = best_of(others, measure)
    if best is None:
        return []
    best = min(reaching, key=lambda one: (one.n_bytes, one.candidates)) if reaching else best
    if choice.reached and not (reaching and best.n_bytes < choice.option.n_bytes):
        return []
    return [
        f"With the vectors at hand to order {best.candidates} candidates per neighbour, "
        f"{best.n_bits} bits ({_bytes(best.n_bytes)}) by {best.method} find "
        f"{_short(best, measure)}."
    ]


def _runner_up(
    options: Sequence[Option], option: Option, other: Option | None, measure: str
) -> tuple[str, int] | None:
    """Return other codes of the same length to look at: for new classes, or the next best."""
    if other is not None:
        return other.key
    others = [one for one in of_codes(options) if one.key != option.key]
    same = [one for one in others if one.n_bits == option.n_bits]
    best = best_of(same or others, measure)
    return None if best is None else best.key


def _python(option: Option, hasher: BaseHasher, settings: Any) -> str:
    given = f'"{option.method}", n_bits={option.n_bits}'
    if "metric" in hasher.get_params(deep=False) and settings.metric != "cosine":
        given += f', metric="{settings.metric}"'
    if "random_state" in hasher.get_params(deep=False):
        given += f", random_state={settings.random_state}"
    y = {"vectors": "", "labels": ", y", "pairs": ", affinity=affinity"}[settings.supervision]
    items = "X"
    if not hasher.supervised:
        y = ""
    elif settings.n_missing and not hasher.semi_supervised:
        items, y = "X[y >= 0]", ", y[y >= 0]"
    fit = f"hasher = make_hasher({given}).fit({items}{y})"
    asked = "encode_queries" if option.search == ASYMMETRIC else "encode"
    return f"{fit}\ncodes, asked = hasher.encode(X), hasher.{asked}(queries)"


def _command(option: Option, hasher: BaseHasher, settings: Any, source: Source) -> str:
    """Return the commands that fit, index and search."""
    name = source.path.rpartition("/")[2].partition(".")[0].lstrip("-") or "items"
    model, index = f"{name}.hashlearn", f"{name}.index"
    fit = ["fit", source.path, *source.options, "--method", option.method]
    fit += ["--bits", str(option.n_bits)]
    if settings.random_state:
        fit += ["--seed", str(settings.random_state)]
    if "metric" in hasher.get_params(deep=False) and settings.metric != "cosine":
        fit += ["--set", f"metric={settings.metric}"]
    search = ["search", index, "QUERIES", "--model", model]
    if (option.search == ASYMMETRIC) != hasher.asymmetric:
        search.append(f"--{'' if option.search == ASYMMETRIC else 'no-'}asymmetric")
    commands = (
        [*fit, "--output", model],
        ["index", source.path, *source.reading(), "--model", model, "--output", index],
        search,
    )
    return "\n".join(shlex.join(["hashlearn", *words]) for words in commands)


def in_words(measure: str) -> str:
    """Return the name of a measure for a sentence: "new-precision@10" is on classes kept out."""
    plain = measure.removeprefix(NEW)
    name, _, k = plain.partition("@")
    name = {"map": "mean average precision", "ndcg": "nDCG"}.get(name, name)
    said = f"{name} at {k}" if k else name
    return f"{said} on classes kept out" if plain != measure else said


def _bytes(n: int) -> str:
    return f"{n:,} byte{'' if n == 1 else 's'}"

"""The choice of codes in words."""

from __future__ import annotations

from collections.abc import Sequence

from hashlearn.base import BaseHasher
from hashlearn.comparison._choice import Choice, Target, choose
from hashlearn.comparison._making import commands, python_lines
from hashlearn.comparison._measuring import ASYMMETRIC, build_hasher
from hashlearn.comparison._options import (
    N_ERRORS,
    REPORTING,
    Estimate,
    Option,
    best_of,
    of_codes,
    vectors_of,
)
from hashlearn.comparison._running import LATE
from hashlearn.comparison._tables import FULL, exact, figure, in_words
from hashlearn.comparison._truths import IN_USE, NEW, is_new
from hashlearn.comparison.recommendation import Recommendation, Source
from hashlearn.comparison.settings import Settings

FEW_QUERIES = 100
MANY_COPIES, MANY_TIED = 0.01, 0.05


def recommend(
    options: Sequence[Option],
    settings: Settings,
    measure: str,
    target: Target | None,
    *,
    rescored: bool = False,
    source: Source | None = None,
) -> Recommendation:
    """Choose codes and say why, from measured options."""
    try:
        choice = choose(options, measure, target, rescored=rescored)
    except ValueError as error:  # nothing was measured by it
        reasons = [f"{reason[:1].upper()}{reason[1:].rstrip('.')}." for reason in settings.untried]
        raise ValueError(" ".join([str(error), *reasons])) from None
    option = choice.option
    found = option.estimate(choice.measure, REPORTING)
    is_kept = _is_kept(choice, found)
    other = _for_new_classes(options, choice)
    beside = _with_vectors(options, choice)
    words = [
        _main(choice, options, settings),
        *([] if is_kept else [_not_kept(choice.target)]),
        *_few(found),
        *_late(choice, settings),
        *_by_chance(option, options, settings),
        *_no_smaller(option, settings),
        *_level(choice),
        *_new(choice, other, options, settings),
        *([] if beside is None else _rescored(beside)),
        *_copied(settings),
        *_tied(settings),
    ]
    hasher = _hasher(option, settings)
    rescored_command = ""
    if beside is not None:
        rescored_command = commands(
            beside.option, _hasher(beside.option, settings), settings, source
        )
    return Recommendation(
        sentence=" ".join(words),
        reached=choice.reached and is_kept,
        method=option.method,
        n_bits=option.n_bits,
        search=option.search,
        candidates=option.candidates,
        n_bytes=option.n_bytes,
        measure=choice.measure,
        value=None if found is None else found.mean,
        error=None if found is None else found.error,
        hasher=hasher,
        python=python_lines(option, hasher, settings, source),
        command=commands(option, hasher, settings, source),
        rescored_command=rescored_command,
        runner_up=_runner_up(options, option, other, choice.measure),
    )


def _hasher(option: Option, settings: Settings) -> BaseHasher:
    """Return the hasher of an option, not fitted."""
    seed = settings.random_state
    return build_hasher(option.method, option.n_bits, settings.metric, seed, None)


def _main(choice: Choice, options: Sequence[Option], settings: Settings) -> str:
    """Return the sentence about the chosen codes."""
    option, target = choice.option, choice.target
    size = f"{option.n_bits} bits ({_bytes(option.n_bytes)} instead of {settings.vector_bytes:,})"
    how = f"by {option.method}{_unrounded(option)}"
    if option.candidates > 1:
        how += f", {option.candidates} candidates per neighbour ordered by the vectors"
    said = f"{size} {how}: {_beside_vectors(option, options, settings, choice.measure)}."
    if target is None:
        if choice.reached:
            return said
        return (
            "Nothing that was measured is certain to be as good as the vectors. The smallest of "
            f"the best: {said}"
        )
    name = in_words(target.measure)
    wanted = f"{'an' if name.startswith('n') else 'a'} {name} of at least {exact(target.at_least)}"
    if choice.reached:
        return f"For {wanted}: {said}"
    return f"Nothing that was measured is certain to reach {wanted}. The nearest: {said}"


def _unrounded(option: Option) -> str:
    return ", queries not rounded to bits" if option.search == ASYMMETRIC else ""


def _beside_vectors(
    option: Option, options: Sequence[Option], settings: Settings, measure: str
) -> str:
    """Return what an option reaches by a measure, and the vectors on the same queries."""
    found = option.estimate(measure, REPORTING)
    if found is None:
        return f"{in_words(measure)} of no query that it was not chosen by"
    said = f"{in_words(measure)} {_with_error(found)}"
    if measure.startswith("precision") and settings.ceiling < FULL:
        said += f" of {figure(settings.ceiling)} that a perfect ranking has"
    vectors = vectors_of(options)
    if vectors is None or measure.startswith("recall"):  # of vectors it is 1
        return said
    said = f"{said}, the vectors {_short(vectors, measure, option)}"
    name = IN_USE + measure
    if not (option.folds(name) and vectors.folds(name)):
        return said
    both = f"{_short(option, name)} and {_short(vectors, name)}"
    return f"{said} ({both} if the database has the items learned from, too)"


def _short(option: Option, measure: str, like: Option | None = None) -> str:
    """Return a mean, on the folds of another option."""
    folds = None if like is None else like.folds(measure)
    found = option.estimate(measure, REPORTING, folds)
    return "not measured" if found is None else figure(found.mean)


def _with_error(found: Estimate | None) -> str:
    return "not measured" if found is None else f"{figure(found.mean)} ± {figure(found.error)}"


def _is_kept(choice: Choice, found: Estimate | None) -> bool:
    """Return whether a target that was reached is reached on the queries kept for it, too."""
    if not choice.reached or choice.target is None or found is None:
        return True
    return found.mean + found.error >= choice.target.at_least


def _not_kept(target: Target | None) -> str:
    wanted = "" if target is None else exact(target.at_least)
    return (
        f"That is below {wanted}, which it reached on the queries that it was chosen by: ask for a "
        "little more."
    )


def _late(choice: Choice, settings: Settings) -> list[str]:
    """Return a sentence about what was not tried, if nothing was found."""
    if choice.reached or not _had_no_time(settings):
        return []
    return ["Not all was tried: more time may find better ones."]


def _had_no_time(settings: Settings) -> bool:
    return any(LATE in reason for reason in settings.untried)


def _by_chance(option: Option, options: Sequence[Option], settings: Settings) -> list[str]:
    """Return a sentence about labels that have nothing to do with the vectors."""
    vectors, name = vectors_of(options), f"precision@{settings.k}"
    if not settings.supervised or vectors is None:
        return []
    halfway = (settings.chance + settings.ceiling) / 2  # of few items it is near the chance
    for one in (option, vectors):
        found = one.estimate(name)
        if found is None:
            return []
        error = N_ERRORS * found.error
        if found.mean - error > settings.chance or found.mean + error > halfway:
            return []
    return [
        f"Neither is better than a random order ({figure(settings.chance)}): do the labels belong "
        "to these items, in this order?"
    ]


def _no_smaller(option: Option, settings: Settings) -> list[str]:
    is_smaller = option.n_bytes < settings.vector_bytes
    return [] if is_smaller else ["These codes are no smaller than the vectors."]


def _level(choice: Choice) -> list[str]:
    """Return a sentence about codes that are no worse, within the error."""
    names = sorted({f"{one.method} ({one.n_bits} bits)" for one in choice.level})
    return [f"Level with it: {', '.join(names)}."] if choice.reached and names else []


def _for_new_classes(options: Sequence[Option], choice: Choice) -> Option | None:
    """Return the codes that would be chosen by classes kept out, if they are better on these."""
    option, name = choice.option, NEW + choice.measure
    if is_new(choice.measure) or not option.folds(name):
        return None
    other = choose(options, name).option
    is_better = best_of([option, other], name) is other and not other.is_level(option, name)
    return other if is_better else None


def _new(
    choice: Choice, other: Option | None, options: Sequence[Option], settings: Settings
) -> list[str]:
    """Return sentences about classes that were kept out of training, or about all."""
    if not settings.supervised:
        return []
    if settings.new_measure is None:
        return ["Classes kept out were not measured: there are too few, or too few items."]
    option, seen = choice.option, choice.measure.removeprefix(NEW)
    name, where = NEW + seen, "classes kept out of training"
    if is_new(choice.measure):
        name, where = seen, "all classes"
    if not option.folds(name):
        late = LATE if _had_no_time(settings) else "see what was not tried"
        return [f"Classes kept out were not measured: {late}."]
    vectors = vectors_of(options)
    theirs = "" if vectors is None else f", the vectors {_short(vectors, name, option)}"
    found = option.estimate(name, REPORTING)
    words = [f"On {where}: {_with_error(found)}{theirs}."]
    if not _few(option.estimate(choice.measure, REPORTING)):  # which was said
        words += _few(found)
    if other is not None:
        words.append(
            f"If new classes matter, {other.n_bits} bits by {other.method}{_unrounded(other)}: "
            f"{_short(other, seen)}, on new classes {_with_error(other.estimate(name, REPORTING))}."
        )
    return words


def _with_vectors(options: Sequence[Option], choice: Choice) -> Choice | None:
    """Return smaller codes, or better ones, whose candidates the vectors put in order."""
    if choice.option.candidates > 1 or choice.target is None:
        return None
    found = choose(options, choice.measure, choice.target, rescored=True)
    is_smaller = found.reached and found.option.n_bytes < choice.option.n_bytes
    is_better = is_smaller or not choice.reached
    return found if found.option.candidates > 1 and is_better else None


def _rescored(choice: Choice) -> list[str]:
    """Return a sentence about codes whose candidates the vectors put in order."""
    best = choice.option
    is_kept = _is_kept(choice, best.estimate(choice.measure, REPORTING))
    return [
        f"With the vectors at hand to order {best.candidates} candidates per neighbour, "
        f"{best.n_bits} bits ({_bytes(best.n_bytes)}) by {best.method}{_unrounded(best)}: "
        f"{_short(best, choice.measure)}.",
        *([] if is_kept else [_not_kept(choice.target)]),
    ]


def _few(found: Estimate | None) -> list[str]:
    """Return a sentence about the number of queries, if there are few."""
    if found is None or found.n_queries >= FEW_QUERIES:
        return []
    return [f"That is of {found.n_queries} queries: more items would tell more."]


def _copied(settings: Settings) -> list[str]:
    if settings.copied < MANY_COPIES:
        return []
    return [
        f"{100 * settings.copied:.0f} percent of the queries are copies of other items: without "
        "copies, what is found may be less."
    ]


def _tied(settings: Settings) -> list[str]:
    if settings.tied < MANY_TIED:
        return []
    return [
        f"{100 * settings.tied:.0f} percent of the queries have many more items that are as near "
        f"as the nearest {settings.k}, and all of them count: does one feature outweigh the others?"
    ]


def _runner_up(
    options: Sequence[Option], option: Option, other: Option | None, measure: str
) -> tuple[str, int] | None:
    """Return other codes to look at: for new classes, or the next best of the same length."""
    if other is not None:
        return other.key
    others = [one for one in of_codes(options) if one.key != option.key]
    same = [one for one in others if one.n_bits == option.n_bits]
    best = best_of(same or others, measure)
    return None if best is None else best.key


def _bytes(n: int) -> str:
    return f"{n:,} byte{'' if n == 1 else 's'}"

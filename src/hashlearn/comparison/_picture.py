"""The picture of a comparison: quality over bytes per item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hashlearn._report.pictures import INK, marker_look, styled_figure
from hashlearn.comparison._options import Option, best_of, vectors_of
from hashlearn.comparison._tables import FIRST_FOLD, in_words
from hashlearn.comparison.recommendation import Recommendation
from hashlearn.comparison.settings import Settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CANDIDATES_SHOWN = 4


def draw(options: Sequence[Option], settings: Settings, found: Recommendation) -> Figure:
    """Draw a line per method, its better search at each length; the vectors are a level."""
    panels = _panels(settings)
    with styled_figure(max(6, 5.2 * len(panels)), 4.6) as figure:
        all_axes = figure.subplots(1, len(panels), squeeze=False)[0]
        for axes, (measure, candidates, title) in zip(all_axes, panels, strict=True):
            _draw_lines(axes, options, settings, measure, candidates)
            _draw_target(axes, settings, measure)
            _mark(axes, options, found, measure, candidates)
            _label(axes, options, title)
        handles: dict[str, Any] = {}
        for axes in all_axes:
            lines, labels = axes.get_legend_handles_labels()
            handles |= dict(zip(labels, lines, strict=True))
        figure.legend(handles.values(), handles, loc="outside lower center", ncols=4)
    return figure


def _panels(settings: Settings) -> list[tuple[str, int, str]]:
    """Return a measure, a number of candidates and a title for each plot."""
    measure = settings.measure
    if not settings.supervised:
        said = f"{CANDIDATES_SHOWN} candidates per neighbour,\nordered by the vectors"
        return [
            (measure, 1, f"{in_words(measure)}, codes alone"),
            (measure, CANDIDATES_SHOWN, said),
        ]
    new = settings.new_measure
    return [(one, 1, in_words(one)) for one in (measure, new) if one is not None]


def _draw_lines(
    axes: Axes, options: Sequence[Option], settings: Settings, measure: str, candidates: int
) -> None:
    for i, method in enumerate(settings.methods):
        points = _points(options, method, measure, candidates)
        if points:
            x, y, errors = zip(*points, strict=True)
            axes.errorbar(x, y, errors, label=method, capsize=2, **marker_look(i))
    vectors = vectors_of(options)
    level = None if vectors is None else vectors.estimate(measure, folds=FIRST_FOLD)
    if level is not None and settings.supervised:
        name = f"the vectors ({settings.vector_bytes:,} bytes)"
        axes.axhline(level.mean, color=INK, linewidth=1.2, linestyle="--", label=name)


def _points(
    options: Sequence[Option], method: str, measure: str, candidates: int
) -> list[tuple[int, float, float]]:
    """Return bytes, mean and error of the better search at each length."""
    by_length: dict[int, list[Option]] = {}
    for option in options:
        if option.method == method and option.candidates == candidates:
            by_length.setdefault(option.n_bits, []).append(option)
    points = []
    for of_length in by_length.values():
        best = best_of(of_length, measure, FIRST_FOLD)
        estimate = None if best is None else best.estimate(measure, folds=FIRST_FOLD)
        if best is not None and estimate is not None:
            points.append((best.n_bytes, estimate.mean, estimate.error))
    return points


def _draw_target(axes: Axes, settings: Settings, measure: str) -> None:
    if settings.target is not None and settings.target.measure == measure:
        axes.axhline(
            settings.target.at_least, color=INK, linewidth=1, linestyle=":", label="target"
        )


def _mark(
    axes: Axes, options: Sequence[Option], found: Recommendation, measure: str, candidates: int
) -> None:
    """Circle the recommended codes."""
    for option in options:
        chosen = (found.method, found.n_bits, found.search, found.candidates)
        if (option.method, option.n_bits, option.search, option.candidates) == chosen:
            estimate = option.estimate(measure, folds=FIRST_FOLD)
            if estimate is not None and candidates == option.candidates:
                look: Any = {"s": 180, "facecolors": "none", "edgecolors": INK, "zorder": 5}
                axes.scatter(option.n_bytes, estimate.mean, label="recommended", **look)


def _label(axes: Axes, options: Sequence[Option], title: str) -> None:
    lengths = sorted({-(-one.n_bits // 8) for one in options if one.n_bits})
    axes.set_xscale("log", base=2)
    axes.set_xticks(lengths, [f"{n:,}" for n in lengths])
    axes.minorticks_off()
    axes.set(xlabel="bytes per item")
    axes.set_title(title, fontsize=11)

"""Figures of a report: a row per method and a panel per measure, or panels of lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from hashlearn._report.pictures import COLOURS, INK, marker_look, styled_figure
from hashlearn.experiments.summaries import Curve, Spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROWS_WIDTH = 10.0  # inches
ROW_HEIGHT = 0.235  # inches a row
ROWS_HEAD = 1.25  # inches for title, axis and legend
N_COLUMNS = 3
PANEL = (3.35, 2.85)  # inches
MOST_IN_A_COLUMN = 13  # names in one column of a legend
MOST_MARKERS = 9  # on one line: more would hide it


@dataclass(frozen=True)
class Marks:
    """One kind of mark, with a value per row; a row without a value has no mark."""

    name: str  # in the legend
    values: Sequence[Spread | None]
    look: str  # a name in LOOKS


@dataclass(frozen=True)
class RowPanel:
    """One measure of all rows; `is_log` for times, `is_joined` draws a line between the marks."""

    x_label: str
    marks: Sequence[Marks]
    is_log: bool = False
    is_joined: bool = False


def plot_rows(names: Sequence[str], panels: Sequence[RowPanel], title: str) -> Figure:
    """Draw a mark per row (from the top) and measure; all panels have the same rows."""
    with styled_figure(ROWS_WIDTH, ROWS_HEAD + ROW_HEIGHT * max(len(names), 3)) as figure:
        all_axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, panel in zip(all_axes, panels, strict=True):
            _draw_row_panel(axes, panel)
        all_axes[0].set_yticks(range(len(names)), names)
        all_axes[0].set_ylim(len(names) - 0.4, -0.6)
        figure.suptitle(title, fontsize=12)
        if any(len(panel.marks) > 1 for panel in panels):
            _draw_mark_legend(figure, panels)
    return figure


def _draw_row_panel(axes: Axes, panel: RowPanel) -> None:
    axes.set_xlabel(panel.x_label)
    axes.tick_params(axis="y", length=0)
    if panel.is_log:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.xaxis.set_minor_formatter(lambda *_: "")  # they would overlap
        _widen_to_decades(axes, panel)
    else:
        axes.set_xlim(0, 1.02)
    if panel.is_joined:
        _join(axes, panel.marks)
    for marks in panel.marks:
        _draw_marks(axes, marks)


def _draw_marks(axes: Axes, marks: Marks) -> None:
    rows = [row for row, value in enumerate(marks.values) if value and value.mean is not None]
    values = [value for value in marks.values if value and value.mean is not None]
    if not rows:
        return
    x = np.array([value.mean for value in values], dtype=float)
    std = np.array([value.std or 0.0 for value in values])
    look = LOOKS[marks.look]
    axes.errorbar(x, rows, xerr=std, fmt="none", ecolor=look["color"], elinewidth=1.6, zorder=3)
    axes.plot(x, rows, label=marks.name, linestyle="none", zorder=4, **look)


LOOKS: dict[str, dict[str, Any]] = {
    "dot": {"marker": "o", "color": COLOURS[0], "markersize": 6},
    "hollow": {
        "marker": "o",
        "color": INK,
        "markerfacecolor": "none",
        "markersize": 9,
        "markeredgewidth": 1.2,
    },
    "diamond": {  # also hollow, so that a dot below it is visible
        "marker": "D",
        "color": COLOURS[1],
        "markerfacecolor": "none",
        "markersize": 8,
        "markeredgewidth": 1.8,
    },
    "tick": {"marker": "|", "color": COLOURS[1], "markersize": 11, "markeredgewidth": 2.4},
}


def _join(axes: Axes, marks: Sequence[Marks]) -> None:
    """Draw a grey line between the two marks of a row."""
    for row, (a, b) in enumerate(zip(marks[0].values, marks[1].values, strict=True)):
        if a and b and a.mean is not None and b.mean is not None:
            axes.plot([a.mean, b.mean], [row, row], color="#999999", linewidth=1.6, zorder=1)


def _widen_to_decades(axes: Axes, panel: RowPanel) -> None:
    """Set the limits of a log axis to powers of ten around every mark."""
    values = [
        value.mean
        for marks in panel.marks
        for value in marks.values
        if value and value.mean is not None and value.mean > 0
    ]
    if values:
        low, high = np.floor(np.log10(min(values) * 0.999)), np.ceil(np.log10(max(values) * 1.001))
        axes.set_xlim(10.0**low, 10.0 ** max(high, low + 1))


def _draw_mark_legend(figure: Figure, panels: Sequence[RowPanel]) -> None:
    """Name every kind of mark once, below the panels."""
    drawn: dict[str, Any] = {}
    for axes in figure.axes:
        handles, labels = axes.get_legend_handles_labels()
        drawn |= dict(zip(labels, handles, strict=True))
    names = dict.fromkeys(marks.name for panel in panels for marks in panel.marks)
    shown = {name: drawn[name] for name in names if name in drawn}
    figure.legend(shown.values(), shown, loc="outside lower center", ncols=max(1, len(shown)))


@dataclass(frozen=True)
class Panel:
    """One plot of several lines."""

    title: str
    x_label: str
    y_label: str
    curves: dict[str, Curve]  # by the line's name
    ticks: Sequence[int] = ()  # on the x axis; empty for the default


def plot_panels(panels: Sequence[Panel], names: Sequence[str], title: str) -> Figure:
    """Draw panels, three in a row, and a legend of all lines in the first free place.

    A line looks the same in every panel; `names` gives the order of the legend.
    """
    n_places = len(panels) + 1
    n_columns = min(N_COLUMNS, n_places)
    n_rows = ceil(n_places / n_columns)
    with styled_figure(PANEL[0] * n_columns, PANEL[1] * n_rows + 0.3) as figure:
        grid = figure.add_gridspec(n_rows, n_columns)
        looks = {name: marker_look(i) | {"linewidth": 1.6} for i, name in enumerate(names)}
        for i, panel in enumerate(panels):
            axes = figure.add_subplot(grid[divmod(i, n_columns)])
            _draw_panel(axes, panel, looks)
        _draw_line_legend(figure.add_subplot(grid[divmod(len(panels), n_columns)]), looks)
        figure.suptitle(title, fontsize=12)
    return figure


def _draw_panel(axes: Axes, panel: Panel, looks: dict[str, dict]) -> None:
    # The first line, the subject of the figure, is drawn last, above the others.
    for name in reversed([name for name in looks if name in panel.curves]):
        x, y, std = panel.curves[name]
        every = max(1, ceil(len(x) / MOST_MARKERS))
        axes.plot(x, y, **looks[name], markevery=every)
        colour = looks[name]["color"]
        axes.fill_between(x, y - std, y + std, color=colour, alpha=0.15, linewidth=0)
    axes.set_title(panel.title, fontsize=10.5)
    axes.set(xlabel=panel.x_label, ylabel=panel.y_label)
    axes.set_ylim(0, _top(panel))
    if panel.ticks:
        axes.set_xticks(panel.ticks, map(str, panel.ticks))


def _top(panel: Panel) -> float:
    """Return the upper end of the axis: above every line and band, at most 1.04."""
    highest = max((float((y + std).max()) for _, y, std in panel.curves.values()), default=1.0)
    return min(1.06 * highest, 1.04) or 1.0


def _draw_line_legend(axes: Axes, looks: dict[str, dict]) -> None:
    """Fill a place with the names of all lines."""
    from matplotlib.lines import Line2D

    axes.axis("off")
    handles = [Line2D([], [], label=name, **look) for name, look in looks.items()]
    axes.legend(
        handles=handles,
        loc="center left",
        ncols=ceil(len(handles) / MOST_IN_A_COLUMN),
        fontsize=9,
        handlelength=3.2,
        labelspacing=0.35,
    )


def curve_over_bits(
    bits: Sequence[int], means: Sequence[float], stds: Sequence[float | None]
) -> Curve:
    """Return a measure over code lengths as a curve."""
    return Curve(
        np.array(bits, dtype=float),
        np.array(means, dtype=float),
        np.array([std or 0.0 for std in stds]),
    )

"""Figures of rows: a row per method, and a panel per measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hashlearn.experiments.pictures import COLOURS, INK, styled_figure
from hashlearn.experiments.summaries import Spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 10.0  # inches
ROW = 0.235  # inches a row
HEAD = 1.25  # inches for title, axis and legend


@dataclass(frozen=True)
class Marks:
    """One kind of mark, for every row of a panel.

    Attributes
    ----------
    name : str
        In the legend.
    values : sequence of Spread or None
        One per row; a row without a value has no mark.
    look : {"dot", "hollow", "diamond", "tick"}
    """

    name: str
    values: Sequence[Spread | None]
    look: str


@dataclass(frozen=True)
class RowPanel:
    """One measure of all rows; `is_log` for times, `is_joined` draws a line between the marks."""

    x_label: str
    marks: Sequence[Marks]
    is_log: bool = False
    is_joined: bool = False


def plot_rows(names: Sequence[str], panels: Sequence[RowPanel], title: str) -> Figure:
    """Draw a mark per row and measure, all panels with the same rows.

    Parameters
    ----------
    names : sequence of str
        The rows, from above.
    panels : sequence of RowPanel
    title : str

    Returns
    -------
    figure : matplotlib.figure.Figure

    Examples
    --------
    >>> marks = Marks("here", [Spread(0.9, 0.01, 3), Spread(0.4, None, 1)], "dot")
    >>> figure = plot_rows(["TSH", "LSH"], [RowPanel("MAP", [marks])], "MNIST")
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['TSH', 'LSH']
    """
    with styled_figure(WIDTH, HEAD + ROW * max(len(names), 3)) as figure:
        all_axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, panel in zip(all_axes, panels, strict=True):
            _draw_panel(axes, panel)
        all_axes[0].set_yticks(range(len(names)), names)
        all_axes[0].set_ylim(len(names) - 0.4, -0.6)
        figure.suptitle(title, fontsize=12)
        if any(len(panel.marks) > 1 for panel in panels):
            _draw_legend(figure, panels)
    return figure


def _draw_panel(axes: Axes, panel: RowPanel) -> None:
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
    "diamond": {  # hollow too: a dot below it is seen
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
    """Let a log axis begin and end at powers of ten, with every mark inside."""
    values = [
        value.mean
        for marks in panel.marks
        for value in marks.values
        if value and value.mean is not None and value.mean > 0
    ]
    if values:
        low, high = np.floor(np.log10(min(values) * 0.999)), np.ceil(np.log10(max(values) * 1.001))
        axes.set_xlim(10.0**low, 10.0 ** max(high, low + 1))


def _draw_legend(figure: Figure, panels: Sequence[RowPanel]) -> None:
    """Name every kind of mark once, below the panels."""
    drawn: dict[str, Any] = {}
    for axes in figure.axes:
        handles, labels = axes.get_legend_handles_labels()
        drawn |= dict(zip(labels, handles, strict=True))
    names = dict.fromkeys(marks.name for panel in panels for marks in panel.marks)
    shown = {name: drawn[name] for name in names if name in drawn}
    figure.legend(shown.values(), shown, loc="outside lower center", ncols=max(1, len(shown)))

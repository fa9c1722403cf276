"""Figures of lines: panels of many methods with one legend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from hashlearn.experiments.pictures import marker_look, styled_figure
from hashlearn.experiments.summaries import Curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N_COLUMNS = 3
PANEL = (3.35, 2.85)  # inches
MOST_IN_A_COLUMN = 13  # names in one column of a legend
MOST_MARKERS = 9  # on one line: more would hide it


@dataclass(frozen=True)
class Panel:
    """One plot of several lines.

    Attributes
    ----------
    title, x_label, y_label : str
    curves : dict of str to Curve
        By the line's name.
    ticks : sequence of int
        Numbers on the x axis; empty for the default.
    """

    title: str
    x_label: str
    y_label: str
    curves: dict[str, Curve]
    ticks: Sequence[int] = ()


def plot_panels(panels: Sequence[Panel], names: Sequence[str], title: str) -> Figure:
    """Draw panels, three in a row, and the legend in the first free place.

    Parameters
    ----------
    panels : sequence of Panel
    names : sequence of str
        All lines, in the order of the legend; a line looks the same in every panel.
    title : str
        Title of the figure.

    Returns
    -------
    figure : matplotlib.figure.Figure

    Examples
    --------
    >>> line = Curve(np.array([8, 16]), np.array([0.5, 0.6]), np.zeros(2))
    >>> panel = Panel("MAP", "bits", "MAP", {"TSH": line}, ticks=[8, 16])
    >>> len(plot_panels([panel], ["TSH"], "MNIST").axes)
    2
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
        _draw_legend(figure.add_subplot(grid[divmod(len(panels), n_columns)]), looks)
        figure.suptitle(title, fontsize=12)
    return figure


def _draw_panel(axes: Axes, panel: Panel, looks: dict[str, dict]) -> None:
    # The first line is the one that a figure is about: it is drawn last, above the others.
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
    """Return the upper end of the axis: above every line and band, hardly above 1."""
    highest = max((float((y + std).max()) for _, y, std in panel.curves.values()), default=1.0)
    return min(1.06 * highest, 1.04) or 1.0


def _draw_legend(axes: Axes, looks: dict[str, dict]) -> None:
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
    """Return a measure over code lengths as a curve.

    Examples
    --------
    >>> curve_over_bits([8, 16], [0.5, 0.6], [0.1, None]).std
    array([0.1, 0. ])
    """
    return Curve(
        np.array(bits, dtype=float),
        np.array(means, dtype=float),
        np.array([std or 0.0 for std in stds]),
    )

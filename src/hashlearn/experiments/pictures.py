"""Pictures of results: precision and recall, and neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from hashlearn._report.pictures import INK, line_look, styled_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WRONG = "#D00000"


def plot_precision_recall(
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]], *, title: str | None = None
) -> Figure:
    """Draw precision against recall, one line per method.

    Parameters
    ----------
    curves : dict of str to (recall, precision)
        Results of :func:`hashlearn.metrics.precision_recall_curve` by method. As in the area
        under the curve, the first precision is drawn from recall 0 on.
    title : str, optional
        Title of the plot.

    Returns
    -------
    figure : matplotlib.figure.Figure

    Examples
    --------
    >>> from hashlearn.experiments import plot_precision_recall
    >>> figure = plot_precision_recall({"tsh": ([0.5, 1.0], [1.0, 0.8])})
    >>> figure.axes[0].get_xlabel()
    'recall'
    """
    with styled_figure(6.0, 4.2) as figure:
        axes = figure.add_subplot()
        for i, (name, (recall, precision)) in enumerate(curves.items()):
            axes.plot(
                np.r_[0.0, np.asarray(recall, dtype=float)],
                np.r_[np.asarray(precision, dtype=float)[:1], precision],
                **line_look(i),
                label=name,
            )
        axes.set(xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, 1.02))
        if title is not None:
            axes.set_title(title)
        axes.legend()
    return figure


def plot_neighbours(
    query_images: ArrayLike,
    neighbour_images: ArrayLike,
    wrong_mask: ArrayLike,
    *,
    n_columns: int | None = None,
) -> Figure:
    """Draw queries and their neighbours, one row per query, wrong neighbours boxed in red.

    Parameters
    ----------
    query_images : array-like of shape (n_queries, height, width) or (..., 3)
        Grey images are drawn dark on light: 0 is white.
    neighbour_images : array-like of shape (n_queries, n_neighbours, height, width) or (..., 3)
        The neighbours of each query, nearest first.
    wrong_mask : array-like of bool of shape (n_queries, n_neighbours)
        True where a neighbour is not relevant to its query.
    n_columns : int, optional
        Neighbours per line; by default all in one line.

    Returns
    -------
    figure : matplotlib.figure.Figure

    Examples
    --------
    >>> import numpy as np
    >>> from hashlearn.experiments import plot_neighbours
    >>> images = np.zeros((2, 8, 8))
    >>> figure = plot_neighbours(images, images[:, None], [[False], [True]])
    >>> len(figure.axes)
    4
    """
    queries = np.asarray(query_images)
    neighbours = np.asarray(neighbour_images)
    wrong = np.asarray(wrong_mask, dtype=bool)
    if neighbours.shape[:2] != wrong.shape or neighbours.shape[0] != queries.shape[0]:
        raise ValueError(
            f"query_images, neighbour_images and wrong_mask have shapes {queries.shape}, "
            f"{neighbours.shape} and {wrong.shape}; they must be (n, ...), (n, k, ...) and (n, k)."
        )
    n_queries, n_neighbours = wrong.shape
    n_columns = max(1, n_neighbours if n_columns is None else n_columns)
    n_lines = max(1, ceil(n_neighbours / n_columns))
    darkest = max(
        (float(images.max()) for images in (queries, neighbours) if images.size), default=1
    )
    # A narrow empty column separates the query from its neighbours; if a query has several
    # lines, a narrow empty row separates the queries.
    widths = [1, 0.35] + [1] * min(n_columns, n_neighbours)
    heights = ([1] * n_lines + [0.35] * (n_lines > 1)) * n_queries
    size = 0.62 * sum(widths), 0.62 * sum(heights) + 0.35
    with styled_figure(*size, layout=None) as figure:  # a layout of 150 images takes seconds
        grid = figure.add_gridspec(
            len(heights),
            len(widths),
            width_ratios=widths,
            height_ratios=heights,
            left=0.05 / size[0],
            right=1 - 0.05 / size[0],
            bottom=0.05 / size[1],
            top=1 - 0.3 / size[1],
            wspace=0.12,
            hspace=0.12,
        )
        for i in range(n_queries):
            top = i * len(heights) // n_queries
            _draw_image(figure.add_subplot(grid[top, 0]), queries[i], darkest)
            for j in range(n_neighbours):
                line, column = divmod(j, n_columns)
                axes = figure.add_subplot(grid[top + line, column + 2])
                _draw_image(axes, neighbours[i, j], darkest)
                if wrong[i, j]:
                    _box(axes)
        if wrong.size:
            figure.axes[0].set_title("query", fontsize=11, color=INK)
            figure.axes[1].set_title("nearest first", fontsize=11, color=INK, loc="left")
    return figure


def _draw_image(axes: Axes, image: np.ndarray, darkest: float) -> None:
    """Draw one image, grey ones dark on light, without axes but with a thin frame."""
    axes.imshow(image, cmap="gray_r", vmin=0, vmax=darkest, interpolation="nearest")
    axes.set(xticks=[], yticks=[])
    axes.grid(False)
    axes.spines[:].set(visible=True, color="#CCCCCC", linewidth=0.6)


def _box(axes: Axes) -> None:
    """Draw the red frame of a wrong neighbour."""
    axes.spines[:].set(color=WRONG, linewidth=3)

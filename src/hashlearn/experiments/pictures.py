"""Pictures of results, in one style for the whole library.

Figures are made without pyplot: they have no global state, need no display, and leave a user's
own matplotlib settings alone. Matplotlib is imported only when a picture is drawn.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import ceil
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's palette, distinguishable with every kind of colour vision; without yellow, which
# is too pale for a line on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
LINES = ("-", "--", "-.", ":")  # in print without colour, lines differ too
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h")
WRONG = "#D00000"
INK = "#333333"
MEDIA_TYPES = {"svg": "image/svg+xml", "png": "image/png"}

STYLE: Any = {
    "axes.edgecolor": INK,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelsize": 11,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.w_pad": 0.1,  # inches: numbers of neighbouring plots stay apart
    "font.family": "sans-serif",
    "font.size": 10,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.8,
    "legend.frameon": False,
    "lines.linewidth": 2.2,
    "savefig.dpi": 150,
    "svg.fonttype": "path",  # looks the same where the fonts are missing
    "svg.hashsalt": "hashlearn",  # same picture, same bytes
    "xtick.color": INK,
    "ytick.color": INK,
}


def line_look(i: int) -> dict[str, Any]:
    """Return colour and line style of the i-th of several lines."""
    return {
        "color": COLOURS[i % len(COLOURS)],
        "linestyle": LINES[i // len(COLOURS) % len(LINES)],
    }


def marker_look(i: int) -> dict[str, Any]:
    """Return marker, colour and line style of the i-th of many lines; the first 28 differ."""
    marker = MARKERS[(i + i // len(COLOURS) * 5) % len(MARKERS)]
    return {"marker": marker, "markersize": 5, **line_look(i)}


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


def figure_to_data_uri(figure: Figure, format: Literal["svg", "png"] = "svg") -> str:
    """Return a figure as a data URI, which an HTML page can show without any other file."""
    return as_data_uri(figure_to_bytes(figure, format), format)


def figure_to_bytes(
    figure: Figure, format: Literal["svg", "png"] = "png", *, dpi: int | None = None
) -> bytes:
    """Return a figure as the content of a file; the same figure gives the same bytes."""
    from matplotlib import rc_context

    if format not in MEDIA_TYPES:
        raise ValueError(f"format must be 'svg' or 'png'; got {format!r}.")
    buffer = io.BytesIO()
    # A date or matplotlib's version in the file would change the bytes.
    metadata = {"Date": None} if format == "svg" else {"Software": None}
    with rc_context(STYLE):
        figure.savefig(buffer, format=format, metadata=metadata, dpi=dpi or STYLE["savefig.dpi"])
    return buffer.getvalue()


def shrink_png(content: bytes) -> bytes:
    """Return a PNG file with at most 256 colours, about a third of the size of a plot."""
    from PIL import Image

    buffer = io.BytesIO()
    with Image.open(io.BytesIO(content)) as image:
        few = image.convert("RGB").quantize(256, dither=Image.Dither.NONE)
        few.save(buffer, "png", optimize=True)
    return buffer.getvalue()


def as_data_uri(content: bytes, format: Literal["svg", "png"]) -> str:
    """Return the content of a picture file as a data URI."""
    return f"data:{MEDIA_TYPES[format]};base64,{base64.b64encode(content).decode()}"


def require_matplotlib() -> None:
    """Raise if matplotlib is missing; call before long work that ends in a picture."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise ImportError("Pictures need matplotlib: pip install 'hashlearn[plot]'.") from error


@contextmanager
def styled_figure(
    width: float, height: float, layout: Literal["constrained"] | None = "constrained"
) -> Iterator[Figure]:
    """Yield an empty figure of a size in inches, with the library's style active."""
    require_matplotlib()
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(STYLE):
        yield Figure(figsize=(width, height), layout=layout)


def _draw_image(axes: Axes, image: np.ndarray, darkest: float) -> None:
    """Draw one image, grey ones dark on light, without axes but with a thin frame."""
    axes.imshow(image, cmap="gray_r", vmin=0, vmax=darkest, interpolation="nearest")
    axes.set(xticks=[], yticks=[])
    axes.grid(False)
    axes.spines[:].set(visible=True, color="#CCCCCC", linewidth=0.6)


def _box(axes: Axes) -> None:
    """Draw the red frame of a wrong neighbour."""
    axes.spines[:].set(color=WRONG, linewidth=3)

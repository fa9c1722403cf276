"""The style of pictures, and their files.

Figures are made without pyplot: they have no global state, need no display, and leave a user's
own matplotlib settings alone. Matplotlib is imported only when a picture is drawn.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe and Ito's palette, distinguishable with every kind of colour vision; without yellow, which
# is too pale for a line on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
LINES = ("-", "--", "-.", ":")  # in print without colour, lines differ too
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h")
INK = "#333333"

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


def figure_to_bytes(
    figure: Figure, format: Literal["svg", "png"] = "png", *, dpi: int | None = None
) -> bytes:
    """Return a figure as the content of a file; the same figure gives the same bytes."""
    from matplotlib import rc_context

    if format not in ("svg", "png"):
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

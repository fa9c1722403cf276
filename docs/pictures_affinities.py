"""The picture of docs/guide/codes.md: similar pairs of four kinds of affinity."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from hashlearn._report.pictures import COLOURS, INK, figure_to_bytes, styled_figure
from hashlearn.affinity import (
    Affinity,
    LabelAffinity,
    MultilabelAffinity,
    NeighborAffinity,
    SparseAffinity,
)

N_ITEMS, N_CLASSES = 20, 4
MEANINGS = {"dissimilar": COLOURS[4], "undefined": "#EEEEEE", "similar": COLOURS[0]}  # -1, 0, +1


def affinities() -> dict[str, Affinity]:
    """Return four affinities of the same twenty items, by title."""
    random = np.random.default_rng(0)
    y = np.repeat(np.arange(N_CLASSES), N_ITEMS // N_CLASSES)
    second = random.random((N_ITEMS, N_CLASSES)) < 0.1
    X = np.eye(N_CLASSES)[y] + random.normal(scale=0.3, size=(N_ITEMS, N_CLASSES))
    i, j = np.triu_indices(N_ITEMS, k=1)
    known = random.random(i.size) < 0.2
    i, j = i[known], j[known]
    pairs = np.column_stack([i, j, np.where(y[i] == y[j], 1, -1)])
    return {
        "one label per item": LabelAffinity(y),
        "several labels": MultilabelAffinity((np.eye(N_CLASSES)[y] + second > 0).astype(int)),
        "some pairs": SparseAffinity.from_pairs(pairs, N_ITEMS),
        "nothing: 3 neighbours": NeighborAffinity.from_data(X, n_neighbors=3),
    }


def draw_matrix(axes: Axes, affinity: Affinity) -> None:
    """Draw an affinity as a matrix; the diagonal, which is ignored, is left white."""
    matrix = affinity.block(slice(None)).astype(float)
    np.fill_diagonal(matrix, np.nan)
    axes.pcolormesh(
        np.ma.masked_invalid(matrix),
        cmap=ListedColormap(list(MEANINGS.values())),
        vmin=-1.5,
        vmax=1.5,
        edgecolor="white",
        linewidth=0.4,
    )
    axes.set(aspect="equal", xticks=[], yticks=[])
    axes.invert_yaxis()
    axes.spines[:].set_visible(False)


def draw(folder: Path) -> None:
    """Draw the affinities side by side."""
    known = affinities()
    with styled_figure(10.0, 3.0) as figure:
        for axes, (title, affinity) in zip(figure.subplots(1, 4), known.items(), strict=True):
            draw_matrix(axes, affinity)
            axes.set_title(title, fontsize=11, color=INK)
        figure.legend(
            handles=[Patch(color=colour, label=name) for name, colour in MEANINGS.items()][::-1],
            loc="outside lower center",
            ncols=3,
        )
    (folder / "affinities.png").write_bytes(figure_to_bytes(figure, "png"))

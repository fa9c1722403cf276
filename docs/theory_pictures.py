"""Draw the pictures of docs/theory.md: python docs/theory_pictures.py."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from hashlearn import TwoStepHasher
from hashlearn._report.pictures import (
    COLOURS,
    INK,
    figure_to_bytes,
    line_look,
    marker_look,
    styled_figure,
)
from hashlearn.affinity import LabelAffinity, NeighborAffinity
from hashlearn.inference import SOLVERS, CoordinateDescent
from hashlearn.losses import LOSSES, KSHLoss, as_loss, loss_table

IMAGES = Path(__file__).parent / "images" / "theory"
MATRIX: dict[str, Any] = {"cmap": "RdBu", "interpolation": "nearest"}  # red favours different bits
PALE = 2.5  # of a scale from -1 to 1: numbers are written on the colours
N_BITS = 32


def draw_losses() -> Any:
    """Draw every loss over the Hamming distance, divided by its largest value in each panel."""
    distance = np.arange(N_BITS + 1)
    s = N_BITS - 2 * distance
    with styled_figure(9.5, 3.6) as figure:
        panels = figure.subplots(1, 2, sharey=True)
        for axes, y, title in zip(panels, (1, -1), ("similar", "dissimilar"), strict=True):
            for i, name in enumerate(LOSSES.names()):
                values = loss_table(as_loss(name), N_BITS)[y + 1, s + N_BITS]
                look = line_look(i) | {"linestyle": ("-", "--", ":")[i % 3]}
                axes.plot(distance, values / max(values.max(), 1), **look, label=name)
            axes.set_title(f"a {title} pair", color=INK)
            axes.set_xlabel(f"Hamming distance of {N_BITS} bits")
        panels[0].set_ylabel("loss / its largest value")
        panels[1].legend(loc="upper right")
    return figure


def draw_one_bit() -> Any:
    """Draw the affinity of six classes, and the matrix A of an early and a late bit."""
    y = np.repeat(np.arange(6), 10)
    Y = LabelAffinity(y).block(slice(None)).astype(float)
    start = np.random.default_rng(0).choice([-1, 1], (y.size, 12))
    learned = 2 * _codes(LabelAffinity(y), "sign-flip", 12).codes.astype(int) - 1
    matrices = {
        "affinity Y": Y,
        "A of a bit, the others random": _matrix_of_bit(start, Y),
        "A of a bit, the others learned": _matrix_of_bit(learned, Y),
    }
    with styled_figure(10.5, 3.5) as figure:
        for axes, (title, M) in zip(figure.subplots(1, 3), matrices.items(), strict=True):
            limit = np.abs(M).max()
            sign = 1 if title.startswith("aff") else -1  # blue favours equal bits
            image = axes.imshow(sign * M, vmin=-limit, vmax=limit, **MATRIX)
            axes.set_title(title, color=INK)
            axes.set(xticks=[], yticks=[])
            axes.grid(False)
            bar = figure.colorbar(image, ax=axes, shrink=0.75, ticks=[-limit, 0, limit])
            bar.ax.set_yticklabels([f"{sign * v:g}" for v in (-limit, 0, limit)])
    return figure


def draw_objective() -> Any:
    """Draw the objective over updates of every solver, on a neighbour graph of digits."""
    X, _ = load_digits(return_X_y=True)
    affinity = NeighborAffinity.from_data(X[:500], n_neighbors=10)
    with styled_figure(7.5, 3.8) as figure:
        axes = figure.add_subplot()
        for i, solver in enumerate(SOLVERS.names()):
            objective = _codes(affinity, solver, 16).objective
            updates = np.arange(1, objective.size + 1)
            axes.plot(
                updates, objective / 1000, **marker_look(i) | {"linestyle": "-"}, label=solver
            )
        axes.axvline(16.5, color=INK, linewidth=1, linestyle=":")
        axes.text(16.9, 65.5, "second cycle", color=INK)
        axes.set(xlabel="updates of a bit", ylabel="BRE loss / 1,000")
        axes.legend()
    return figure


def draw_groups() -> Any:
    """Draw the affinity of items sorted by class, and of classes with their sizes as widths."""
    sizes = np.array([14, 9, 7, 4])
    edges = np.r_[0, sizes.cumsum()]
    Y = LabelAffinity(np.repeat(np.arange(4), sizes)).block(slice(None)).astype(float)
    of_groups = LabelAffinity(np.arange(4)).block(slice(None)).astype(float)
    with styled_figure(8.5, 4.2) as figure:
        left, right = figure.subplots(1, 2)
        left.imshow(Y, vmin=-PALE, vmax=PALE, extent=(0, edges[-1], edges[-1], 0), **MATRIX)
        right.pcolormesh(edges, edges, of_groups, vmin=-PALE, vmax=PALE, cmap="RdBu")
        right.set_ylim(edges[-1], 0)
        right.set_aspect("equal")
        _write_sizes(right, sizes, edges)
        n = int(sizes.sum())
        left.set_title(
            f"{n} items: a code each, {n * (n - 1):,} ordered pairs", color=INK, fontsize=10
        )
        right.set_title(
            "4 groups: a code each, 12 ordered pairs with weights", color=INK, fontsize=10
        )
        for axes in (left, right):
            axes.set(xticks=[], yticks=[])
            axes.grid(False)
    return figure


def draw_bit_errors() -> Any:
    """Draw the distances of new digits from the code of their class and from the nearest other."""
    X, y = load_digits(return_X_y=True)
    hasher = TwoStepHasher(n_bits=N_BITS, hash_function="linear-svm", random_state=0)
    hasher.fit(X[:1000], y[:1000])
    distances = (hasher.transform(X[1000:])[:, None] != hasher.group_codes_).sum(axis=2)
    own_class = hasher.group_labels_ == y[1000:, None]
    others = np.where(own_class, N_BITS, distances).min(axis=1)
    bins = np.arange(-0.5, max(distances[own_class].max(), others.max()) + 1.5)
    with styled_figure(7.5, 3.4) as figure:
        axes = figure.add_subplot()
        axes.hist(distances[own_class], bins, color=COLOURS[0], alpha=0.8, label="own class")
        axes.hist(others, bins, color=COLOURS[1], alpha=0.6, label="nearest other class")
        axes.set(xlabel="Hamming distance from the class's code", ylabel="new digits")
        axes.set_xticks(range(0, int(bins[-1]) + 1, 2))
        axes.set_axisbelow(True)
        axes.legend()
    return figure


def _codes(affinity: Any, solver: str, n_bits: int) -> Any:
    """Return Step 1 of the BRE loss after two cycles."""
    inference = CoordinateDescent(solver, n_cycles=2)
    return inference.infer(affinity, as_loss("bre"), n_bits, random_state=np.random.RandomState(0))


def _matrix_of_bit(Z: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Return A of the last bit for KSH's loss."""
    others, m = Z[:, :-1], Z.shape[1]
    s = others @ others.T
    loss = KSHLoss()
    return np.where(Y != 0, loss(s + 1, Y, m) - loss(s - 1, Y, m), 0)


def _write_sizes(axes: Any, sizes: np.ndarray, edges: np.ndarray) -> None:
    """Write the weight of every pair of groups into its entry."""
    middle = (edges[1:] + edges[:-1]) / 2
    for g, h in np.ndindex(sizes.size, sizes.size):
        if g != h:
            weight = sizes[g] * sizes[h]
            axes.text(middle[h], middle[g], f"{weight}", ha="center", va="center", color=INK)


PICTURES: dict[str, Callable[[], Any]] = {
    "losses.svg": draw_losses,
    "one-bit.png": draw_one_bit,
    "objective.svg": draw_objective,
    "groups.png": draw_groups,
    "bit-errors.svg": draw_bit_errors,
}


def main() -> None:
    """Write all pictures."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    for name, draw in PICTURES.items():
        (IMAGES / name).write_bytes(figure_to_bytes(draw(), name.rpartition(".")[2]))


if __name__ == "__main__":
    main()

"""The first picture of README: queries and neighbours by random and by learned codes."""

from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from hashlearn import TwoStepHasher
from hashlearn.experiments.digits import Retrieval, Split, retrieve, split_digits
from hashlearn.experiments.pictures import plot_neighbours
from hashlearn.methods import LSHHasher

N_QUERIES, N_NEIGHBOURS = 6, 12


def rendered(figure: Figure) -> np.ndarray:
    """Return a figure as an array of pixels."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())


def neighbours(result: Retrieval, split: Split) -> np.ndarray:
    """Return a picture of the first queries and their nearest items."""
    queries = np.arange(N_QUERIES)
    _, positions = result.search(queries, N_NEIGHBOURS)
    found = split.database[positions]
    wrong = found.y != split.queries.y[queries, None]
    return rendered(plot_neighbours(split.queries[queries].images, found.images, wrong))


def draw(images: Path) -> None:
    """Draw the results of both methods for the same queries, side by side."""
    split = split_digits(seed=0)
    methods = {"random projections": LSHHasher, "learned by hashlearn": TwoStepHasher}
    figure = Figure(figsize=(11, 3.7), layout="constrained")
    for axes, (name, method) in zip(figure.subplots(1, 2), methods.items(), strict=True):
        result = retrieve(name, method(n_bits=32, random_state=0), split)
        axes.imshow(neighbours(result, split))
        score = result.evaluation.mean_average_precision
        axes.set_title(f"32 bits, {name}: mean average precision {score:.2f}")
        axes.axis("off")
    figure.savefig(images / "digits.png", dpi=110)

"""The pictures of docs/guide/evaluation.md: the same codes, measured in different ways."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits

from hashlearn import make_hasher
from hashlearn._report.pictures import figure_to_bytes, line_look, styled_figure
from hashlearn.metrics import (
    Relevance,
    average_precision,
    mean_average_precision,
    precision_within_radius,
    relevance_from_labels,
)

N_QUERIES = 300
BITS = (2, 4, 6, 8, 12, 16, 20, 24, 32, 40, 48)
METHODS = {"itq": "ITQ", "lsh": "LSH"}
CUTOFFS = (5, 10, 20, 50, 100, 200, 500, 1000, 1497)
N_BITS = 16  # of the codes that are cut off


class Codes(NamedTuple):
    """Packed codes and labels of digits, of queries and database."""

    n_bits: int
    queries: np.ndarray
    database: np.ndarray
    query_labels: np.ndarray
    labels: np.ndarray

    @property
    def relevance(self) -> Relevance:
        """Items of the same digit are relevant."""
        return relevance_from_labels(self.query_labels, self.labels)


@cache
def digits(method: str, n_bits: int) -> Codes:
    """Return the codes that a method learns from the database."""
    X, y = load_digits(return_X_y=True)
    hasher = make_hasher(method, n_bits=n_bits, random_state=0).fit(X[N_QUERIES:])
    queries, database = hasher.encode(X[:N_QUERIES]), hasher.encode(X[N_QUERIES:])
    return Codes(n_bits, queries, database, y[:N_QUERIES], y[N_QUERIES:])


def with_right_items(codes: Codes, *, first: bool) -> float:
    """Return mean average precision with relevant items first, or last, among tied ones."""
    values = []
    for label in np.unique(codes.query_labels):
        of_label = codes.query_labels == label
        order = np.argsort((codes.labels == label) != first, kind="stable")
        relevance = relevance_from_labels(codes.query_labels[of_label], codes.labels[order])
        values.append(
            average_precision(
                codes.queries[of_label],
                codes.database[order],
                relevance,
                ties="insertion",
                n_bits=codes.n_bits,
            )
        )
    return float(np.concatenate(values).mean())


def ties() -> Figure:
    """Draw the effect of the order of tied items on mean average precision."""
    with styled_figure(7.0, 3.8) as figure:
        axes = figure.add_subplot()
        for i, (method, title) in enumerate(METHODS.items()):
            of_bits = [digits(method, n_bits) for n_bits in BITS]
            worst, best = (
                [with_right_items(codes, first=first) for codes in of_bits]
                for first in (False, True)
            )
            expected = [
                mean_average_precision(*codes[1:3], codes.relevance, n_bits=codes.n_bits)
                for codes in of_bits
            ]
            colour = line_look(i)["color"]
            axes.fill_between(BITS, worst, best, color=colour, alpha=0.2, linewidth=0)
            axes.plot(BITS, expected, color=colour, marker="o", markersize=4, label=title)
        axes.set(xlabel="bits", ylabel="mean average precision", xticks=range(0, 49, 8))
        axes.set(ylim=(0, 1), xlim=(0, 49))
        axes.legend(title="line: mean over all orders\nband: worst to best", loc="upper right")
    return figure


def cutoffs() -> Figure:
    """Draw mean average precision over the cut-off, for three denominators."""
    codes = digits("itq", N_BITS)
    divisors = {
        "found": '"found": relevant items found up to k',
        "min": '"min": as many as could be found',
        "all": '"all": all relevant items',
    }
    with styled_figure(7.0, 3.8) as figure:
        axes = figure.add_subplot()
        for i, (denominator, title) in enumerate(divisors.items()):
            values = [
                mean_average_precision(
                    *codes[1:3], codes.relevance, k=k, denominator=denominator, n_bits=N_BITS
                )
                for k in CUTOFFS
            ]
            axes.plot(CUTOFFS, values, **line_look(i), marker="o", markersize=4, label=title)
        axes.set(xscale="log", xlabel="cut-off k, of 1,497 items", ylim=(0, 1))
        axes.set(ylabel="mean average precision", xticks=(5, 10, 50, 100, 500, 1500))
        axes.set_xticklabels(("5", "10", "50", "100", "500", "1,500"))
        axes.minorticks_off()
        axes.legend(title="divided by", loc="lower right")
    return figure


def radius() -> Figure:
    """Draw precision within radius 2 over bits, with empty results as 0 and without them."""
    of_bits = [digits("itq", n_bits) for n_bits in BITS]
    within = [
        precision_within_radius(*codes[1:3], codes.relevance, n_bits=codes.n_bits)
        for codes in of_bits
    ]
    precision, empty = np.transpose(within)
    lines = {
        "precision, empty results left out": precision / (1 - empty),
        "precision, empty results count 0": precision,
        "share of empty results": empty,
    }
    with styled_figure(7.0, 3.8) as figure:
        axes = figure.add_subplot()
        for i, (title, values) in enumerate(lines.items()):
            look = line_look(i) | ({"linestyle": ":"} if i == 2 else {})
            axes.plot(BITS, values, **look, marker="o", markersize=4, label=title)
        axes.set(xlabel="bits", ylabel="share", ylim=(0, 1.03), xlim=(0, 49))
        axes.set(xticks=range(0, 49, 8))
        figure.legend(loc="outside lower center", ncols=2)
    return figure


def draw(folder: Path) -> None:
    """Draw all pictures of the page."""
    for name, picture in {"ties": ties, "cutoffs": cutoffs, "radius": radius}.items():
        (folder / f"{name}.svg").write_bytes(figure_to_bytes(picture(), "svg"))

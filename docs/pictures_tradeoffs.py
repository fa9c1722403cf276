"""The picture and the tables of docs/guide/choosing.md, from docs/results/tradeoffs.jsonl."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator

from hashlearn._report.pictures import figure_to_bytes, marker_look, styled_figure

DOCS = Path(__file__).parent
DATA, PAGE = DOCS / "results" / "tradeoffs.jsonl", DOCS / "guide" / "choosing.md"
BELOW = "<!-- Below: written by docs/pictures.py -->"
ABOVE = "<!-- Above: written by docs/pictures.py -->"
N_BITS = 32  # where hash functions and losses are compared
LOSS = "bre"  # of the hash functions that are compared
FUNCTION = "rbf-svm"  # of the losses that are compared


class Choice(NamedTuple):
    """A measured method and its parts."""

    method: str
    loss: str | None
    hash_function: str | None
    n_bits: int

    @property
    def title(self) -> str:
        """The title in pictures and tables."""
        return self.hash_function or f"{self.method.upper()} (no labels)"


Measured = Mapping[Choice, Mapping[str, float]]  # means over seeds


def read(path: Path = DATA) -> Measured:
    """Return the measurements, in the order of the file."""
    lines = defaultdict(list)
    for text in path.read_text().splitlines():
        line = json.loads(text)
        lines[Choice(*(line.pop(name) for name in Choice._fields))].append(line)
    return {choice: _means(of_seeds) for choice, of_seeds in lines.items()}


def _means(lines: list[dict[str, float]]) -> dict[str, float]:
    return {name: float(np.mean([line[name] for line in lines])) for name in lines[0]}


def over_bits(measured: Measured) -> dict[str, dict[int, Mapping[str, float]]]:
    """Return the measurements of hash functions and peers, by title and bits."""
    found: dict[str, dict[int, Mapping[str, float]]] = defaultdict(dict)
    for choice, means in measured.items():
        if choice.loss in (LOSS, None):
            found[choice.title][choice.n_bits] = means
    return found


def draw(measured: Measured, folder: Path) -> None:
    """Draw quality over bits, and over the time to encode an item."""
    lines = over_bits(measured)
    with styled_figure(10.0, 4.0) as figure:
        left, right = figure.subplots(1, 2, sharey=True)
        _draw_bits(left, lines)
        _draw_encoding(right, lines)
        figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=6)
    (folder / "tradeoffs.svg").write_bytes(figure_to_bytes(figure, "svg"))


def _draw_bits(axes: Axes, lines: dict[str, dict[int, Mapping[str, float]]]) -> None:
    for i, (title, of_bits) in enumerate(lines.items()):
        values = [means["mean_average_precision"] for means in of_bits.values()]
        axes.plot(list(of_bits), values, label=title, **marker_look(i))
    every = sorted({n_bits for of_bits in lines.values() for n_bits in of_bits})
    axes.set(xscale="log", xlabel="bits", ylabel="mean average precision", ylim=(0, 1))
    axes.set_xticks(every, labels=[str(n_bits) for n_bits in every], minor=False)
    axes.minorticks_off()


def _draw_encoding(axes: Axes, lines: dict[str, dict[int, Mapping[str, float]]]) -> None:
    for i, of_bits in enumerate(lines.values()):
        means = of_bits[N_BITS]
        look = marker_look(i) | {"linestyle": "", "markersize": 8}
        axes.plot(means["encode_microseconds"], means["mean_average_precision"], **look)
    axes.set(xscale="log", xlabel=f"microseconds to encode an item into {N_BITS} bits")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    axes.margins(x=0.1)


def tables(measured: Measured) -> str:
    """Return the text between the marker lines of the page: the picture and the tables."""
    by_title = over_bits(measured)
    every = sorted({n_bits for of_bits in by_title.values() for n_bits in of_bits})
    quality = [
        [title, *(_of(of_bits, n_bits, "mean_average_precision") for n_bits in every)]
        for title, of_bits in by_title.items()
    ]
    cost = [
        [title, *(f"{of_bits[N_BITS][name]:{form}}" for name, form in COSTS.values())]
        for title, of_bits in by_title.items()
    ]
    losses = [
        [f"`{choice.loss}`", *(f"{means[name]:.3f}" for name in QUALITY.values())]
        for choice, means in measured.items()
        if choice.hash_function == FUNCTION and choice.n_bits == N_BITS
    ]
    sizes = next(iter(measured.values()))
    return "\n".join(
        [
            PICTURE,
            "",
            f"Mean average precision (first 1,000) by bits; {sizes['n_queries']:,.0f} queries, "
            f"{sizes['n_database']:,.0f} items in the database:",
            "",
            *_table(["", *(f"{n_bits} bits" for n_bits in every)], quality),
            "",
            f"Quality and cost of {N_BITS} bits, {N_BITS // 8} bytes per item:",
            "",
            *_table(["", *COSTS], cost),
            "",
            f"Losses, {N_BITS} bits, `{FUNCTION}`:",
            "",
            *_table(["", *QUALITY], losses),
        ]
    )


PICTURE = """\
![Mean average precision over bits, and over the time to encode](../images/guide/tradeoffs.svg)

*Left: four hash functions and two methods without labels, over bits. Right: mean
average precision over the time to encode an item.*"""
COSTS = {
    "MAP": ("mean_average_precision", ".3f"),
    "precision at 300": ("precision_at_k", ".3f"),
    "seconds to learn": ("fit_seconds", ".2f"),
    "microseconds to encode an item": ("encode_microseconds", ".1f"),
}
QUALITY = {
    "area under PR": "pr_area",
    "MAP": "mean_average_precision",
    "precision at 300": "precision_at_k",
}


def _of(of_bits: Mapping[int, Mapping[str, float]], n_bits: int, name: str) -> str:
    return f"{of_bits[n_bits][name]:.3f}" if n_bits in of_bits else "–"


def _table(header: list[str], rows: Iterable[list[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in [header, ["---"] * len(header), *rows]]


def filled(page: str, text: str) -> str:
    """Return a page with a text between its two marker lines."""
    before, below, rest = page.partition(BELOW)
    _, above, after = rest.partition(ABOVE)
    if not (below and above):
        raise ValueError(f"{PAGE.name} takes the lines {BELOW!r} and {ABOVE!r}")
    return f"{before}{BELOW}\n\n{text}\n\n{ABOVE}{after}"


def write(folder: Path) -> None:
    """Draw the picture, and write it and the tables into the page."""
    measured = read()
    draw(measured, folder)
    PAGE.write_text(filled(PAGE.read_text(), tables(measured)))

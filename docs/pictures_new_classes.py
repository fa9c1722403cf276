"""The picture of docs/guide/unlabelled.md on embeddings: seen and new classes by the share of sums.

    python docs/pictures_new_classes.py

draws docs/results/new-classes.jsonl, lines of
`python benchmarks/new_classes.py --json docs/results/new-classes.jsonl`.
"""

import json
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from hashlearn._report.pictures import COLOURS, INK, figure_to_bytes, styled_figure

DOCS = Path(__file__).parent
DATA, FOLDER = DOCS / "results" / "new-classes.jsonl", DOCS / "images" / "guide"
TITLES = {"banking77": "BANKING77", "clinc150": "CLINC150"}
N_BITS, CASE = 64, "later"
MARKS = {
    "itq": ("s", INK, "geometry: ITQ"),
    "tsh": ("^", COLOURS[1], "labels: TSH"),
    "mixed share .5": ("D", COLOURS[2], "mixed codes, half of the bits each"),
    "mixed sum": ("*", COLOURS[0], "mixed codes, sums, chosen share"),
}


def draw(folder: Path, path: Path = DATA) -> None:
    """Draw the means over seeds, one plot per set."""
    lines = [json.loads(text) for text in path.read_text().splitlines()]
    with styled_figure(9.0, 4.2) as figure:
        plots = figure.subplots(1, len(TITLES))
        for axes, (name, title) in zip(plots, TITLES.items(), strict=True):
            of_set = [
                line
                for line in lines
                if (line["set"], line["bits"], line["case"]) == (name, N_BITS, CASE)
            ]
            draw_set(axes, of_set)
            axes.set(title=title, xlabel="MAP on seen classes")
        plots[0].set_ylabel("MAP on new classes")
        handles = plots[0].get_legend_handles_labels()
        figure.legend(*handles, loc="outside lower center", ncols=3)
    (folder / "new-classes.svg").write_bytes(figure_to_bytes(figure, "svg"))


def draw_set(axes: Axes, lines: list[dict]) -> None:
    """Draw the frontier of sums, and one mark per row."""
    frontiers = [line["frontier"] for line in lines if "frontier" in line]
    curve = np.mean(frontiers, axis=0)
    axes.plot(*curve.T[1:], color=COLOURS[0], marker="o", markersize=4, label="sums, by share")
    for share, seen, unseen in curve:
        axes.annotate(f"{share:g}", (seen, unseen), (0, 7), textcoords="offset points")
    for row, (marker, colour, label) in MARKS.items():
        of_row = [(line["seen"], line["new"]) for line in lines if line["row"] == row]
        if of_row:
            point = np.mean(of_row, axis=0)
            axes.plot(*point, color=colour, marker=marker, linestyle="", markersize=9, label=label)
    axes.margins(0.12)


if __name__ == "__main__":
    draw(FOLDER)

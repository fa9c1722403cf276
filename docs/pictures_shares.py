"""The picture of docs/guide/unlabelled.md: seen and new classes by the share of label bits.

    python docs/pictures_shares.py [--sets mnist,cifar10,tmc2007] [--splits 3]
    python docs/pictures_shares.py --draw

The first takes some minutes, and writes a line of docs/results/shares.jsonl per set, class split
and number of label bits; lines of other sets are kept. The second draws the file. Sets and class
splits are those of benchmarks/generalise.py, with 1,000 queries of seen and 1,000 of new classes,
or a sixth of the items if these are few, searched among at most 15,000 others of their kind,
without training items. Ties are averaged over.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from hashlearn import MixedHasher
from hashlearn._report.pictures import COLOURS, INK, figure_to_bytes, styled_figure
from hashlearn.metrics import mean_average_precision, relevance_from_labels

DOCS = Path(__file__).parent
DATA, FOLDER = DOCS / "results" / "shares.jsonl", DOCS / "images" / "guide"
TITLES = {"mnist": "MNIST", "cifar10": "CIFAR-10, GIST", "tmc2007": "TMC2007, several labels"}
N_BITS, LABEL_BITS = 32, range(0, 33, 4)
N_TRAINING, N_QUERIES, N_DATABASE = 2_000, 1_000, 15_000
CUTOFF = 1_000
LABEL_OFFSET = 15  # points between a mark and its number


def measure(name: str, n_splits: int) -> Iterator[dict]:
    """Yield a line per class split of a set and number of label bits."""
    sys.path.append(str(DOCS.parent / "benchmarks"))
    import class_splits

    X, y = class_splits.load(name)
    sizes = class_splits.Sizes(N_TRAINING, N_QUERIES)
    for split in range(n_splits):
        drawn = class_splits.draw(y, split, split, sizes)
        for line in measure_split(X, y, drawn, split):
            yield {"set": name, "split": split, **line}


def measure_split(X: np.ndarray, y: np.ndarray, drawn: Any, seed: int) -> Iterator[dict]:
    """Yield the results of each number of label bits."""
    training = X[drawn.training], drawn.y_training
    for label_bits in LABEL_BITS:
        hasher = MixedHasher(N_BITS, share=label_bits / N_BITS, random_state=seed, n_jobs=-1)
        hasher.fit(*training)
        found = {}
        for name in ("seen", "unseen"):
            queries, others = getattr(drawn, name)
            database = others[~np.isin(others, drawn.training)][:N_DATABASE]
            found[name] = quality(hasher, X, y, queries, database)
        yield {"label_bits": label_bits, **found}


def quality(
    hasher: MixedHasher, X: np.ndarray, y: np.ndarray, queries: np.ndarray, database: np.ndarray
) -> float:
    """Return the mean average precision of queries over the first 1,000."""
    codes = hasher.encode(X[queries]), hasher.encode(X[database])
    relevance = relevance_from_labels(y[queries], y[database])
    return round(mean_average_precision(*codes, relevance, k=CUTOFF, denominator="found"), 4)


def read(path: Path = DATA) -> list[dict]:
    """Return the lines of the file; none if it does not exist."""
    return [json.loads(text) for text in path.read_text().splitlines()] if path.is_file() else []


def draw(folder: Path, path: Path = DATA) -> None:
    """Draw the measurements, one plot per set."""
    lines = read(path)
    with styled_figure(11.0, 4.2) as figure:
        plots = figure.subplots(1, len(TITLES))
        for axes, (name, title) in zip(plots, TITLES.items(), strict=True):
            draw_set(axes, [line for line in lines if line["set"] == name])
            axes.set(title=title, xlabel="MAP@1,000 on seen classes")
        plots[0].set_ylabel("MAP@1,000 on new classes")
        handles = plots[0].get_legend_handles_labels()
        figure.legend(*handles, loc="outside lower center", ncols=len(handles[0]))
    (folder / "shares.svg").write_bytes(figure_to_bytes(figure, "svg"))


def draw_set(axes: Axes, lines: list[dict]) -> None:
    """Draw the means over splits, from geometry alone to labels alone."""
    label_bits = sorted({line["label_bits"] for line in lines})
    curve = np.array([mean_of(lines, n_bits) for n_bits in label_bits])
    mark = {"linestyle": "", "markersize": 9}
    axes.plot(*curve.T, color=COLOURS[0], marker="o", label="mixed codes, by their label bits")
    axes.plot(*curve[0], color=INK, marker="s", label="none: ITQ", **mark)
    axes.plot(*curve[-1], color=COLOURS[1], marker="^", label="all: TSH", **mark)
    axes.margins(0.12)
    for n_bits, point, offset in zip(label_bits, curve, label_offsets(curve), strict=True):
        axes.annotate(
            str(n_bits), point, offset, textcoords="offset points", ha="center", va="center"
        )


def mean_of(lines: list[dict], label_bits: int) -> np.ndarray:
    """Return the mean quality over splits of a number of label bits, on seen and on new classes."""
    of_bits = [line for line in lines if line["label_bits"] == label_bits]
    return np.mean([(line["seen"], line["unseen"]) for line in of_bits], axis=0)


def label_offsets(curve: np.ndarray) -> np.ndarray:
    """Return the offsets of numbers: next to the curve, away from the origin."""
    along = np.gradient(curve / np.ptp(curve, axis=0), axis=0)
    across = np.column_stack([along[:, 1], -along[:, 0]])
    across[across.sum(axis=1) < 0] *= -1
    return LABEL_OFFSET * across / np.linalg.norm(across, axis=1, keepdims=True)


def main() -> None:
    """Measure, unless only drawing is requested, and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draw", action="store_true", help="draw what was measured before")
    parser.add_argument("--sets", default=",".join(TITLES))
    parser.add_argument("--splits", type=int, default=3, help="how often classes are kept out")
    arguments = parser.parse_args()
    for name in [] if arguments.draw else arguments.sets.split(","):
        lines = [line for line in read() if line["set"] != name]
        for line in measure(name, arguments.splits):
            print(line, flush=True)
            lines.append(line)
        DATA.write_text("".join(json.dumps(line) + "\n" for line in lines))
    draw(FOLDER)


if __name__ == "__main__":
    main()

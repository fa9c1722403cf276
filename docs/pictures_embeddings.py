"""Picture and tables of embeddings in README, docs/guide/embeddings.md and docs/measurements.md.

They are made from docs/results/embeddings-*.jsonl, the output of `python benchmarks/embeddings.py
--json docs/results`.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from pictures_tradeoffs import filled

from hashlearn._report.pictures import INK, figure_to_bytes, marker_look, styled_figure

DOCS = Path(__file__).parent
README, PAGE = DOCS.parent / "README.md", DOCS / "guide" / "embeddings.md"
MEASUREMENTS, RESULTS = DOCS / "measurements.md", DOCS / "results"
SETS = {
    "wordnet": "WordNet, MiniLM",
    "banking77": "BANKING77, MiniLM",
    "clinc150": "CLINC150, MiniLM",
    "cifar10": "CIFAR-10, EfficientNet",
}
PLAIN, LABELLED = ("wordnet", "cifar10"), ("banking77", "clinc150", "cifar10")
WAYS = {  # names in the files, and in tables
    "float cosine": "cosine of the floats",
    "sign bits": "sign bits",
    "rabitq": "faiss RaBitQ",
    "rabitq-all": "faiss RaBitQ, all dimensions",
    "pq fastscan": "faiss PQ fast scan",
    "opq+pq": "faiss OPQ + PQ",
    "lda floats": "floats of LDA",
    "classifier": "class by logistic regression",
    "itq": "`itq`",
    "itq float q.": "`itq`, float queries",
    "bae": "`bae`",
    "itq-cca": "`itq-cca`",
    "ksh": "`ksh`",
    "sdh": "`sdh`",
    "mixed": "`mixed`",
    "tsh": "`tsh`",
    "tsh-sample": "`tsh`, learned from a sample of the database",
}
SIZES = {"wordnet": (16, 32, 48, 96), "cifar10": (16, 32, 64)}  # bytes, in the table without labels
OWN_SIZE = ("float cosine", "sign bits", "rabitq", "rabitq-all", "lda floats", "classifier")
CODE_SIZES = (2, 4, 8, 16)  # bytes of the others in the tables with labels
IN_GUIDE = (4,)
IN_README = ("float cosine", "rabitq", "opq+pq", "bae", "tsh")
PICTURED = {  # by the names in the files without and with labels
    "hashlearn bae": ("bae", ""),
    "hashlearn tsh": ("", "tsh"),
    "hashlearn mixed": ("", "mixed"),
    "hashlearn itq": ("itq float q.", "itq"),
    "faiss OPQ + PQ": ("opq+pq", "opq+pq"),
    "faiss RaBitQ": ("rabitq", "rabitq"),
    "faiss PQ fast scan": ("pq fastscan", ""),
    "RaBitQ, all dimensions": ("rabitq-all", "rabitq-all"),
    "sign bits": ("sign bits", "sign bits"),
}
ALONE = {"RaBitQ, all dimensions": "*", "sign bits": "s"}  # of one size: marks without a line

PICTURE = """\
![Quality over bytes, without and with labels]({folder}/embeddings.svg)

*Above, without labels: the share of the 10 nearest by the cosine of the floats that codes find.
Below, with labels: how well items with the label of the query are found. Queries are not rounded,
except against sign bits above.*"""
PLAIN_TEXT = "Without labels, recall at 10 by bytes per item:"
LABELLED_TEXT = """\
With labels, on all classes and on new ones, which were kept out of learning (means of one to three
seeds; [more bytes](../measurements.md#embeddings)):"""
HAMMING_TEXT = "With labels, by Hamming distance, on all classes and on new ones:"
FLOAT_TEXT = "With labels, by float queries:"
README_TEXT = """\
- **With labels, a few bytes find more than the embedding that they are made from.** Questions to a
  bank (BANKING77, MiniLM): 4 bytes learned from their intents have a mean average precision of
  {learned}, the cosine of the 1,536-byte embeddings {cosine}. (Classes that had no labels
  [pay for it](docs/guide/embeddings.md#what-is-lost-and-what-is-won).)
- **Without labels, codes of 32 bytes and more keep more than others of the same size.** Entries of
  WordNet (MiniLM): 32 bytes find {found} of the 10 true neighbours, faiss OPQ + PQ {peer}; the 48
  bytes of all signs find {signs}."""

Means = Mapping[str, float]  # over seeds, by measure
Measured = Mapping[tuple[str, str, int], Means]  # by set, way and bytes per item


def read(path: Path) -> Measured:
    """Return the measurements of a file, in its order."""
    lines: dict[tuple[str, str, int], list[dict[str, Any]]] = defaultdict(list)
    for line in map(json.loads, path.read_text().splitlines()):
        lines[line["set"], line["method"], line["bytes"]].append(line)
    return {key: _means(of_seeds) for key, of_seeds in lines.items()}


def _means(lines: list[dict[str, Any]]) -> dict[str, float]:
    numbers = [name for name, value in lines[0].items() if isinstance(value, int | float)]
    means = {name: float(np.mean([line[name] for line in lines])) for name in numbers}
    deviations = {
        f"{name} deviation": float(np.std([line[name] for line in lines])) for name in numbers
    }
    return means | deviations | {"seeds": len(lines)}


def best(means: Means, name: str) -> float:
    """Return a measure by float queries where they were measured."""
    return means.get(by_floats(name), means[name])


def by_floats(name: str) -> str:
    """Return the name of a measure by float queries."""
    kind, _, measure = name.rpartition("_")
    return f"{kind}_float_{measure}".lstrip("_")


def over_bytes(measured: Measured, name: str, way: str, measure: str) -> list[tuple[int, float]]:
    """Return the points of a way on a set."""
    points = [
        (n_bytes, best(means, measure))
        for (a_set, a_way, n_bytes), means in measured.items()
        if (a_set, a_way) == (name, way)
    ]
    return sorted(points)


def draw(plain: Measured, labelled: Measured, folder: Path) -> None:
    """Draw quality over bytes, without and with labels."""
    with styled_figure(11.0, 7.4) as figure:
        grid = figure.add_gridspec(2, 6)
        first = None
        for i, name in enumerate(PLAIN):
            axes = figure.add_subplot(grid[0, 3 * i : 3 * i + 3])
            _draw_set(axes, plain, name, "recall")
            axes.set(title=f"{SETS[name]}: no labels", ylabel="recall at 10" if i == 0 else "")
        for i, name in enumerate(LABELLED):
            axes = figure.add_subplot(grid[1, 2 * i : 2 * i + 2], sharey=first)
            _draw_set(axes, labelled, name, "map")
            axes.set(title=f"{SETS[name]}: labels", xlabel="bytes per item")
            axes.set_ylabel("mean average precision" if i == 0 else "")
            first = first or axes
        handles = {}
        for axes in figure.axes:
            handles |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
        figure.legend(handles.values(), handles, loc="outside lower center", ncols=4)
    (folder / "embeddings.svg").write_bytes(figure_to_bytes(figure, "svg"))


def _draw_set(axes: Axes, measured: Measured, name: str, measure: str) -> None:
    every: set[int] = set()
    for i, (title, ways) in enumerate(PICTURED.items()):
        points = over_bytes(measured, name, ways[measure == "map"], measure)
        look = marker_look(i)
        if title in ALONE:
            look = {"color": INK, "linestyle": "", "marker": ALONE[title], "markersize": 8}
        if points:
            sizes, values = zip(*points, strict=True)
            axes.plot(sizes, values, label=title, **look)
            every |= set(sizes)
    for _, value in over_bytes(measured, name, "float cosine", measure):
        axes.axhline(value, color=INK, linestyle=":", linewidth=1.6, label="cosine of the floats")
    axes.set(xscale="log", ylim=(0, 1))
    ticks = [2**i for i in range(12) if min(every) <= 2**i <= max(every)]
    axes.set_xticks(ticks, labels=map(str, ticks), minor=False)
    axes.minorticks_off()


def plain_table(
    measured: Measured, ways: Iterable[str] = WAYS, deviation: bool = False
) -> list[str]:
    """Return the table of recall without labels, with deviations over seeds if wanted."""
    columns = [(name, n_bytes) for name, sizes in SIZES.items() for n_bytes in sizes]
    rows = []
    for way in ways:
        found = [measured.get((name, way, size)) for name, size in columns]
        if any(found):
            rows.append([WAYS[way], *(_cell(means, "recall", deviation) for means in found)])
    titles = [f"{SETS[name].split(',')[0]}, {size} bytes" for name, size in columns]
    return table(["recall at 10", *titles], rows)


def labelled_table(
    measured: Measured,
    ways: Iterable[str] = WAYS,
    kinds: Iterable[str] = ("", "unseen_"),
    sizes_of_codes: Iterable[int] = IN_GUIDE,
) -> list[str]:
    """Return the table of MAP and precision at 10 with labels, of known and of new classes."""
    ways = list(ways)
    chosen = [(way, None) for way in ways if way in OWN_SIZE]
    chosen += [(way, size) for size in sizes_of_codes for way in ways if way not in OWN_SIZE]
    rows = []
    for way, size in chosen:
        found = [_of_size(measured, name, way, size) for name in LABELLED]
        if any(found):
            sizes = sorted({n_bytes for n_bytes, _ in filter(None, found)})
            cells = [
                f"{_cell(one[1], f'{kind}map')} / {_cell(one[1], f'{kind}p10')}" if one else ""
                for kind in kinds
                for one in found
            ]
            rows.append([WAYS[way], ", ".join(f"{n_bytes:,}" for n_bytes in sizes), *cells])
    names = [SETS[name].split(",")[0] for name in LABELLED]
    titles = [f"{name}, new" if kind else name for kind in kinds for name in names]
    return table(["MAP / precision at 10", "bytes", *titles], rows)


def _of_size(
    measured: Measured, name: str, way: str, n_bytes: int | None
) -> tuple[int, Means] | None:
    """Return the bytes and means of a way on a set; None if it was not measured."""
    sizes = {key[2]: means for key, means in measured.items() if key[:2] == (name, way)}
    if n_bytes is None:
        return min(sizes.items(), key=lambda item: item[0], default=None)
    return (n_bytes, sizes[n_bytes]) if n_bytes in sizes else None


def _cell(means: Means | None, measure: str, deviation: bool = False) -> str:
    if means is None:
        return ""
    spread = f" ± {means[f'{measure} deviation']:.3f}" if deviation and means["seeds"] > 1 else ""
    return f"{best(means, measure):.3f}{spread}"


def table(header: list[str], rows: Iterable[list[str]]) -> list[str]:
    """Return the lines of a table."""
    marks = ["---", *["---:"] * (len(header) - 1)]
    return [f"| {' | '.join(row)} |" for row in [header, marks, *rows]]


def page_text(plain: Measured, labelled: Measured) -> str:
    """Return the text between the marker lines of the guide."""
    tables = ["\n".join(lines) for lines in (plain_table(plain), labelled_table(labelled))]
    picture = PICTURE.format(folder="../images/guide")
    return "\n\n".join([picture, PLAIN_TEXT, tables[0], LABELLED_TEXT, tables[1]])


def measured_text(plain: Measured, labelled: Measured) -> str:
    """Return the text between the marker lines of the measurements."""
    by_bits = {
        key: {name: value for name, value in means.items() if "float" not in name}
        for key, means in labelled.items()
    }
    floats = {key: means for key, means in labelled.items() if "float_map" in means}
    tables = [
        plain_table(plain, deviation=True),
        labelled_table(by_bits, sizes_of_codes=CODE_SIZES),
        labelled_table(floats, sizes_of_codes=CODE_SIZES),
    ]
    texts = [PLAIN_TEXT, HAMMING_TEXT, FLOAT_TEXT]
    pairs = zip(texts, tables, strict=True)
    return "\n\n".join(part for text, lines in pairs for part in (text, "\n".join(lines)))


def readme_text(plain: Measured, labelled: Measured) -> str:
    """Return the text between the marker lines of README."""

    def of(way: str, n_bytes: int, measure: str) -> str:
        return _cell(labelled["banking77", way, n_bytes], measure)

    sentence = README_TEXT.format(
        learned=of("tsh", 4, "map"),
        cosine=of("float cosine", 1536, "map"),
        found=_cell(plain["wordnet", "bae", 32], "recall"),
        peer=_cell(plain["wordnet", "opq+pq", 32], "recall"),
        signs=_cell(plain["wordnet", "sign bits", 48], "recall"),
    )
    by_labels = labelled_table(labelled, IN_README, kinds=("",), sizes_of_codes=(4,))
    tables = by_labels, plain_table(plain, IN_README)
    picture = PICTURE.format(folder="docs/images/guide")
    return "\n\n".join([sentence, *("\n".join(lines) for lines in tables), picture])


def measured() -> tuple[Measured, Measured]:
    """Return what was measured without and with labels."""
    plain, labelled = (read(RESULTS / f"embeddings-{half}.jsonl") for half in ("recall", "labels"))
    return plain, labelled


def texts() -> dict[Path, str]:
    """Return what is between the marker lines of each page."""
    makers = {PAGE: page_text, README: readme_text, MEASUREMENTS: measured_text}
    return {path: make(*measured()) for path, make in makers.items()}


def write(folder: Path) -> None:
    """Draw the picture, and write it and the tables into the pages."""
    draw(*measured(), folder)
    for path, text in texts().items():
        path.write_text(filled(path.read_text(), text))

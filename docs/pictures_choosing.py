"""The picture and the table of docs/guide/comparing.md, from docs/results/choosing.jsonl.

That is the output of `python benchmarks/choosing.py --json docs/results`.
"""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from pictures_tradeoffs import filled

from hashlearn._report.pictures import INK, figure_to_bytes, marker_look, styled_figure

DOCS = Path(__file__).parent
DATA, PAGE = DOCS / "results" / "choosing.jsonl", DOCS / "guide" / "comparing.md"
SETS = {
    "wordnet": "WordNet, MiniLM",
    "cifar10": "CIFAR-10, EfficientNet",
    "banking77": "BANKING77, MiniLM",
    "clinc150": "CLINC150, MiniLM",
    "mnist": "MNIST, pixels",
    "tmc2007": "TMC2007",
}
TOLERANCE = 0.015  # what a figure may be below its target

Lines = list[dict[str, Any]]


def read(path: Path = DATA) -> Lines:
    """Return the measurements."""
    return [json.loads(text) for text in path.read_text().splitlines()]


def cases(lines: Lines) -> Lines:
    """Return what was chosen for each target, with the shortest length that would have done."""
    found = []
    for line in lines:
        if line["run"] == "compare":
            measure, at_least = line["target"].split("=")
            others = [one for one in _exhaustive(lines, line["set"]) if measure in one]
            lengths = sorted({one["bits"] for one in others})
            reaching = [one["bits"] for one in others if one[measure] >= float(at_least)]
            shortest = min(reaching, default=None)
            found.append(
                {
                    **line,
                    "measure": measure,
                    "at_least": float(at_least),
                    "fresh": line[measure],
                    "kept": line[measure] >= float(at_least) - TOLERANCE,
                    "shortest": shortest,
                    "is_least": shortest == lengths[0],
                    "steps": None
                    if shortest is None
                    else lengths.index(line["bits"]) - lengths.index(shortest),
                }
            )
    return found


def _exhaustive(lines: Lines, name: str) -> Lines:
    return [line for line in lines if line["set"] == name and line["run"] == "exhaustive"]


def text(lines: Lines) -> str:
    """Return the text between the marker lines of the page."""
    all_cases = cases(lines)
    n_said = sum(case["reached"] for case in all_cases)
    n_kept = sum(case["kept"] for case in all_cases)
    n_near = sum(case["steps"] is not None and abs(case["steps"]) <= 1 for case in all_cases)
    n_same = sum(case["steps"] == 0 for case in all_cases)
    n_least = sum(case["is_least"] for case in all_cases)
    rows = [
        f"| {SETS[case['set']]} | {case['measure']} {case['at_least']:g} | `{case['method']}`, "
        f"{case['bits']} bits | {case['reported']:.3f}{'' if case['reached'] else ', nearest'} | "
        f"{case['fresh']:.3f} | "
        f"{case['shortest'] or 'none'} |"
        for case in all_cases
    ]
    return "\n".join(
        [
            f"On fresh items {n_kept} of the {len(all_cases)} codes reached their target to within "
            f"{TOLERANCE:g}; {n_said} had been said to reach it, the others to be the nearest. "
            f"{n_same} of the lengths were the shortest that any of the methods reaches the target "
            f"with there, and {n_near} were at most one step from it. "
            f"{n_least} of the targets are reached by the shortest length that was tried.",
            "",
            "| items | target | chosen | said | on fresh items | shortest, bits |",
            "| --- | --- | --- | ---: | ---: | ---: |",
            *rows,
            "",
            "![The quality of all codes over bytes, and what was chosen]"
            "(../images/guide/choosing.svg)",
            "",
            "*The methods at all lengths on fresh items, by the first measure of each set, and in "
            "circles what `hashlearn compare` chose for its targets.*",
        ]
    )


def draw(lines: Lines, folder: Path) -> None:
    """Draw the quality of all codes over bytes, and what was chosen."""
    by_set = defaultdict(list)
    for case in cases(lines):
        by_set[case["set"]].append(case)
    methods = list(dict.fromkeys(line["method"] for line in lines if line["run"] == "exhaustive"))
    looks = {method: marker_look(i) for i, method in enumerate(methods)}
    with styled_figure(11, 6.6) as figure:
        all_axes = figure.subplots(2, 3).ravel()
        for axes, (name, of_set) in zip(all_axes, by_set.items(), strict=True):
            _draw_set(axes, name, _exhaustive(lines, name), of_set, looks)
        handles: dict[str, Any] = {}
        for axes in all_axes:
            found = axes.get_legend_handles_labels()
            handles |= dict(zip(found[1], found[0], strict=True))
        figure.legend(handles.values(), handles, loc="outside lower center", ncols=9)
    (folder / "choosing.svg").write_bytes(figure_to_bytes(figure, "svg"))


def _draw_set(axes: Axes, name: str, lines: Lines, chosen: Lines, looks: dict[str, Any]) -> None:
    measure = chosen[0]["measure"]
    for method, look in looks.items():
        of_method = [line for line in lines if line["method"] == method]
        if of_method:
            sizes = [line["bytes"] + line["bytes_beside"] for line in of_method]
            axes.plot(sizes, [line[measure] for line in of_method], label=method, **look)
    for case in chosen:
        if case["measure"] == measure:
            axes.axhline(case["at_least"], color=INK, linewidth=0.8, linestyle=":")
            ring: Any = {"s": 150, "facecolors": "none", "edgecolors": INK, "zorder": 5}
            axes.scatter(case["bytes_chosen"], case["fresh"], label="chosen", **ring)
    lengths = sorted({line["bits"] // 8 for line in lines})
    axes.set_xscale("log", base=2)
    axes.set_xticks(lengths, [str(n) for n in lengths])
    axes.minorticks_off()
    axes.set_title(f"{SETS[name]}: {measure.replace('@', ' at ')}", fontsize=11)
    axes.set(xlabel="bytes")


def write(folder: Path) -> None:
    """Draw the picture, and fill the page."""
    lines = read()
    draw(lines, folder)
    PAGE.write_text(filled(PAGE.read_text(), text(lines)))

"""Write the table of methods into docs/methods.md: python docs/methods.py.

Descriptions come from the classes (supervision, `card`, references), measurements from
docs/results/1.jsonl, which docs/results.py writes. The part of docs/methods.md above the marker
line is written by hand and kept; the part below is replaced.
"""

import inspect
import json
import re
import sys
from pathlib import Path

from hashlearn.base import METHODS
from hashlearn.experiments.known_methods import TSH, method_rows
from hashlearn.experiments.variants import DEFAULT, OWN_DISTANCE
from hashlearn.methods import learns_from

DOCS = Path(__file__).parent
PAGE, RESULTS = DOCS / "methods.md", DOCS / "results" / "1.jsonl"
MARKER = "<!-- Below: written by docs/methods.py -->"
DATASETS = {"mnist": "MNIST", "cifar10": "CIFAR-10"}
COLUMNS = ("method", "learns from", "hash function", "distance", "cost of fitting", "when to use")


def measured() -> dict[tuple[str, str], dict]:
    """Return the rows of Table 1 that were run, by method and data set."""
    rows = map(json.loads, RESULTS.read_text().splitlines())
    return {(row["method"], row["dataset"]): row for row in rows if row["status"] == "run"}


def names() -> list[str]:
    """Return all methods in the order of the tables, two-step hashing first."""
    rows = (row.name for row in method_rows() if row.name in METHODS.names())
    return list(dict.fromkeys([DEFAULT, *rows]))


def numbers(name: str, rows: dict[tuple[str, str], dict]) -> list[str]:
    """Return MAP and fit time on each data set; MAP by the method's own distance in brackets."""
    texts = []
    for dataset in DATASETS:
        row, own = rows.get((name, dataset)), rows.get((f"{name}{OWN_DISTANCE}", dataset))
        if row is None:
            texts += ["–", "–"]
            continue
        extra = f" ({map_text(own)})" if own else ""
        texts += [f"{map_text(row)}{extra}", seconds(row["seconds"]["fit"]["mean"])]
    return texts


def map_text(row: dict) -> str:
    """Return a row's MAP."""
    return f"{row['testing']['mean_average_precision']['mean']:.3f}"


def seconds(value: float) -> str:
    """Return a time with two digits."""
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def line(cells: list[str] | tuple[str, ...]) -> str:
    """Return a line of a table."""
    return f"| {' | '.join(cells)} |"


def table() -> str:
    """Return the table of methods with their measurements."""
    rows = measured()
    has_default = any(method == DEFAULT for method, _ in rows)
    heads = [f"{title}: {word}" for title in DATASETS.values() for word in ("MAP", "seconds")]
    lines = [line([*COLUMNS, *heads]), line(["---"] * (len(COLUMNS) + len(heads)))]
    for name in names():
        cls = METHODS.get(name)
        distance = f"Hamming, {cls.card.distance}" if cls.card.distance else "Hamming"
        words = [cls.card.hash_function, distance, cls.card.cost, cls.card.use]
        lines.append(
            line(
                [
                    f"`{name}`",
                    learns_from(cls),
                    *words,
                    *numbers(name if name != DEFAULT or has_default else TSH, rows),
                ]
            )
        )
    return "\n".join(lines)


def references() -> str:
    """Return every method's first line and where it was published."""
    lines = []
    for name in names():
        text = inspect.getdoc(METHODS.get(name)) or ""
        first = text.partition("\n")[0].replace(" [1]_.", ".")
        cited = re.findall(r"\.\. \[\d+\] (.*?)(?=\n\.\. \[|\n\n|\Z)", text, flags=re.DOTALL)
        papers = " ".join(" ".join(paper.split()) for paper in cited)
        lines.append(f"- **`{name}`**: {first} {papers}")
    return "\n".join(lines)


def page() -> str:
    """Return the page with its head unchanged and the rest replaced."""
    head, marker, _ = PAGE.read_text().partition(MARKER)
    if not marker:
        sys.exit(f"{PAGE} has no line {MARKER!r}")
    return f"{head}{MARKER}\n\n## All methods\n\n{table()}\n\n## References\n\n{references()}\n"


if __name__ == "__main__":
    PAGE.write_text(page())

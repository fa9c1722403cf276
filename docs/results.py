"""Put the tables and figures of a run into docs/results.md: python docs/results.py FOLDER.

FOLDER is what `hashlearn paper --output FOLDER` wrote. What stands above the marker line in
docs/results.md is written by hand and stays; what stands below is replaced.
"""

import shutil
import sys
from pathlib import Path

DOCS = Path(__file__).parent
PAGE, FIGURES, DATA = DOCS / "results.md", DOCS / "images" / "results", DOCS / "results"
MARKER = "<!-- Below: written by docs/results.py -->"


def body(report: str) -> str:
    """Return a report without its title, its pictures where the documents keep them."""
    _, _, rest = report.partition("\n## ")
    return "## " + rest.replace("](figures/", "](images/results/")


def copy(source: Path, target: Path) -> None:
    """Copy the files of a folder, and remove what was there before."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)


def main(folder: Path) -> None:
    """Write tables and figures of a run into the documents."""
    head, marker, _ = PAGE.read_text().partition(MARKER)
    if not marker:
        sys.exit(f"{PAGE} has no line {MARKER!r}")
    copy(folder / "figures", FIGURES)
    copy(folder / "data", DATA)
    PAGE.write_text(f"{head}{MARKER}\n\n{body((folder / 'report.md').read_text())}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))

"""Write the tables and figures of a run into docs/results.md: python docs/results.py FOLDER.

FOLDER is the output of `hashlearn paper --output FOLDER`. The part of docs/results.md above the
marker line is written by hand and kept; the part below is replaced.
"""

import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

DOCS = Path(__file__).parent
PAGE, FIGURES, DATA = DOCS / "results.md", DOCS / "images" / "results", DOCS / "results"
MARKER = "<!-- Below: written by docs/results.py -->"


def body(report: str) -> str:
    """Return a report without its title, with the paths of pictures in the documents."""
    _, _, rest = report.partition("\n## ")
    rest = rest.replace("\n```\nhashlearn paper", "\n```sh\nhashlearn paper")
    return "## " + rest.replace("](figures/", "](images/results/")


def replace(folder: Path, files: Iterable[Path]) -> None:
    """Replace the contents of a folder by copies of files."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in files:
        shutil.copy(path, folder)


def main(folder: Path) -> None:
    """Write tables and figures of a run into the documents."""
    head, marker, _ = PAGE.read_text().partition(MARKER)
    if not marker:
        sys.exit(f"{PAGE} has no line {MARKER!r}")
    report = (folder / "report.md").read_text()
    replace(FIGURES, [folder / link for link in re.findall(r"\]\((figures/[^)]+)\)", report)])
    for path in (folder / "data").iterdir():
        shutil.copy(path, DATA)  # keeps the results of other commands
    PAGE.write_text(f"{head}{MARKER}\n\n{body(report)}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))

"""Put the tables and figures of a run into docs/results.md: python docs/results.py FOLDER.

FOLDER is what `hashlearn paper --output FOLDER` wrote. What stands above the marker line in
docs/results.md is written by hand and stays; what stands below is replaced.
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
    """Return a report without its title, its pictures where the documents keep them."""
    _, _, rest = report.partition("\n## ")
    rest = rest.replace("\n```\nhashlearn paper", "\n```sh\nhashlearn paper")
    return "## " + rest.replace("](figures/", "](images/results/")


def replace(folder: Path, files: Iterable[Path]) -> None:
    """Fill a folder with copies of files, and remove what was there before."""
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
        shutil.copy(path, DATA)  # beside what other commands measured
    PAGE.write_text(f"{head}{MARKER}\n\n{body(report)}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))

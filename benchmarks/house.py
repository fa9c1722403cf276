"""The size of the source, the longest call paths of `fit` and `search`, and start-up time.

With two or more source folders there is a column for each, with ratios to the first: ``python
benchmarks/house.py ../old/src src``.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

CALLS = """
import json, sys
from sklearn.datasets import load_digits
from hashlearn import HammingIndex, TwoStepHasher
X, y = load_digits(return_X_y=True)
hasher = TwoStepHasher(n_bits=16, random_state=0)
index = HammingIndex(n_bits=16)

def longest(work):
    path, best = [], []
    def look(frame, event, argument):
        if "hashlearn" not in frame.f_code.co_filename.replace("benchmarks", ""):
            return
        if event == "call":
            path.append(frame.f_code.co_qualname)
            if len(path) > len(best):
                best[:] = path
        elif event == "return" and path:
            path.pop()
    sys.setprofile(look)
    try:
        work()
    finally:
        sys.setprofile(None)
    return best

fit = longest(lambda: hasher.fit(X[:300], y[:300]))
codes = hasher.encode(X)
index.add(codes)
search = longest(lambda: index.search(codes[:5], k=3))
print(json.dumps({"fit": fit, "search": search}))
"""


def python(source: Path, *words: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(
        [sys.executable, *words], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def seconds(source: Path, *words: str, repeats: int = 7) -> float:
    """Return the median time of a process, after one that fills the caches."""
    python(source, *words)
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        python(source, *words)
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def sizes(source: Path) -> dict[str, tuple[int, int]]:
    """Return files and lines per folder."""
    found: dict[str, tuple[int, int]] = {}
    for path in (source / "hashlearn").rglob("*.py"):
        room = path.relative_to(source / "hashlearn").parts[0].removesuffix(".py")
        files, lines = found.get(room, (0, 0))
        found[room] = files + 1, lines + len(path.read_text(encoding="utf-8").splitlines())
    return found


def row(title: str, values: list[float], digits: int = 0) -> None:
    cells = [f"{value:,.{digits}f}" for value in values]
    ratios = [f"{value / values[0]:.2f}" for value in values[1:] if values[0]]
    print(f"{title:<28}", *(f"{cell:>9}" for cell in [*cells, *ratios]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("source", type=Path, nargs="*", default=[Path("src")])
    sources = [path.resolve() for path in parser.parse_args().source]
    per_source = [sizes(source) for source in sources]
    for place, what in enumerate(("files", "lines")):
        print(f"\n{what} per room")
        for room in sorted(set().union(*per_source)):
            row(f"  {room}", [size.get(room, (0, 0))[place] for size in per_source])
        row("  all", [sum(size[place] for size in found.values()) for found in per_source])
    print("\nlongest call path, functions of the library")
    paths = [json.loads(python(source, "-c", CALLS)) for source in sources]
    for work in ("fit", "search"):
        row(f"  {work}", [len(path[work]) for path in paths])
        for path in paths:
            print(f"    {' > '.join(path[work])}")
    print("\nseconds, median of 7")
    row("  import hashlearn", [seconds(s, "-c", "import hashlearn") for s in sources], 3)
    use = "from hashlearn import TwoStepHasher"
    row("  import TwoStepHasher", [seconds(s, "-c", use) for s in sources], 3)
    row("  hashlearn --help", [seconds(s, "-m", "hashlearn", "--help") for s in sources], 3)


if __name__ == "__main__":
    main()

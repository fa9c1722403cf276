"""Time and memory of `hashlearn compare` with its defaults, each run in a process of its own.

    python benchmarks/compare_cost.py

WordNet's entries by MiniLM without labels (117,791 of 384 numbers), and the training part of
BANKING77 with its 77 intents (10,003), from `.npy` files to the report.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from data import DATA, text_embeddings

SETS = {"wordnet": ("wordnet", False, 180), "banking77": ("banking77_train", True, 120)}


def write(name, labelled, folder):
    """Write the items of a set; return the words of the command that compares on them."""
    X, y = text_embeddings(name)
    np.save(folder / "items.npy", X)
    words = [str(Path(sys.executable).parent / "hashlearn"), "compare", "items.npy"]
    if labelled:
        (folder / "labels.csv").write_text("\n".join(["label", *y]) + "\n")
        words += ["--labels", "labels.csv"]
    return words


def run(words, folder):
    """Run a command; return its seconds and its peak memory in MB."""
    begin = time.perf_counter()
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(words, cwd=folder, stdout=log, stderr=log)
        _, status, usage = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0, (folder / "log").read_text()
    return time.perf_counter() - begin, usage.ru_maxrss / 1024


def main():
    if not (DATA / "embeddings").is_dir():
        sys.exit(f"HASHLEARN_DATA is not set or {DATA / 'embeddings'} is missing")
    print(f"{'':12}{'allowed s':>10}{'seconds':>9}{'MB':>7}")
    for name, (source, labelled, allowed) in SETS.items():
        with tempfile.TemporaryDirectory() as made:
            seconds, memory = run(write(source, labelled, Path(made)), Path(made))
            print(f"{name:12}{allowed:10}{seconds:9.0f}{memory:7.0f}", flush=True)


if __name__ == "__main__":
    main()

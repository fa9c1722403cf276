"""Time and memory of `hashlearn compare` with its defaults, each run in a process of its own.

    python benchmarks/compare_cost.py

WordNet's entries by MiniLM without labels (117,791 of 384 numbers), and the training part of
BANKING77 with its 77 intents (10,003). The command is run once to the end, interrupted after a
third of the time and run again, which must not take longer in all but for what was cut off.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from data import DATA, text_embeddings

SETS = {"wordnet": ("wordnet", False, 180), "banking77": ("banking77_train", True, 120)}
INTERRUPTED_AFTER = 35  # seconds


def write(name, labelled, folder):
    """Write the items of a set; return the words of the command that compares on them."""
    X, y = text_embeddings(name)
    np.save(folder / "items.npy", X)
    words = [str(Path(sys.executable).parent / "hashlearn"), "compare", "items.npy"]
    if labelled:
        (folder / "labels.csv").write_text("\n".join(["label", *y]) + "\n")
        words += ["--labels", "labels.csv"]
    return words


def run(words, folder, output, stop_after=None):
    """Run a command, perhaps until it is interrupted; return seconds and peak memory in MB."""
    begin = time.perf_counter()
    with (folder / "log").open("w") as log:
        process = subprocess.Popen([*words, "-o", output], cwd=folder, stdout=log, stderr=log)
        if stop_after is not None:
            time.sleep(stop_after)
            process.send_signal(signal.SIGINT)
        _, status, usage = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code == (130 if stop_after else 0), (folder / "log").read_text()
    return time.perf_counter() - begin, usage.ru_maxrss / 1024


def main():
    if not (DATA / "embeddings").is_dir():
        sys.exit(f"HASHLEARN_DATA is not set or {DATA / 'embeddings'} is missing")
    print(f"{'':12}{'allowed s':>10}{'seconds':>9}{'MB':>7}{'stopped at':>12}{'and again':>11}")
    for name, (source, labelled, allowed) in SETS.items():
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            words = write(source, labelled, folder)
            seconds, memory = run(words, folder, "whole")
            stopped, _ = run(words, folder, "parts", INTERRUPTED_AFTER)
            again, _ = run(words, folder, "parts")
            print(
                f"{name:12}{allowed:10}{seconds:9.0f}{memory:7.0f}{stopped:12.0f}{again:11.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()

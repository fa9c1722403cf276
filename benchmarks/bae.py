"""Speed and memory of `bae`: fit and encode 117,791 embeddings of 384 numbers, mapped from a file.

    python benchmarks/bae.py

Against `itq` of as many bits, which `bae` starts from: seconds to fit (with the codes of all
items), items encoded per second, and the memory that the process takes beyond what it had with
`itq` and `bae` compiled and X mapped, on all cores. X itself takes 181 MB.
"""

import os
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from data import text_embeddings
from hashlearn import make_hasher

BITS = (128, 384)


def resident():
    """Return the bytes of memory that the process holds, without pages of mapped files."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))


class Peak:
    """The most memory that was held inside, above that before."""

    def __enter__(self):
        self.before, self.most, self.done = resident(), 0, threading.Event()
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()
        return self

    def watch(self):
        while not self.done.wait(0.02):
            self.most = max(self.most, resident() - self.before)

    def __exit__(self, *error):
        self.done.set()
        self.thread.join()


def measure(method, bits, X):
    hasher = make_hasher(method, n_bits=bits, random_state=0)
    begin = time.perf_counter()
    with Peak() as fit:
        hasher.fit(X)
    seconds = time.perf_counter() - begin
    begin = time.perf_counter()
    with Peak() as encode:
        hasher.encode(X)
    rate = len(X) / (time.perf_counter() - begin)
    return seconds, rate, fit.most / 2**20, encode.most / 2**20


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "X.npy")
        np.save(path, text_embeddings("wordnet")[0])
        X = np.load(path, mmap_mode="r")
        for method in ("itq", "bae"):
            make_hasher(method, n_bits=16).fit(X[:2000]).encode(X[:2000])
        print(f"{'':6}{'bits':>5}{'fit s':>8}{'items/s':>10}{'fit MiB':>9}{'encode MiB':>12}")
        for bits in BITS:
            found = {method: measure(method, bits, X) for method in ("itq", "bae")}
            for method, (fit, rate, *memory) in found.items():
                cells = "".join(f"{value:9.0f}" for value in memory)
                print(f"{method:6}{bits:>5}{fit:8.1f}{rate:10,.0f}{cells}", flush=True)
            ratios = [found["bae"][i] / found["itq"][i] for i in (0, 1)]
            print(f"bae / itq: fit {ratios[0]:.2f}, items per second {ratios[1]:.3f}")


if __name__ == "__main__":
    main()

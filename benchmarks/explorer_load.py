"""The explorer under load: many clients at once on 70,000 items, and the server's memory.

    python benchmarks/explorer_load.py [--seconds 60] [--clients 50]

Learns three methods on MNIST, starts `hashlearn explore` in its own process, and lets every client
send requests without a pause: a mix of searches with varying numbers of bits and neighbours,
radius searches, curves, random items, images and the collection. Clients and server share the
machine. There is no peer: the table shows latencies in milliseconds. Exits with 1 if a request
failed or had no response within 30 seconds, if the server did not start or stop, if the first
response took more than 200 ms, or if the server's own memory grew by more than 100 MB after the
first tenth of the run.
"""

import argparse
import asyncio
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from contextlib import contextmanager
from itertools import chain
from json import loads
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

from data import mnist
from hashlearn import HammingIndex, make_hasher

METHODS, N_BITS, N_TRAINING = ("tsh-ksh", "itq", "lsh"), 32, 2_000
FIRST_ANSWER_MS, GROWTH_MB = 200, 100
START_SECONDS, ANSWER_SECONDS, END_SECONDS = 600, 30, 30  # after these the server hangs
MIX = {"search": 40, "radius": 15, "curve": 10, "random": 10, "image": 20, "collection": 5}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=50)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        words = prepare(Path(folder))
        begin = time.perf_counter()
        with explorer(words) as (process, address):
            print(f"ready after {time.perf_counter() - begin:.1f} s")
            first = asyncio.run(first_answer(address)) * 1000
            print(f"first answer after {first:.0f} ms, at most {FIRST_ANSWER_MS} ms allowed")
            memory = {"when ready": memory_of(process.pid)}
            found = asyncio.run(
                load(address, arguments.clients, arguments.seconds, memory, process.pid)
            )
    sys.exit(report(found, memory, arguments) or first > FIRST_ANSWER_MS)


def prepare(folder):
    """Write models, indexes, labels and images; return the options that open them."""
    X, y = mnist()
    scaled = X.astype(np.float32) / 255
    training = np.random.default_rng(0).permutation(len(X))[:N_TRAINING]
    words = ["--labels", folder / "labels.npy", "--images", folder / "images.npy"]
    np.save(folder / "labels.npy", y)
    np.save(folder / "images.npy", X.reshape(-1, 28, 28))
    for method in METHODS:
        hasher = make_hasher(method, n_bits=N_BITS, random_state=0)
        hasher.fit(scaled[training], y[training]).save(folder / f"{method}.hashlearn")
        index = HammingIndex(N_BITS)
        index.add(hasher.encode(scaled))
        index.save(folder / f"{method}.index")
        words += ["--model", folder / f"{method}.hashlearn", "--index", folder / f"{method}.index"]
    print(f"{len(X):,} items under {', '.join(METHODS)}, {N_BITS} bits")
    return words


@contextmanager
def explorer(words):
    """Start the command, wait until it is ready; yield its process and its address."""
    command = [sys.executable, "-m", "hashlearn", "explore", "--no-open", "--port", "0"]
    process = subprocess.Popen(
        [*command, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield process, address_of(process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=END_SECONDS)
    except subprocess.TimeoutExpired:
        sys.exit("the explorer did not end")
    finally:
        process.kill()
        process.communicate()


def address_of(process):
    """Return the address that the command prints when it is ready."""
    impatience = threading.Timer(START_SECONDS, process.kill)
    impatience.start()
    address = process.stdout.readline().strip()
    impatience.cancel()
    return address or sys.exit("the explorer did not start")


class Client:
    """A persistent connection that sends one request after the other."""

    async def open(self, address):
        parts = urlsplit(address)
        self.host = parts.netloc
        async with asyncio.timeout(ANSWER_SECONDS):
            self.reader, self.writer = await asyncio.open_connection(parts.hostname, parts.port)
        return self

    async def get(self, path):
        """Return the status and the body of an answer; raise TimeoutError if none comes."""
        self.writer.write(f"GET {path} HTTP/1.1\r\nHost: {self.host}\r\n\r\n".encode())
        async with asyncio.timeout(ANSWER_SECONDS):
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = int(head.partition("content-length: ")[2].partition("\r\n")[0])
            return int(head.split()[1]), await self.reader.readexactly(length)


async def first_answer(address):
    """Return how long the very first question takes, connection included."""
    begin = time.perf_counter()
    status, _ = await (await Client().open(address)).get(f"/api/search?method={METHODS[0]}&item=1")
    assert status == 200
    return time.perf_counter() - begin


async def load(address, n_clients, seconds, memory=None, pid=None):
    """Let clients ask for a time; return latencies by kind, and what went wrong.

    `memory` gets what process `pid` takes after a tenth, in the middle and at the end.
    """
    about = loads((await (await Client().open(address)).get("/api/collection"))[1])
    latencies, errors = defaultdict(list), []
    begin = time.perf_counter()

    async def ask_on(seed):
        chance = random.Random(seed)
        client = await Client().open(address)
        while time.perf_counter() - begin < seconds:
            kind, path = question(about, chance)
            asked = time.perf_counter()
            try:
                status, _ = await client.get(path)
            except (OSError, EOFError) as error:  # a TimeoutError is an OSError
                errors.append(f"{path}: {error!r}")
                return
            latencies[kind].append(time.perf_counter() - asked)
            if status != 200:
                errors.append(f"{path}: status {status}")

    async def watch():
        for name, share in {"after a tenth": 0.1, "in the middle": 0.5, "at the end": 1}.items():
            await asyncio.sleep(begin + share * seconds - time.perf_counter())
            memory[name] = memory_of(pid)

    watching = [] if memory is None else [watch()]
    await asyncio.gather(*map(ask_on, range(n_clients)), *watching)
    return latencies, errors


def question(about, chance):
    """Return a kind of request, and a request of that kind."""
    kind = chance.choices(list(MIX), MIX.values())[0]
    item = chance.randrange(about["n_items"])
    method = chance.choice(about["methods"])
    asked = f"method={method['name']}&item={item}&bits={chance.randint(4, method['n_bits'])}"
    return kind, {
        "search": f"/api/search?{asked}&k={chance.randint(1, 100)}",
        "radius": f"/api/radius?{asked}&radius={chance.randint(0, 4)}",
        "curve": f"/api/curve?{asked}",
        "random": "/api/items/random",
        "image": f"/api/items/{item}/image",
        "collection": "/api/collection",
    }[kind]


def memory_of(pid):
    """Return the megabytes of a process in memory: all, and without mapped files (Linux)."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    sizes = dict(line.split(":") for line in lines)
    return tuple(int(sizes[name].split()[0]) / 1024 for name in ("VmRSS", "RssAnon"))


def report(found, memory, arguments):
    """Print the tables; return the exit code."""
    latencies, errors = found
    n_requests = sum(map(len, latencies.values()))
    print(
        f"\n{arguments.clients} clients for {arguments.seconds:g} s: {n_requests:,} requests, "
        f"{n_requests / arguments.seconds:,.0f} per second, {len(errors)} errors"
    )
    print(f"{'':14}{'requests':>10}{'p50 ms':>9}{'p99 ms':>9}{'max ms':>9}")
    rows = {**{kind: latencies[kind] for kind in MIX}, "all": [*chain(*latencies.values())]}
    for kind, times in rows.items():
        if times:
            low, high, most = 1000 * np.percentile(times, (50, 99, 100))
            print(f"{kind:14}{len(times):>10,}{low:>9.1f}{high:>9.1f}{most:>9.1f}")
    print(f"\n{'memory':14}{'all MB':>10}{'own MB':>9}")
    for name, (resident, own) in memory.items():
        print(f"{name:14}{resident:>10.0f}{own:>9.0f}")
    grown = memory["at the end"][1] - memory["after a tenth"][1]
    print(f"own memory grew by {grown:.0f} MB, at most {GROWTH_MB} MB allowed")
    for error in errors[:10]:
        print(error, file=sys.stderr)
    return int(bool(errors) or grown > GROWTH_MB)


if __name__ == "__main__":
    main()

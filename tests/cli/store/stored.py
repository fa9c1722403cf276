"""Tables to push, and what a store holds after it."""

import json

import numpy as np

from hashlearn.stores import open_store


def contents(address, table="items"):
    """Return the ids and codes of a table in the order of ids, and its columns."""
    with open_store(address, table) as store:
        batches = list(store.read())
    ids = np.concatenate([batch.ids for batch in batches])
    order = np.argsort(ids)
    packed = np.concatenate([batch.packed for batch in batches])
    values = {
        name: np.concatenate([batch.values[name] for batch in batches])[order]
        for name in batches[0].values
    }
    return ids[order], packed[order], values


def write_table(path, place, **columns):
    """Write the items with more columns of texts."""
    names = [*place.names, *columns]
    rows = zip(place.X.astype(int).astype(str), *columns.values(), strict=True)
    lines = [",".join([*row, *others]) for row, *others in rows]
    path.write_text("\n".join([",".join(names), *lines]))
    return path, "--model", "named.hashlearn", "--columns", ",".join(columns)


def found(result):
    """Return what JSON lines say: ids and distances of each query."""
    return [
        (line["ids"], line["distances"]) for line in map(json.loads, result.stdout.splitlines())
    ]

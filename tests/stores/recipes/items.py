"""Items with a column of every type, and what to compare the recipes' results with."""

import numpy as np

from hashlearn.stores import Between
from tests.search.brute_force import distances_between

COLUMNS = {"order": int, "select": str, "distance": float, "user": bool}  # words of SQL as well
WORDS = np.array(["it's", 'a "b"', "naïve 東京 \\ \n", "", "%s $1 {values_0}"])


def values_of(n):
    numbers = np.arange(n)
    return {
        "order": numbers % 7 - 3,
        "select": WORDS[numbers % len(WORDS)],
        "distance": numbers / 4 - 10,
        "user": numbers % 2 == 0,
    }


WHERES = {
    "one value": ({"order": 2}, lambda v, ids: v["order"] == 2),
    "some values": ({"select": ["it's", ""]}, lambda v, ids: np.isin(v["select"], ["it's", ""])),
    "odd text": ({"select": WORDS[4]}, lambda v, ids: v["select"] == WORDS[4]),
    "no value": ({"order": []}, lambda v, ids: np.zeros(len(ids), dtype=bool)),
    "a range": (
        {"distance": Between(-5, 3.5)},
        lambda v, ids: (v["distance"] >= -5) & (v["distance"] <= 3.5),
    ),
    "open ranges": (
        {"id": Between(30, None), "select": Between(None, "b")},
        lambda v, ids: (ids >= 30) & (v["select"] <= "b"),
    ),
    "all of it": (
        {"user": False, "order": [0, 1], "id": Between(None, 90)},
        lambda v, ids: ~v["user"] & np.isin(v["order"], [0, 1]) & (ids <= 90),
    ),
    "ids": ({"id": {3, 5, 10**6}}, lambda v, ids: np.isin(ids, [3, 5])),
}


def expected(query, packed, ids, *, k=None, radius=None, allowed=None):
    """Return ids and distances, by distance and then by id."""
    distances = distances_between(query[np.newaxis], packed)[0]
    keep = np.ones(len(ids), dtype=bool) if allowed is None else allowed
    keep = keep & (distances <= radius) if radius is not None else keep
    order = np.lexsort((ids, distances))
    order = order[keep[order]][:k]
    return ids[order].tolist(), distances[order].tolist()


def as_lists(found):
    return found.ids.tolist(), found.distances.tolist()

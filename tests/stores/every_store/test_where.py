"""Filtered searches of every store find what an index of the allowed items finds."""

import numpy as np
import pytest

from hashlearn.stores import Between, Not
from tests.stores.conftest import NAMES
from tests.stores.expected import assert_nearest, assert_within

INJECTION = "'; drop table items; --"
LAST = np.iinfo(np.int64).max

# What is asked for, and which items fulfil it: a function of the columns, "id" among them.
CONDITIONS = {
    "one value": ({"digit": 3}, lambda of: of["digit"] == 3),
    "a value of NumPy": ({"digit": np.int8(3)}, lambda of: of["digit"] == 3),
    "several values": ({"digit": [3, 5, 77]}, lambda of: np.isin(of["digit"], [3, 5])),
    "a set": ({"digit": {1, 2}}, lambda of: np.isin(of["digit"], [1, 2])),
    "a value twice": ({"digit": [3, 3]}, lambda of: of["digit"] == 3),
    "no values": ({"digit": []}, lambda of: of["digit"] < 0),
    "a value that none has": ({"digit": -LAST}, lambda of: of["digit"] < 0),
    "nothing": ({}, lambda of: of["digit"] >= 0),
    "from": ({"digit": Between(6, None)}, lambda of: of["digit"] >= 6),
    "up to": ({"digit": Between(None, 2)}, lambda of: of["digit"] <= 2),
    "between": ({"digit": Between(3, 5)}, lambda of: np.isin(of["digit"], [3, 4, 5])),
    "between the wrong way round": ({"digit": Between(5, 3)}, lambda of: of["digit"] < 0),
    "all integers": ({"digit": Between(-LAST - 1, LAST)}, lambda of: of["digit"] >= 0),
    "ids": ({"id": [-5, 4, 10**6]}, lambda of: np.isin(of["id"], [-5, 4])),
    "a range of ids": ({"id": Between(-20, 100)}, lambda of: abs(of["id"] - 40) <= 60),
    "two columns": (
        {"digit": [1, 2, 3], "weight": Between(0.25, None)},
        lambda of: np.isin(of["digit"], [1, 2, 3]) & (of["weight"] >= 0.25),
    ),
    "all columns": (
        {
            "digit": 3,
            "weight": Between(-1, 1),
            "flag": True,
            "name": list(NAMES),
            "id": Between(0, None),
        },
        lambda of: (of["digit"] == 3) & (abs(of["weight"]) <= 1) & of["flag"] & (of["id"] >= 0),
    ),
    "a float": ({"weight": 0.1}, lambda of: of["weight"] == 0.1),
    "the float beside": ({"weight": np.nextafter(0.1, 1)}, lambda of: of["digit"] < 0),
    "floats": (
        {"weight": [0.1, 1 / 3, 1e-300]},
        lambda of: np.isin(of["weight"], [0.1, 1 / 3, 1e-300]),
    ),
    "zero of either sign": ({"weight": 0.0}, lambda of: of["weight"] == 0),
    "zeros of either sign": ({"weight": [-0.0, 7.0]}, lambda of: of["weight"] == 0),
    "floats from minus zero": ({"weight": Between(-0.0, 0.0)}, lambda of: of["weight"] == 0),
    "floats from an integer": ({"weight": Between(0, None)}, lambda of: of["weight"] >= 0),
    "floats from the least integer": (
        {"weight": Between(-(2.0**63), None)},
        lambda of: of["weight"] >= -(2.0**63),
    ),
    "true": ({"flag": True}, lambda of: of["flag"]),
    "false": ({"flag": False}, lambda of: ~of["flag"]),
    "true or false": ({"flag": [True, False]}, lambda of: of["digit"] >= 0),
    "neither": ({"flag": []}, lambda of: of["digit"] < 0),
    "an empty text": ({"name": ""}, lambda of: of["name"] == ""),
    "a text with quotes": ({"name": 'it\'s "so"'}, lambda of: of["name"] == 'it\'s "so"'),
    "a text with all kinds of signs": (
        {"name": "naïve 東京 🐈 %s $1 \\ \n"},
        lambda of: of["name"] == NAMES[3],
    ),
    "a text in another case": ({"name": "ZOË"}, lambda of: of["digit"] < 0),
    "a text with a space after it": ({"name": "Zoë "}, lambda of: of["digit"] < 0),
    "texts": ({"name": ["Zoë", "apple", "none"]}, lambda of: np.isin(of["name"], ["Zoë", "apple"])),
    "SQL": ({"name": INJECTION}, lambda of: of["digit"] < 0),
    "SQL among others": ({"name": [INJECTION, "apple"]}, lambda of: of["name"] == "apple"),
    "texts by the numbers of their signs": (
        {"name": Between("Z", "b")},
        lambda of: (of["name"] >= "Z") & (of["name"] <= "b"),
    ),
    "missing": ({"digit": None}, lambda of: of["digit"] < 0),
    "present": ({"name": Not(None)}, lambda of: of["digit"] >= 0),
    "another value": ({"digit": Not(3)}, lambda of: of["digit"] != 3),
    "other values": ({"digit": Not([3, 5, 77])}, lambda of: ~np.isin(of["digit"], [3, 5])),
    "not no value": ({"digit": Not([])}, lambda of: of["digit"] >= 0),
    "other ids": ({"id": Not({-5, 4})}, lambda of: ~np.isin(of["id"], [-5, 4])),
    "another float": ({"weight": Not(-0.0)}, lambda of: of["weight"] != 0),
    "not true": ({"flag": Not(True)}, lambda of: ~of["flag"]),
    "another text": ({"name": Not('it\'s "so"')}, lambda of: of["name"] != 'it\'s "so"'),
    "neither of two columns": (
        {"digit": Not([1, 2]), "name": Not(["", INJECTION])},
        lambda of: ~np.isin(of["digit"], [1, 2]) & (of["name"] != ""),
    ),
    "texts from": ({"name": Between("a", None)}, lambda of: of["name"] >= "a"),
}


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_filter_leaves_what_fulfils_it(shelf, condition):
    store, items = shelf
    where, fulfils = CONDITIONS[condition]
    mask = fulfils({"id": items.ids, **items.values})
    queries = items.packed[:2]
    assert store.count(where) == mask.sum()
    for k in (10, 1000):
        assert_nearest(store, items, queries, k, mask, where=where)
    assert_within(store, items, queries, 4, mask, where=where)


def test_a_filter_takes_more_values_than_a_statement_has_room_for(shelf):
    """SQLite takes 32,766 parameters, and PostgreSQL 65,535."""
    store, items = shelf
    where = {"id": np.arange(70_000)}
    assert store.count(where) == (items.ids >= 0).sum()
    assert_nearest(store, items, items.packed[:1], 10, items.ids >= 0, where=where)


@pytest.mark.parametrize(
    ("where", "reason"),
    [
        ({"colour": 3}, "where must name columns of the table, 'id', 'digit'"),
        ({"code": b"1"}, "got 'code'"),
        ({"digit = 1 or 1": 1}, "got 'digit = 1 or 1'"),
        ({"digit": "3"}, "column 'digit' must be int; got '3'"),
        ({"digit": 3.0}, "column 'digit' must be int; got 3.0"),
        ({"digit": True}, "column 'digit' must be int; got True"),
        ({"id": None}, "column 'id' must be int; got None"),
        ({"digit": Not("3")}, "column 'digit' must be int; got '3'"),
        ({"digit": [[3]]}, r"column 'digit' must be int; got \[3\]"),
        ({"digit": 2**63}, "must fit into 64 bits"),
        ({"flag": 1}, "column 'flag' must be bool; got 1"),
        ({"flag": Between(False, True)}, "must be True or False"),
        ({"name": 3}, "column 'name' must be str; got 3"),
        ({"name": "a\0"}, "not every database stores"),
        ({"name": ["a", "\ud800"]}, "not every database stores"),
        ({"weight": float("nan")}, "must be finite"),
        ({"weight": "1"}, "column 'weight' must be float; got '1'"),
        ({"id": "1 or 1=1"}, "column 'id' must be int; got '1 or 1=1'"),
        ({"digit": Between()}, "must have at least one bound"),
        ("digit = 3", r"where must be a mapping .* got 'digit = 3'"),
    ],
)
def test_a_wrong_filter_is_refused(shelf, where, reason):
    store, items = shelf
    for ask in (
        lambda: store.search(items.packed[:1], 1, where=where),
        lambda: store.radius_search(items.packed[:1], 1, where=where),
        lambda: store.count(where),
    ):
        with pytest.raises((TypeError, ValueError), match=reason):
            ask()
    assert store.count() == len(items.ids)

"""Laws of cells: other settings or data give another key, and a record is stored whole."""

import json
import os
import time
from dataclasses import fields, replace

import numpy as np
import pytest

from hashlearn.experiments import cells
from hashlearn.experiments.cells import Cell, CellStore
from hashlearn.experiments.sets import fingerprint
from tests.experiments.small_sets import digits

DATA = digits(300)
CELL = Cell("digits", "usual", "tsh-bre", "kernel-features", 32, seed=0, n_anchors=300)
OTHER = {
    "dataset": "mnist",
    "protocol": "unseen",
    "method": "tsh-ksh",
    "hash_function": "rbf-svm",
    "n_bits": 16,
    "seed": 1,
    "n_anchors": 1000,
    "n_queries": 10,
    "n_training": 20,
    "n_database": 30,
}
RECORD = {"key": "ab", "testing": {"pr_area": 0.25}, "selection": None}


def test_equal_arrays_have_the_same_fingerprint():
    assert fingerprint(np.zeros(3)) == fingerprint(np.zeros(3)) != fingerprint(np.zeros(4))


def test_the_same_cell_has_the_same_key():
    assert replace(CELL).key(DATA) == CELL.key(DATA)


@pytest.mark.parametrize("field", [f.name for f in fields(Cell) if f.name != "dataset"])
def test_every_setting_is_part_of_the_key(field):
    assert replace(CELL, **{field: OTHER[field]}).key(DATA) != CELL.key(DATA)


def test_the_same_data_by_another_name_have_the_same_key():
    assert replace(CELL, dataset="./digits.npz").key(DATA) == CELL.key(DATA)


def test_other_data_make_another_key():
    assert CELL.key(digits(301)) != CELL.key(DATA)
    assert CELL.selection_key(digits(301)) != CELL.selection_key(DATA)


@pytest.mark.parametrize("setting", sorted(cells._COMMON))
def test_what_all_results_depend_on_is_part_of_the_key(setting, monkeypatch):
    before = CELL.key(DATA), CELL.selection_key(DATA)
    monkeypatch.setitem(cells._COMMON, setting, "changed")
    assert CELL.key(DATA) != before[0]
    assert CELL.selection_key(DATA) != before[1]


@pytest.mark.parametrize("field", ["method", "n_bits"])
def test_losses_and_code_lengths_share_a_selection(field):
    other = replace(CELL, **{field: OTHER[field]})
    assert other.selection_key(DATA) == CELL.selection_key(DATA)


@pytest.mark.parametrize("field", ["protocol", "hash_function", "seed", "n_training"])
def test_other_splits_and_functions_have_their_own_selection(field):
    other = replace(CELL, **{field: OTHER[field]})
    assert other.selection_key(DATA) != CELL.selection_key(DATA)
    assert CELL.selection_key(DATA) != CELL.key(DATA)


def test_what_was_put_is_got(tmp_path):
    CellStore(tmp_path / "cells").put("ab", RECORD)
    assert CellStore(tmp_path / "cells").get("ab") == RECORD


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b'{"key": "ab"', b"[]", b"null", b'{"key": "cd"}', b"\xff\xfe", b"{}"],
)
def test_a_damaged_or_foreign_file_is_no_record(tmp_path, content):
    store = CellStore(tmp_path)
    (tmp_path / "ab.json").write_bytes(content)
    assert store.get("ab") is None
    store.put("ab", RECORD)
    assert store.get("ab") == RECORD


def test_not_a_number_is_refused_and_leaves_nothing(tmp_path):
    with pytest.raises(ValueError, match="not JSON compliant"):
        CellStore(tmp_path).put("ab", {"key": "ab", "testing": float("nan")})
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_run_left_is_removed_when_it_is_old(tmp_path):
    old, new = tmp_path / ".hashlearn-1.tmp", tmp_path / ".hashlearn-2.tmp"
    for path in (old, new):
        path.write_text(json.dumps(RECORD))
    os.utime(old, (time.time() - 7200,) * 2)
    CellStore(tmp_path)
    assert not old.exists()
    assert new.exists()

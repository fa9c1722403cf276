"""Laws of cells: other settings or data give another key."""

from dataclasses import fields, replace

import numpy as np
import pytest

from hashlearn.experiments import cells
from hashlearn.experiments.cells import Cell
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

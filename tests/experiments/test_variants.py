"""Laws of rows that are a method with parameters of its own."""

import pytest

from hashlearn.experiments import known_methods, variants
from hashlearn.experiments.cells import Cell
from hashlearn.experiments.known_methods import is_implemented, method_rows
from hashlearn.experiments.plan import all_methods
from hashlearn.experiments.running import build_hasher
from hashlearn.experiments.variants import (
    PUBLISHED_FOR_ALL,
    VARIANTS,
    Variant,
    library_method,
    parameters_of,
)
from hashlearn.methods import METHODS, KSHHasher
from tests.experiments.small_sets import digits

ROW = Variant("ksh-few", "KSH, few anchors", "ksh", {"n_anchors": 50})


@pytest.fixture
def row(monkeypatch):
    """Add a row, as a line in `VARIANTS` does."""
    monkeypatch.setitem(variants._BY_NAME, ROW.name, ROW)
    for module in (variants, known_methods):
        monkeypatch.setattr(module, "VARIANTS", (*VARIANTS, ROW))


def test_every_row_has_a_name_of_its_own_and_a_method_of_the_library():
    names = [variant.name for variant in VARIANTS]
    assert len(set(names)) == len(names)
    for variant in VARIANTS:
        assert library_method(variant.name) in METHODS.names()
        assert variant.name in all_methods()


def test_a_row_follows_that_of_its_method(row):
    names = [method.name for method in method_rows()]
    of_ksh = [name for name in names if library_method(name) == "ksh"]
    assert of_ksh[0] == "ksh"
    assert "ksh-few" in of_ksh
    assert names[names.index("ksh") : names.index("ksh") + len(of_ksh)] == of_ksh
    assert names.count("ksh-few") == 1
    assert next(method for method in method_rows() if method.name == "ksh-few") == (
        *ROW[:2],
        "supervised",
    )
    assert is_implemented("ksh-few")
    assert not is_implemented("ksh-many")


def test_a_row_has_its_parameters_and_its_method_keeps_its_own(row):
    few, plain = (
        build_hasher(Cell("digits", "usual", name, None, 16, seed=3), None, n_jobs=None)
        for name in ("ksh-few", "ksh")
    )
    defaults = {"similarity": KSHHasher().similarity}  # a variant is not the published method
    assert few.get_params() == plain.get_params() | {"n_anchors": 50} | defaults
    assert plain.similarity == "shared"
    assert few.random_state == 3


def test_parameters_are_part_of_a_cells_key(row, monkeypatch):
    cell, data = Cell("digits", "usual", "ksh-few", None, 16, seed=0), digits(100)
    before = cell.key(data)
    changed = ROW._replace(parameters={"n_anchors": 60})
    monkeypatch.setitem(variants._BY_NAME, ROW.name, changed)
    assert cell.key(data) != before


def test_published_methods_keep_the_affinity_of_their_publication(monkeypatch):
    monkeypatch.setitem(PUBLISHED_FOR_ALL, "n_anchors", 300)  # as if it were of the affinity
    assert parameters_of("ksh")["n_anchors"] == 300
    assert "n_anchors" not in parameters_of("lsh")  # which does not have it
    for name in ("tsh", "mixed", "classifier-codes", "gone"):
        assert parameters_of(name) == {}

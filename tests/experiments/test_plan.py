"""Laws of the plan: which cells the parts ask for."""

from dataclasses import replace
from itertools import pairwise

import pytest

from hashlearn.experiments.plan import (
    COMPARED_FUNCTIONS,
    PARTS,
    Settings,
    all_methods,
    check_methods,
    plan,
)
from hashlearn.methods import METHODS
from tests.experiments.small_sets import digits, several_labels, without_labels

ALL = Settings(tuple(PARTS), all_methods(), bits=(8, 32), n_seeds=2)


def asked(part, data, **changes):
    return plan(replace(ALL, parts=(part,), **changes), data)


def test_every_method_of_the_library_has_a_row():
    assert set(METHODS.names()) - {"tsh"} <= set(all_methods())
    assert {f"tsh-{loss}" for loss in ("ksh", "bre", "splh", "ee", "exph")} < set(all_methods())


def test_no_cell_is_planned_twice():
    cells = plan(ALL, digits())
    assert len(set(cells)) == len(cells)


def test_cells_of_one_split_stand_together():
    splits = [cell.split_name for cell in plan(ALL, digits())]
    changes = sum(a != b for a, b in pairwise(splits))
    assert changes == len(set(splits)) - 1


def test_table_one_has_every_method_for_every_seed():
    cells = asked("1", digits())
    assert {(cell.method, cell.seed) for cell in cells} == {
        (method, seed) for method in all_methods() for seed in range(2)
    }
    assert {(cell.n_bits, cell.protocol) for cell in cells} == {(32, "usual")}


def test_curves_show_one_loss_at_every_length():
    cells = asked("bits", digits())
    assert {cell.n_bits for cell in cells} == {8, 32}
    assert [m for m in {cell.method for cell in cells} if m.startswith("tsh-")] == ["tsh-bre"]


def test_hash_functions_are_the_papers_four():
    assert {cell.hash_function for cell in asked("hash-functions", digits())} == set(
        COMPARED_FUNCTIONS
    )


def test_unseen_includes_the_usual_cells():
    for data in (digits(), several_labels()):
        cells = asked("unseen", data)
        by_protocol = [
            {cell.method for cell in cells if cell.protocol == protocol}
            for protocol in ("usual", "unseen")
        ]
        assert by_protocol == [set(all_methods())] * 2


def test_vectors_alone_are_measured_by_distance_only():
    cells = plan(ALL, without_labels())
    assert {cell.protocol for cell in cells} == {"l2"}
    assert "classifier-codes" not in {cell.method for cell in cells}


def test_labelled_sets_are_measured_by_distance_if_that_is_named():
    assert {cell.protocol for cell in asked("large", digits())} == {"l2"}
    assert "l2" not in {cell.protocol for cell in plan(ALL, digits())}


def test_all_labels_takes_kernel_features():
    cells = asked("all-labels", digits(), methods=("tsh-bre", "lsh"))
    found = {(cell.method, cell.hash_function, cell.n_anchors) for cell in cells}
    assert found == {("tsh-bre", "kernel-features", 3000)}


def test_all_labels_are_for_the_successors_too():
    cells = asked("all-labels", digits())
    found = {(cell.method, cell.hash_function, cell.n_anchors) for cell in cells}
    sdh = ("sdh", None, 3000)  # as many anchors as two-step hashing has
    assert found == {("tsh-bre", "kernel-features", 3000), sdh}


def test_a_slow_successor_learns_from_all_labels_where_it_is_named():
    cells = asked("all-labels", digits(), methods=("fasthash", "lsh"))
    assert {(cell.method, cell.n_anchors) for cell in cells} == {("fasthash", None)}


def test_methods_that_need_labels_are_not_asked_to_learn_from_neighbours():
    methods = {cell.method for cell in asked("large", digits())}
    assert "ksh" in methods
    assert methods.isdisjoint({"sdh", "itq-cca", "classifier-codes"})


def test_a_method_with_its_own_distance_is_ranked_by_both():
    methods = {cell.method for cell in asked("1", digits())}
    assert {"mdsh", "mdsh:own", "spher", "spher:own", "cghash", "cghash:own"} <= methods


def test_another_loss_is_used_if_the_papers_is_not_requested():
    for part in ("bits", "hash-functions", "all-labels", "examples"):
        cells = asked(part, digits(), methods=("lsh", "tsh-ksh", "tsh-ee"))
        assert {cell.method for cell in cells} - {"lsh"} == {"tsh-ee"}


def test_examples_need_images():
    assert {cell.method for cell in asked("examples", digits())} == {"tsh-bre", "itq"}
    assert asked("examples", several_labels()) == []


@pytest.mark.parametrize(("bits", "chosen"), [((8, 64), 8), ((16, 48), 16), ((24, 40), 24)])
def test_tables_take_the_length_next_to_32(bits, chosen):
    assert replace(ALL, bits=bits).table_bits == chosen


def test_only_the_methods_asked_for_are_planned():
    assert {cell.method for cell in plan(replace(ALL, methods=("lsh",)), digits())} == {"lsh"}


def test_an_unknown_method_is_refused():
    with pytest.raises(ValueError, match=r"method must be one of 'tsh-bre'.*got 'itqq'"):
        check_methods(["itqq"])

"""Laws of the plan: which cells the parts ask for."""

from dataclasses import replace
from itertools import pairwise

import pytest

from hashlearn.experiments import variants
from hashlearn.experiments.coverage import (
    SEEDS,
    SEEDS_AT_OTHER_LENGTHS,
    SEEDS_OF_NEW_LABELS,
    coverage_text,
    why_fewer,
)
from hashlearn.experiments.plan import (
    COMPARED_FUNCTIONS,
    DEFAULT_FUNCTION,
    PARTS,
    Settings,
    all_methods,
    check_methods,
    plan,
)
from hashlearn.experiments.variants import Variant, further_rankings, variant_of
from hashlearn.methods import METHODS
from tests.experiments.small_sets import digits, several_labels, without_labels

ALL = Settings(tuple(PARTS), all_methods(), bits=(8, 32), n_seeds=2)


def asked(part, data, **changes):
    return plan(replace(ALL, parts=(part,), **changes), data)


def test_every_method_of_the_library_has_a_row():
    assert set(METHODS.names()) <= set(all_methods())
    assert {f"tsh-{loss}" for loss in ("ksh", "bre", "splh", "ee", "exph")} < set(all_methods())


def rows_for(data, protocol="usual"):
    """Return all rows that suit labels."""
    rows = {name: variant_of(name) for name in all_methods()}
    return {name for name, row in rows.items() if row is None or row.suits(protocol, data.y)}


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
        (method, seed) for method in rows_for(digits()) for seed in range(2)
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
        assert by_protocol == [rows_for(data)] * 2


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
    others = {("tsh", None, None), ("itq-cca", None, None)}
    assert found == {("tsh-bre", "kernel-features", 3000), sdh, *others}


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


def planned(data, **changes):
    """Return the seeds of every row, protocol and length when everything is asked for."""
    found = {}
    for cell in plan(replace(ALL, n_seeds=None, **changes), data):
        if cell.hash_function in (None, DEFAULT_FUNCTION):
            found.setdefault((cell.method, cell.protocol, cell.n_bits), []).append(cell.seed)
    return {key: max(seeds) + 1 for key, seeds in found.items()}


def test_new_labels_have_more_seeds_and_other_lengths_fewer():
    seeds = planned(several_labels())
    assert seeds["lsh", "usual", 32] == SEEDS
    assert seeds["lsh", "unseen", 32] == SEEDS_OF_NEW_LABELS > SEEDS
    assert seeds["lsh", "usual", 8] == SEEDS_AT_OTHER_LENGTHS <= SEEDS
    assert planned(digits())["lsh", "unseen", 32] == SEEDS


def test_a_slow_method_has_fewer_cells_unless_it_is_named():
    seeds = planned(several_labels())
    assert seeds["fasthash", "usual", 32] == SEEDS
    assert seeds["fasthash", "unseen", 32] == 1
    assert ("fasthash", "usual", 8) not in seeds
    named = planned(several_labels(), methods=("fasthash", "lsh"))
    assert named["fasthash", "usual", 8] == named["lsh", "usual", 8]
    assert "takes minutes" in why_fewer("fasthash")
    assert "FastHash, of which a run takes minutes" in coverage_text()


def test_all_labels_of_a_slow_method_are_for_few_sets_unless_it_is_named():
    one, other = (replace(digits(), name=name) for name in ("cifar10", "mnist"))
    for data, n_cells in ((one, 1), (other, 0)):
        cells = asked("all-labels", data, n_seeds=None)
        assert sum(cell.method == "fasthash" for cell in cells) == n_cells


def test_seeds_asked_for_are_those_of_all_places():
    cells = plan(replace(ALL, methods=("lsh", "tsh"), n_seeds=2), several_labels())
    places = {(cell.method, cell.protocol, cell.n_bits) for cell in cells}
    assert len(cells) == 2 * len(places)


def test_another_ranking_of_the_same_codes_is_at_the_tables_length_only():
    seeds = planned(digits())
    lengths = {n_bits for method, _, n_bits in seeds if method in further_rankings()}
    assert lengths == {32}
    assert {"mdsh:own", "bae:float"} <= further_rankings().keys()


def test_rows_for_several_labels_are_not_asked_of_single_ones(monkeypatch):
    row = Variant("ksh-x", "KSH, x", "ksh", {"n_anchors": 50}, variants.several_labels)
    monkeypatch.setitem(variants._BY_NAME, row.name, row)
    settings = {"methods": ("ksh", "ksh-x", "lsh")}
    methods = [
        {cell.method for cell in asked("1", data, **settings)}
        for data in (digits(), several_labels())
    ]
    assert methods == [{"ksh", "lsh"}, {"ksh", "ksh-x", "lsh"}]


def test_only_the_methods_asked_for_are_planned():
    assert {cell.method for cell in plan(replace(ALL, methods=("lsh",)), digits())} == {"lsh"}


def test_an_unknown_method_is_refused():
    with pytest.raises(ValueError, match=r"method must be one of 'tsh-bre'.*got 'itqq'"):
        check_methods(["itqq"])

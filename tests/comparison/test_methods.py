"""Which methods are compared: all can learn from what there is, and each has a reason."""

import numpy as np
import pytest

from hashlearn.comparison._data import Data, make_truth
from hashlearn.comparison._measuring import Task, measure
from hashlearn.comparison._methods import check_methods, choose_methods
from hashlearn.comparison._truths import IN_USE
from hashlearn.methods import list_methods, make_hasher
from tests.comparison.test_truths import random_pairs

TRUTHS = {
    "vectors": make_truth(300, None, None, 5),
    "labels": make_truth(300, np.arange(300) % 3, None, 5),
    "pairs": make_truth(300, None, random_pairs(), 5),
}


@pytest.mark.parametrize("kind", TRUTHS)
@pytest.mark.parametrize("asked", ["auto", "all"])
def test_methods_can_learn_from_what_there_is_and_have_a_reason(kind, asked):
    chosen = choose_methods(asked, TRUTHS[kind], (8, 16), 64)
    assert len(chosen) >= 4
    assert all(chosen.values())
    for name in chosen:
        assert kind == "labels" or not make_hasher(name).needs_labels


def test_all_are_all_that_can_learn():
    chosen = list(choose_methods("all", TRUTHS["labels"], (8,), 64))
    likely = list(choose_methods("auto", TRUTHS["labels"], (8,), 64))
    assert chosen[: len(likely)] == likely  # the time may not do for all
    assert sorted(chosen) == sorted(list_methods())


def test_more_bits_than_features_ask_for_a_method_that_has_them():
    assert "klsh" not in choose_methods("auto", TRUTHS["vectors"], (8, 64), 64)
    assert "klsh" in choose_methods("auto", TRUTHS["vectors"], (8, 65), 64)


def test_names_are_taken_once_and_in_their_order():
    names = check_methods(["sdh", "itq", "sdh"])
    assert names == ("sdh", "itq")
    assert tuple(choose_methods(names, TRUTHS["labels"], (8,), 64)) == names
    assert check_methods("lsh") == ("lsh",)


@pytest.mark.parametrize("kind", ["vectors", "pairs"])
def test_a_method_that_needs_labels_is_refused_without_them(kind):
    with pytest.raises(ValueError, match="method 'sdh' learns from labels; it cannot learn from"):
        choose_methods(("itq", "sdh"), TRUTHS[kind], (8,), 64)


@pytest.mark.parametrize(
    ("kind", "method"), [("labels", "tsh"), ("labels", "mixed"), ("pairs", "ksh")]
)
def test_what_is_learned_from_labels_and_pairs_is_measured(kind, method):
    X = np.random.RandomState(0).normal(size=(300, 5)).astype(np.float32)
    record = measure(Task(method, 8), Data(X, TRUTHS[kind], "cosine", 5, 0), 1)
    assert {ranking["search"] for ranking in record["rankings"]} == {"hamming", "asymmetric"}
    for ranking in record["rankings"]:
        names = TRUTHS[kind].measures
        assert set(ranking["choosing"]) == {*names, *(IN_USE + name for name in names)}
    assert record["n_training"] == 166


def test_methods_that_use_unlabelled_items_are_measured_beside_others():
    X = np.random.RandomState(0).normal(size=(300, 5)).astype(np.float32)
    y = np.where(np.arange(300) % 2, np.arange(300) % 3, -1)
    data = Data(X, make_truth(300, y, None, 5), "cosine", 5, 0)
    mixed, linear = (measure(Task(name, 8), data, 1)["rankings"] for name in ("mixed", "itq-cca"))
    for ours, theirs in zip(mixed, linear, strict=True):
        assert len(ours["choosing"]["map"]) == len(theirs["choosing"]["map"])

"""Laws of the choice of a share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hashlearn.affinity import NeighborAffinity
from hashlearn.methods.mixed.share import N_SHARES, ShareScores
from tests.methods.mixed.small import digits, mixed

X, y = digits()
eighths = st.integers(0, 8).map(lambda k: k / 8)
# Powers of two: weighed means are equal, or differ by far more than the tolerance.
tables = arrays(float, (2, 9), elements=st.integers(-8, 0).map(lambda k: 2.0**k))


@given(table=tables, weights=st.tuples(eighths, eighths).map(sorted))
def test_a_higher_weight_of_seen_classes_never_serves_them_worse(table, weights):
    scores = ShareScores(np.arange(9), *table)
    low, high = (scores.best(weight) for weight in weights)
    assert scores.seen[high] >= scores.seen[low]
    assert scores.unseen[high] <= scores.unseen[low]


@given(table=tables, weight=eighths)
def test_no_geometric_mean_is_higher_and_of_equals_the_fewest_label_bits_win(table, weight):
    scores = ShareScores(np.arange(9), *table)
    weighed = weight * np.log2(scores.seen) + (1 - weight) * np.log2(scores.unseen)
    best = scores.best(weight)
    assert weighed[best] == weighed[1:].max()  # the first share, no label bits, is not chosen
    assert (weighed[1:best] < weighed[best]).all()


@given(table=arrays(float, (2, 9), elements=st.floats(0.01, 1)), weight=eighths)
def test_no_share_is_better_on_both_sides(table, weight):
    scores = ShareScores(np.arange(9), *table)
    best = scores.best(weight)
    assert not (table[:, 1:] > table[:, [best]] + 1e-12).all(axis=0).any()


def test_a_share_that_could_not_be_measured_is_never_the_best():
    seen = np.array([np.nan, 0.1, 0.2, np.nan])
    assert ShareScores(np.arange(4), seen, seen).best(0.5) == 2


@pytest.fixture(scope="module")
def by_weight():
    X, y = digits(300)
    return {weight: mixed(16, seen_weight=weight).fit(X, y) for weight in (0, 0.5, 1)}


def test_more_weight_on_seen_classes_spends_at_least_as_many_bits_on_labels(by_weight):
    bits = [by_weight[weight].n_label_bits_ for weight in (0, 0.5, 1)]
    assert bits == sorted(bits)


def test_the_weight_changes_the_choice_and_not_what_is_measured(by_weight):
    first = by_weight[0].share_results_
    assert list(first) == ["label_bits", "seen", "unseen"]
    for hasher in by_weight.values():
        for name, values in hasher.share_results_.items():
            np.testing.assert_array_equal(values, first[name])


def test_shares_are_eighths_from_none_to_all(by_weight):
    results = by_weight[0.5].share_results_
    np.testing.assert_array_equal(results["label_bits"], np.arange(0, 17, 2))
    assert len(results["seen"]) == len(results["unseen"]) == N_SHARES
    assert ((results["seen"] > 0) & (results["seen"] <= 1)).all()
    assert by_weight[0.5].n_label_bits_ in results["label_bits"]


def test_what_was_measured_says_what_labels_and_geometry_are_good_for(by_weight):
    results = by_weight[0.5].share_results_
    assert results["seen"][-1] > results["seen"][0]  # labels serve seen classes,
    assert results["unseen"][0] > results["unseen"][-1]  # geometry the others


def test_few_bits_have_fewer_shares():
    hasher = mixed(3).fit(X, y)
    np.testing.assert_array_equal(hasher.share_results_["label_bits"], [0, 1, 2, 3])


def test_a_number_is_taken_as_it_is_and_nothing_is_measured():
    hasher = mixed(8, share=0.25).fit(X, y)
    assert hasher.n_label_bits_ == 2
    assert hasher.share_results_ is None
    assert "2 of 8: as asked" in str(hasher.summary())


def test_pairs_that_join_most_items_get_the_default_share_and_the_summary_says_why():
    hasher = mixed(8).fit(X, affinity=NeighborAffinity.from_data(X, n_neighbors=5))
    assert hasher.n_label_bits_ == 4
    assert "to hold some out" in str(hasher.summary())


def test_three_classes_are_enough_to_hold_one_out():
    three = y < 3
    assert mixed().fit(X[three], y[three]).share_results_ is not None


@pytest.mark.filterwarnings("error::RuntimeWarning", "ignore::UserWarning")
@pytest.mark.parametrize("n_large", [1, 2])
def test_classes_of_one_item_do_not_spoil_what_is_measured(n_large):
    labels = np.where(np.arange(200) < 100, np.arange(200) % n_large, np.arange(200))
    hasher = mixed().fit(X, labels)
    assert "nan" not in str(hasher.summary())
    if hasher.share_results_ is not None:
        assert np.isfinite(hasher.share_results_["unseen"]).all()

"""Weights of items count in bits from labels; an item of weight 0 counts nowhere."""

import numpy as np
import pytest
import scipy.sparse as sp

from hashlearn import make_hasher
from hashlearn.affinity import LabelAffinity
from tests.methods.mixed.small import GRAPH, digits, half_known, mixed

X, y = digits()
KNOWN = half_known(y)
TWICE = np.where(np.arange(200) % 3, 1, 2)


def test_weights_of_labelled_items_count_as_copies_do_in_bits_from_labels():
    weights = np.where(KNOWN < 0, 1, TWICE)
    copies = np.repeat(np.arange(200), weights)
    hasher = mixed(6, share=1, unlabelled="ignore")
    by_copy = hasher.fit(X[copies], KNOWN[copies]).decision_function(X)
    by_weight = hasher.fit(X, KNOWN, sample_weight=weights).decision_function(X)
    np.testing.assert_allclose(by_weight, by_copy, atol=1e-3)
    assert not np.allclose(hasher.fit(X, KNOWN).decision_function(X), by_weight, atol=1e-3)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("share", ["auto", 0.5, 0])
def test_items_of_weight_0_are_left_out_of_everything_but_the_codes(share, form):
    counted = np.arange(200) % 4 != 1
    hasher = mixed(8, share=share).fit(form(X), KNOWN, sample_weight=counted)
    without = mixed(8, share=share).fit(form(X[counted]), KNOWN[counted])
    assert hasher.decisions_ == without.decisions_
    np.testing.assert_array_equal(hasher.transform(form(X)), without.transform(form(X)))
    assert hasher.codes_.shape == (200, 8)


def test_pairs_of_items_of_weight_0_are_left_out():
    counted = np.arange(200) % 4 != 1
    hasher, without = mixed(8, share=0.5), mixed(8, share=0.5)
    hasher.fit(X, affinity=LabelAffinity(y), sample_weight=counted)
    without.fit(X[counted], affinity=LabelAffinity(y[counted]))
    np.testing.assert_array_equal(hasher.transform(X), without.transform(X))


def test_spread_labels_have_the_weight_of_the_items_that_got_them(recorders):
    numbered = np.column_stack([np.arange(200), X])
    weights = 1 + np.arange(200) / 7
    labels, geometry = recorders
    hasher = mixed(8, labels, geometry, share=0.5, unlabelled="spread")
    hasher.fit(numbered, np.where(np.arange(200) % 10, -1, y), sample_weight=weights)
    items, _ = labels.fits[-1]
    assert items.size > 20
    np.testing.assert_array_equal(labels.weights[-1], weights[items])


def test_weights_count_in_partial_fit():
    weights = np.where(np.arange(200) % 3, 1, 5)
    plain, equal, unequal = (mixed(6, share=0.5).fit(X, y) for _ in range(3))
    plain.partial_fit(X, y)
    equal.partial_fit(X, y, sample_weight=np.ones(200))
    unequal.partial_fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(equal.decision_function(X), plain.decision_function(X), atol=1e-6)
    assert not np.allclose(unequal.decision_function(X), plain.decision_function(X))


@pytest.mark.parametrize("weights", [np.ones(3), -np.ones(200), np.zeros(200), np.full(200, 1e13)])
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_what_are_not_weights_is_refused(weights):
    with pytest.raises(ValueError, match=r"sample_weight|Sample weights"):
        mixed(share=0.5).fit(X, KNOWN, sample_weight=weights)


def test_weights_are_refused_where_the_label_hasher_has_none(monkeypatch):
    monkeypatch.setattr(GRAPH, None)  # before any work
    hasher = mixed(6, make_hasher("itq-cca"))
    with pytest.raises(ValueError, match=r"label_hasher=ITQCCA.* does not weigh items.*'tsh'"):
        hasher.fit(X, KNOWN, sample_weight=TWICE)
    hasher.set_params(share=0).fit(X, KNOWN, sample_weight=TWICE)

"""Unlabelled items are learned from where labelled ones show that it helps, and only there."""

import numpy as np
import pytest

from hashlearn.methods._mixed.unlabelled import N_FOLDS, SpreadScores
from tests.methods.mixed.small import CURVED, GRAPH, digits, half_known, misleading, mixed, spirals

BITS = {"n_bits": 6, "label_hasher": CURVED, "geometry_hasher": "lsh", "share": 1.0}


@pytest.mark.parametrize(
    ("scores", "helps"),
    [((0.7, 0.8, 0.04), True), ((0.7, 0.8, 0.06), False), ((0.7, 0.7, 0.0), False)],
)
def test_spreading_helps_where_the_gain_is_above_twice_its_error(scores, helps):
    assert SpreadScores(*scores).helps is helps


@pytest.mark.parametrize(("n_known", "seed"), [(24, 0), (32, 1)])  # labels alone are poor there
def test_labels_spread_along_spirals_and_codes_are_better(n_known, seed):
    X, known, y = spirals(n_known, seed=seed)
    alone = mixed(**BITS, unlabelled="ignore").fit(X, known)
    hasher = mixed(**BITS).fit(X, known)
    results = hasher.spread_results_
    assert list(results)[:3] == ["alone", "spread", "error"]
    assert results["spread"] > results["alone"] + 2 * results["error"]
    assert f"of {np.sum(known < 0)} taught label bits" in hasher.decisions_[1]
    assert hasher.label_hasher_.codes_.shape[0] > 350
    assert hasher.score(X, y) > alone.score(X, y)
    asked = mixed(**BITS, unlabelled="spread").fit(X, known)
    assert asked.spread_results_ is None
    assert "as given" in asked.decisions_[1]


@pytest.mark.parametrize("seed", range(2))
def test_labels_do_not_spread_where_neighbours_mislead(seed):
    X, known, y = misleading(seed=seed)
    hasher, ignored, asked = (
        mixed(6, share=1.0, unlabelled=unlabelled).fit(X, known)
        for unlabelled in ("auto", "ignore", "spread")
    )
    assert hasher.spread_results_["spread"] < hasher.spread_results_["alone"]
    assert " 0 of 240 taught label bits" in hasher.decisions_[1]
    assert hasher.label_hasher_.codes_.shape[0] == 60
    np.testing.assert_array_equal(hasher.transform(X), ignored.transform(X))
    assert asked.score(X, y) < hasher.score(X, y)  # so it was right


def test_a_graph_that_cannot_be_made_is_told_with_what_helps(monkeypatch):
    def missing(*_, **__):
        raise ImportError

    X, y = digits()
    monkeypatch.setattr(GRAPH, missing)
    with pytest.raises(ImportError, match=r"hashlearn\[graph\].*unlabelled='ignore'"):
        mixed(share=0.5).fit(X, half_known(y))


def test_hidden_items_are_never_learned_from(recorders):
    X, y = digits()
    numbered = np.column_stack([np.arange(200), X])
    known = half_known(y)
    labels, geometry = recorders
    mixed(8, labels, geometry, share=0.5).fit(numbered, known)
    *tried, _ = labels.fits
    labelled = set(np.flatnonzero(known >= 0))
    assert len(tried) == 2 * N_FOLDS
    asked_for = []
    for (alone, _), (spread, _) in zip(tried[::2], tried[1::2], strict=True):
        assert set(alone) < labelled
        assert set(alone) <= set(spread)
        assert set(spread) & labelled == set(alone)
        assert len(spread) > len(alone)
        asked_for.append(labelled - set(alone))
    assert all(len(hidden) == 100 // N_FOLDS for hidden in asked_for)
    assert set.union(*asked_for) == labelled  # each once


def test_unlabelled_items_teach_geometry_whatever_is_decided(recorders):
    X, y = digits()
    numbered = np.column_stack([np.arange(200), X])
    for unlabelled in ("auto", "spread", "ignore"):
        hasher = mixed(8, *recorders, share=0.5, unlabelled=unlabelled)
        hasher.fit(numbered, half_known(y))
        assert sorted(recorders[1].fits[-1][0]) == list(range(200))


def test_too_few_labels_to_hide_some_are_not_spread_and_the_summary_says_why():
    X, known, _ = spirals(n_known=6)
    hasher = mixed(**BITS).fit(X, known)
    assert hasher.spread_results_ is None
    assert "too few labels" in str(hasher.summary())


@pytest.mark.filterwarnings("error::RuntimeWarning", "ignore::UserWarning")
def test_labels_that_no_two_items_share_say_nothing_of_spreading():
    X, _ = digits()
    known = np.where(np.arange(200) < 30, np.arange(200), -1)
    hasher = mixed(share=0.5).fit(X, known)
    assert "nan" not in str(hasher.summary())
    assert hasher.label_hasher_.codes_.shape[0] == 30


def test_nothing_is_decided_where_every_item_has_a_label():
    X, y = digits()
    for unlabelled in ("auto", "spread", "ignore"):
        hasher = mixed(share=0.5, unlabelled=unlabelled).fit(X, y)
        assert len(hasher.decisions_) == 1
        assert hasher.spread_results_ is None


@pytest.mark.parametrize("share", [0, 0.5])
def test_no_graph_is_made_where_no_label_may_spread(share, monkeypatch):
    X, y = digits()
    made = []
    monkeypatch.setattr(GRAPH, lambda *_, **__: made.append(1))
    mixed(share=share, unlabelled="auto" if share == 0 else "ignore").fit(X, half_known(y))
    mixed(share=share).fit(X, y)
    mixed(share=share).fit(X)
    assert not made

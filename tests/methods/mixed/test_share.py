"""Laws of the choice of a share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hashlearn.affinity import LabelAffinity, NeighborAffinity, SparseAffinity
from hashlearn.methods._mixed.scores import MOST_LOST, ShareScores
from hashlearn.methods._mixed.share import MAX_ITEMS, N_SHARES, N_TRIALS, hold_out
from hashlearn.methods._mixed.supervision import LabelSupervision, PairSupervision
from tests.methods.mixed.small import digits, half_known, mixed

X, y = digits()
eighths = st.integers(0, 8).map(lambda k: k / 8)
BITS = np.arange(0, 33, 4)
tables = arrays(float, (2, 9), elements=st.floats(0.01, 1))


@given(table=tables, weights=st.tuples(eighths, eighths).map(sorted))
def test_a_higher_weight_of_seen_classes_never_serves_them_worse(table, weights):
    scores = ShareScores(np.arange(9), *table)
    low, high = (scores.best(weight) for weight in weights)
    seen, unseen = scores.smoothed()
    assert seen[high] >= seen[low]
    assert unseen[high] <= unseen[low]


@given(table=tables)
def test_of_shares_that_cost_seen_classes_little_the_best_for_others_is_used(table):
    scores = ShareScores(np.arange(9), *table)
    seen, unseen = (values[1:] for values in scores.smoothed())  # no label bits: never chosen
    best = scores.best(0.5) - 1
    allowed = seen >= (1 - MOST_LOST) * seen.max()
    assert allowed[best]
    assert unseen[best] == unseen[allowed].max()
    assert seen[scores.best(1) - 1] == seen.max()
    assert unseen[scores.best(0) - 1] == unseen.max()


@given(table=tables, weight=eighths)
def test_no_share_is_better_on_both_sides(table, weight):
    scores = ShareScores(np.arange(9), *table)
    best, smoothed = scores.best(weight), np.array(scores.smoothed())
    assert not (smoothed[:, 1:] > smoothed[:, [best]]).all(axis=0).any()


def test_of_equals_the_fewest_label_bits_win():
    assert ShareScores(np.arange(4), np.ones(4), np.ones(4)).best(0.5) == 1


def test_measurements_on_a_smooth_curve_stay_and_noise_is_taken_out():
    bits = np.arange(0, 33, 4)
    curve = 0.4 + 0.03 * bits - 0.0008 * bits**2 + 0.000005 * bits**3
    noise = 0.03 * (-1.0) ** np.arange(9)
    np.testing.assert_allclose(ShareScores(bits, curve, curve).smoothed()[0], curve)
    smoothed = ShareScores(bits, curve + noise, curve).smoothed()[0]
    assert np.abs(smoothed - curve).mean() < 0.4 * np.abs(noise).mean()
    curve[3] = np.nan
    assert np.isnan(ShareScores(bits, curve, curve).smoothed()[0][3])
    few = np.array([0.1, 0.7, 0.2])
    np.testing.assert_array_equal(ShareScores(np.arange(3), few, few).smoothed(), [few, few])


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
    assert "2 of 8: as given" in str(hasher.summary())


def test_pairs_that_join_most_items_get_the_default_share_and_the_summary_says_why():
    hasher = mixed(8).fit(X, affinity=NeighborAffinity.from_data(X, n_neighbors=5))
    assert hasher.n_label_bits_ == 4
    assert "to hold some out" in str(hasher.summary())


# measured on few labels of 77 classes of questions, and on many labels of seven digits
MANY_CLASSES = (
    [0.529, 0.634, 0.729, 0.799, 0.825, 0.849, 0.847, 0.851, 0.850],
    [0.545, 0.538, 0.513, 0.510, 0.487, 0.467, 0.450, 0.406, 0.383],
)
FEW_CLASSES = (
    [0.622, 0.751, 0.844, 0.891, 0.906, 0.917, 0.915, 0.918, 0.921],
    [0.603, 0.637, 0.625, 0.621, 0.595, 0.585, 0.549, 0.528, 0.500],
)


@given(table=tables, n_classes=st.integers(1, 5000))
def test_label_bits_are_enough_to_keep_codes_of_classes_apart(table, n_classes):
    scores = ShareScores(BITS, *table)
    n_label_bits = BITS[scores.best(0.5, n_classes)]
    assert n_label_bits >= min(3 * np.log2(n_classes), 24)
    assert scores.best(0, n_classes) == scores.best(0)  # unless seen classes do not count


def test_many_classes_get_more_label_bits_than_few():
    many, few = (ShareScores(BITS, *map(np.array, each)) for each in (MANY_CLASSES, FEW_CLASSES))
    assert many.label_bits[many.best(0.5)] == 20  # half of them cost seen classes three percent
    assert few.label_bits[few.best(0.5)] == 16


def test_shares_are_tried_with_labels_that_spread_if_they_do(recorders):
    X, y = digits()
    numbered = np.column_stack([np.arange(200), X])
    known = np.where(np.arange(200) % 4, -1, y)
    tried = {}
    for unlabelled in ("spread", "ignore"):
        recorders[0].fits.clear()
        mixed(8, *recorders, unlabelled=unlabelled).fit(numbered, known)
        tried[unlabelled] = [items for items, _ in recorders[0].fits[:-1]]
    assert all((known[items] >= 0).all() for items in tried["ignore"])
    assert all((known[items] < 0).any() for items in tried["spread"])


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


def trials_of(y, seed=0):
    return hold_out(LabelSupervision(y), np.random.RandomState(seed))


@given(n_classes=st.integers(3, 12), seed=st.integers(0, 1000))
def test_every_class_is_unseen_once_and_never_where_it_is_learned(n_classes, seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(n_classes), 30))
    y[rng.random(y.size) < 0.2] = -1
    trials = trials_of(y, seed)
    assert len(trials) == N_TRIALS
    unseen = [set(y[trial.unseen]) for trial in trials]
    assert sorted(label for labels in unseen for label in labels) == list(range(n_classes))
    for trial, held_out in zip(trials, unseen, strict=True):
        assert held_out.isdisjoint(y[trial.training])
        assert held_out.isdisjoint(y[trial.seen])
        items = np.concatenate(trial)
        assert np.unique(items).size == items.size
        assert (y[items] >= 0).all()


def test_an_item_with_seen_and_unseen_labels_is_in_neither_part():
    rng = np.random.default_rng(0)
    Y = (rng.random((300, 6)) < 0.3).astype(int)
    trials = trials_of(Y)
    assert len(trials) == N_TRIALS
    for trial in trials:
        held_out = Y[trial.unseen].any(axis=0)
        known = Y[np.concatenate([trial.training, trial.seen])].any(axis=0)
        assert not (held_out & known).any()
        assert Y[trial.unseen].any(axis=1).all()


def test_a_trial_takes_a_bounded_number_of_items():
    trials = trials_of(np.arange(4 * MAX_ITEMS) % 5)
    assert max(sum(map(len, trial)) for trial in trials) <= MAX_ITEMS


@pytest.mark.parametrize(
    "y",
    [np.arange(100) % 2, np.arange(8) % 4, np.full(20, -1), np.where(np.arange(90) < 80, 0, 1)],
    ids=["two classes", "two items each", "no labels", "one class and a rest"],
)
def test_nothing_is_held_out_of_too_few_classes_or_items(y):
    assert trials_of(y) == []


def test_sets_that_pairs_connect_are_held_out_as_classes_are():
    y = np.arange(120) % 4
    chains = [(i, i + 4, 1) for i in range(116)]
    borders = [(i, i + 1, -1) for i in range(119)]
    pairs = SparseAffinity.from_pairs(chains + borders, n_items=120)
    trials = hold_out(PairSupervision(pairs), np.random.RandomState(0))
    assert len(trials) == N_TRIALS
    for trial in trials:
        assert set(y[trial.unseen]).isdisjoint(y[np.concatenate([trial.training, trial.seen])])


def test_an_affinity_of_labels_is_held_out_as_its_labels_are():
    y = np.arange(90) % 5
    by_label, by_pair = (
        hold_out(supervision, np.random.RandomState(0))
        for supervision in (LabelSupervision(y), PairSupervision(LabelAffinity(y)))
    )
    for one, other in zip(by_label, by_pair, strict=True):
        for items, others in zip(one, other, strict=True):
            np.testing.assert_array_equal(items, others)


def test_what_is_asked_for_is_learned_by_neither_part(recorders):
    X, y = digits()
    numbered = np.column_stack([np.arange(200), X])
    known = half_known(y)
    labels, geometry = recorders
    hasher = mixed(8, labels, geometry, unlabelled="ignore").fit(numbered, known)
    trials = without_last(labels.fits, hasher.label_hasher_)
    for items, given_labels in trials:
        np.testing.assert_array_equal(given_labels, y[items])
        assert (known[items] >= 0).all()
        assert len(set(y) - set(y[items])) in (3, 4)  # of ten classes
    learned = {frozenset(items) for items, _ in trials}
    assert len(learned) == N_TRIALS
    by_geometry = {
        frozenset(item for item in items if known[item] >= 0)
        for items, _ in without_last(geometry.fits, hasher.geometry_hasher_)
    }
    assert by_geometry == learned


def without_last(fits, part):
    """Return fits but the one that counts, where the part has bits."""
    return fits if part is None else fits[:-1]


def test_of_very_many_classes_some_are_taken_with_all_their_items():
    y = np.arange(9000) % 1000
    trials = hold_out(LabelSupervision(y), np.random.RandomState(0))
    for trial in trials:
        unseen, counts = np.unique(y[trial.unseen], return_counts=True)
        assert unseen.size in (33, 34)
        assert (counts == 9).all()


def test_all_classes_are_taken_if_their_items_are_few():
    y = np.arange(1200) % 300
    trials = hold_out(LabelSupervision(y), np.random.RandomState(0))
    assert sum(np.unique(y[trial.unseen]).size for trial in trials) == 300

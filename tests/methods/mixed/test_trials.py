"""Laws of classes that are held out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.affinity import LabelAffinity, SparseAffinity
from hashlearn.methods.mixed.supervision import LabelSupervision, PairSupervision
from hashlearn.methods.mixed.trials import MAX_ITEMS, N_TRIALS, hold_out
from tests.methods.mixed.small import digits, half_known, mixed


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

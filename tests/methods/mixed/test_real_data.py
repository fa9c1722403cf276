"""Mixed codes on samples of real sets: seen and unseen classes, few labels and many items."""

import numpy as np
import pytest

import data
from hashlearn import MixedHasher, TwoStepHasher
from hashlearn.hash_functions import RBFSVMHash
from tests.methods.mixed.small import LINEAR

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def mnist(data_folder):
    """Return some of the images, of half the width and height."""
    X, y = data.mnist()
    chosen = np.random.default_rng(0).choice(len(y), 3000, replace=False)
    small = X[chosen].reshape(-1, 14, 2, 14, 2).mean(axis=(2, 4), dtype=np.float32)
    return small.reshape(-1, 196) / 255, y[chosen].astype(int)  # uint8 has no -1


@pytest.fixture(scope="module")
def scores(mnist):
    """Return what each share reaches on seen and on unseen classes of other items."""
    X, y = mnist
    unseen = np.isin(y, (3, 5, 8))
    training = np.flatnonzero(~unseen[:800])
    tests = [np.flatnonzero(part[1000:]) + 1000 for part in (~unseen, unseen)]
    hashers = {
        share: MixedHasher(32, LINEAR, share=share, random_state=0).fit(X[training], y[training])
        for share in ("auto", 0.0, 1.0)
    }
    return {
        share: [hasher.score(X[items], y[items]) for items in tests]
        for share, hasher in hashers.items()
    }


def test_the_chosen_share_serves_seen_classes_better_than_geometry(scores):
    assert scores["auto"][0] > scores[0.0][0] + 0.1


def test_the_chosen_share_serves_unseen_classes_better_than_labels(scores):
    assert scores["auto"][1] > scores[1.0][1] + 0.02


def gains(mnist, ways):
    """Return how much more than known items alone some uses of unlabelled items reach."""
    X, y = mnist
    known = np.where(np.arange(2000) < 300, y[:2000], -1)
    part = TwoStepHasher(hash_function=RBFSVMHash(C=10.0, sigma=4.0))
    found = {}
    for unlabelled in (*ways, "ignore"):
        hasher = MixedHasher(16, part, share=1.0, unlabelled=unlabelled, random_state=0)
        found[unlabelled] = hasher.fit(X[:2000], known).score(X[2000:], y[2000:])
    return [found[way] - found["ignore"] for way in ways]


def test_unlabelled_items_of_mnist_help(mnist):
    assert gains(mnist, ["spread"])[0] > 0.02


@pytest.mark.slow  # test_unlabelled.py has the law on small sets
def test_the_choice_of_unlabelled_items_of_mnist_never_hurts(mnist):
    assert gains(mnist, ["auto"])[0] > -0.005


def test_label_sets_of_reports_are_learned_from_few_of_them(data_folder):
    X, Y = data.tmc2007()
    chosen = np.random.default_rng(0).choice(X.shape[0], 1200, replace=False)
    X, Y = X[chosen].astype(np.float32), Y[chosen].astype(int)
    known = Y[:600].copy()
    known[300:] = -1
    hasher = MixedHasher(16, LINEAR, random_state=0).fit(X[:600], known)
    geometry = MixedHasher(16, LINEAR, share=0, random_state=0).fit(X[:600])
    assert len(hasher.share_results_["seen"]) == 9
    assert hasher.score(X[600:], Y[600:]) > geometry.score(X[600:], Y[600:]) - 0.01

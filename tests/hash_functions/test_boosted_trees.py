"""Laws of boosted trees: AdaBoost's rounds, scikit-learn's trees, weights, trimming and cuts."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits
from sklearn.tree import DecisionTreeClassifier

from hashlearn.hash_functions import BoostedStumpsHash, BoostedTreesHash
from hashlearn.hash_functions._stumps import MAX_LEVELS
from hashlearn.hash_functions._trees import NO_CUT, best_cuts, heaviest, quantise

seeds = st.integers(0, 10_000)
FITTED = ["features_", "thresholds_", "votes_", "alphas_"]


def random_problem(seed, n_samples=60, n_features=4, n_bits=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_samples, n_features)), rng.integers(0, 2, (n_samples, n_bits))


def tree_votes(trees, X):
    """The votes h_r(x) by walking each tree, (n_machines, n_rounds, n)."""
    n_machines, n_rounds, n_inner = trees.features_.shape
    votes = np.empty((n_machines, n_rounds, len(X)))
    for j, r, i in np.ndindex(votes.shape):
        node = 0
        while node < n_inner:
            above = X[i, trees.features_[j, r, node]] > trees.thresholds_[j, r, node]
            node = 2 * node + (2 if above else 1)
        votes[j, r, i] = trees.votes_[j, r, node - n_inner]
    return votes


@settings(max_examples=30)
@given(seed=seeds, n_samples=st.integers(2, 40), max_depth=st.integers(1, 4), trim=st.booleans())
def test_every_round_is_a_round_of_adaboost(seed, n_samples, max_depth, trim):
    """A tree better than chance, its alpha, and weights under which it is just chance."""
    X, codes = random_problem(seed, n_samples, n_bits=1)
    trimming = 0.7 if trim else 1.0
    weights = np.random.default_rng(seed).uniform(0.5, 2, codes.shape)
    trees = BoostedTreesHash(6, max_depth, trimming=trimming)
    trees.fit(X, codes, sample_weight=weights)
    if trees.machine_[0] < 0:
        return
    z, w = np.where(codes[:, 0] > 0, 1, -1) * trees.sign_[0], weights[:, 0] / weights.sum()
    for h, alpha in zip(tree_votes(trees, X)[0], trees.alphas_[0], strict=True):
        if alpha == 0:
            break
        error = w[h != z].sum()
        assert error < 0.5
        if error < 1e-9:
            assert alpha > 5  # perfect: the last one
            continue
        assert alpha == pytest.approx(np.log((1 - error) / error) / 2, rel=1e-6)
        w = w * np.exp(-alpha * z * h)
        w /= w.sum()
        assert w[h != z].sum() == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize("max_depth", [1, 2, 4])
@pytest.mark.parametrize("seed", range(5))
def test_a_tree_is_scikit_learns(seed, max_depth):
    X, codes = random_problem(seed, n_samples=200, n_bits=1)
    weights = np.random.default_rng(seed).uniform(0.5, 2, codes.shape)  # no two cuts are equal
    trees = BoostedTreesHash(1, max_depth, trimming=1.0).fit(X, codes, sample_weight=weights)
    peer = DecisionTreeClassifier(max_depth=max_depth)
    peer.fit(X, codes[:, 0], sample_weight=weights[:, 0])
    bits = trees.decision_function(X)[:, 0] > 0
    np.testing.assert_array_equal(bits, peer.predict(X))


@settings(max_examples=20)
@given(seed=seeds, dtype=st.sampled_from([np.float32, np.float64]))
def test_a_margin_is_the_weighted_sum_of_votes(seed, dtype):
    X, codes = random_problem(seed, n_samples=30)
    trees = BoostedTreesHash(4, 3).fit(X.astype(dtype), codes)
    unseen = random_problem(seed + 1, n_samples=20)[0].astype(dtype)
    margins = np.einsum("mr,mrn->nm", trees.alphas_, tree_votes(trees, unseen))
    expected = margins[:, trees.machine_] * trees.sign_
    np.testing.assert_allclose(trees.decision_function(unseen), expected, atol=1e-12)


def test_trees_learn_what_no_sum_of_stumps_can():
    X = np.random.default_rng(0).normal(size=(300, 2))
    codes = (X[:, :1] * X[:, 1:] > 0).astype(int)
    stumps, trees = BoostedStumpsHash(50).fit(X, codes), BoostedTreesHash(50).fit(X, codes)
    errors = [((h.decision_function(X) > 0) != codes).mean() for h in (stumps, trees)]
    assert errors[0] > 0.2
    assert errors[1] == 0


def test_unseen_digits_get_their_bits():
    X, y = load_digits(return_X_y=True)
    codes = np.random.default_rng(0).integers(0, 2, size=(10, 4))[y]
    trees = BoostedTreesHash(60).fit(X[:1000], codes[:1000])
    assert ((trees.decision_function(X[1000:]) > 0) != codes[1000:]).mean() < 0.05


def test_trees_do_not_depend_on_n_jobs_nor_on_other_bits():
    X, codes = random_problem(0, n_samples=300, n_features=30)
    one, two = (BoostedTreesHash(10, n_jobs=n_jobs).fit(X, codes) for n_jobs in (1, 2))
    alone = BoostedTreesHash(10).fit(X, codes[:, 1:2])
    for name in FITTED:
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
        np.testing.assert_array_equal(getattr(one, name)[1], getattr(alone, name)[0])


def test_bits_of_items_without_weight_do_not_matter():
    X, codes = random_problem(0)
    weights = np.ones(codes.shape)
    weights[:20] = 0
    flipped = np.where(weights > 0, codes, 1 - codes)
    one, two = (BoostedTreesHash(5).fit(X, c, sample_weight=weights) for c in (codes, flipped))
    np.testing.assert_array_equal(one.decision_function(X) > 0, two.decision_function(X) > 0)


@given(seed=seeds, n=st.integers(1, 30), share=st.floats(0.01, 0.999))
def test_trimming_keeps_the_fewest_items_that_hold_the_share(seed, n, share):
    w = np.random.default_rng(seed).exponential(size=n)
    kept = heaviest(w, share)
    assert w[kept].sum() >= share * w.sum() * (1 - 1e-12)
    without_one = w[kept].sum() - w[kept].min()
    assert without_one < share * w.sum() * (1 + 1e-12)
    assert np.setdiff1d(w, w[kept]).max(initial=0) <= w[kept].min()


def test_items_that_all_look_the_same_get_the_more_frequent_bit():
    codes = np.array([[1, 0]] * 5 + [[0, 1]] * 2)
    trees = BoostedTreesHash().fit(np.ones((7, 3)), codes)
    assert (trees.decision_function(np.ones((2, 3))) > 0).tolist() == [[True, False]] * 2


@pytest.mark.parametrize(
    ("params", "error"),
    [
        ({"n_rounds": 0}, ValueError),
        ({"n_rounds": 2.5}, TypeError),
        ({"max_depth": 9}, ValueError),
        ({"n_bins": 257}, ValueError),
        ({"trimming": 0.0}, ValueError),
        ({"trimming": "x"}, ValueError),
    ],
)
def test_parameters_out_of_range_are_refused(params, error):
    with pytest.raises(error, match=next(iter(params))):
        BoostedTreesHash(**params).fit(*random_problem(0))


def test_items_that_do_not_fit_are_refused():
    X, codes = random_problem(0)
    with pytest.raises(TypeError, match="dense"):
        BoostedTreesHash().fit(sp.csr_matrix(X), codes)
    with pytest.raises(ValueError, match="NaN"):
        BoostedTreesHash().fit(np.where(X > 2, np.nan, X), codes)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        BoostedTreesHash().fit(X[:-1], codes)
    trees = BoostedTreesHash(1).fit(X, codes)
    with pytest.raises(ValueError, match="3 features"):
        trees.decision_function(X[:, :3])


@given(seed=seeds, n_levels=st.integers(2, 256), n_values=st.sampled_from([1, 3, 1000]))
def test_levels_say_on_which_side_of_each_cut_a_value_lies(seed, n_levels, n_values):
    X = np.random.default_rng(seed).integers(0, n_values, (50, 2)) / 7
    levels = quantise(X, n_levels)
    for f in range(2):
        assert levels.n_levels[f] <= n_levels
        for v in range(levels.n_levels[f] - 1):
            above = X[:, f] > levels.cuts[f, v]
            np.testing.assert_array_equal(levels.level[f] > v, above)
            assert 0 < above.sum() < 50
        assert np.isinf(levels.cuts[f, NO_CUT])


def purity(z, w):
    """The sum over a node of what the Gini index loses: (p - q)^2 / (p + q)."""
    return (z @ w) ** 2 / w.sum() if w.sum() > 0 else 0.0


@given(seed=seeds, n=st.integers(1, 40), n_nodes=st.sampled_from([1, 2, 4]))
def test_the_best_cut_is_that_of_brute_force(seed, n, n_nodes):
    rng = np.random.default_rng(seed)
    levels = quantise(rng.integers(0, 6, (n, 3)).astype(float), 256)
    z, w = rng.choice([-1, 1], n), rng.uniform(0.1, 1, n)
    node = rng.integers(0, n_nodes, n).astype(np.uint32)
    gains, cuts = np.empty((3, n_nodes)), np.empty((3, n_nodes), dtype=np.int64)
    slot = (2 * node + (z > 0)) * np.uint32(MAX_LEVELS)
    best_cuts(levels, np.arange(n, dtype=np.uint32), slot, w, gains, cuts, 0, 3)
    for f in range(3):
        for j in range(n_nodes):
            level, z_j, w_j = levels.level[f][node == j], z[node == j], w[node == j]

            def gain(v, level=level, z_j=z_j, w_j=w_j):
                low = level <= v
                parts = purity(z_j[low], w_j[low]) + purity(z_j[~low], w_j[~low])
                return parts - purity(z_j, w_j)

            best = max([gain(v) for v in range(levels.n_levels[f] - 1)], default=0)
            np.testing.assert_allclose(gains[f, j], best, atol=1e-9)
            np.testing.assert_allclose(gain(cuts[f, j]), best, atol=1e-9)

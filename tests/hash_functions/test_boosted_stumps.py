import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from hashlearn.hash_functions.boosted_stumps import BoostedStumpsHash

seeds = st.integers(0, 2**32 - 1)
FITTED = ["features_", "thresholds_", "polarities_", "alphas_"]


def random_problem(seed, n_samples=60, n_features=4, n_bits=3, n_values=None):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_samples, n_features))
    if n_values is not None:
        X = random.integers(0, n_values, size=X.shape).astype(np.float64)
    return X, random.integers(0, 2, size=(n_samples, n_bits))


def digits_problem(n_bits=8):
    X, y = load_digits(return_X_y=True)
    return X, np.random.default_rng(0).integers(0, 2, size=(10, n_bits))[y]


def stump_votes(hash_function, X):
    """The votes h_r(x) in plain NumPy, (n_machines, n_rounds, n)."""
    x = np.moveaxis(X[:, hash_function.features_], 0, -1)
    above = np.where(x > hash_function.thresholds_[..., None], 1, -1)
    return above * hash_function.polarities_[..., None]


def least_error(X, z, weight):
    stumps = [np.full(len(X), 1)]
    stumps += [np.where(x > t, 1, -1) for x in X.T for t in np.unique(x)]
    return min(weight[p * h != z].sum() for h in stumps for p in (-1, 1))


def bit_error(hash_function, X, codes):
    return ((hash_function.decision_function(X) > 0) != codes).mean()


@given(seed=seeds, n_samples=st.integers(1, 40), n_values=st.integers(1, 9))
def test_every_round_is_a_round_of_adaboost(seed, n_samples, n_values):
    """Best stump, its alpha, and weights under which that stump does not beat chance."""
    X, codes = random_problem(seed, n_samples, n_values=n_values)
    hash_function = BoostedStumpsHash(n_rounds=6).fit(X, codes)
    for machine in range(hash_function.machine_.max() + 1):
        (bit, *_) = np.flatnonzero(hash_function.machine_ == machine)
        z = np.where(codes[:, bit] > 0, 1, -1) * hash_function.sign_[bit]
        weight = np.full(n_samples, 1 / n_samples)
        votes = stump_votes(hash_function, X)[machine]
        for h, alpha in zip(votes, hash_function.alphas_[machine], strict=True):
            if alpha == 0:
                assert least_error(X, z, weight) > 0.5 - 1e-9 or np.all(votes[0] == z)
                break
            error = weight[h != z].sum()
            assert error == pytest.approx(least_error(X, z, weight), abs=1e-9)
            if error == 0:
                continue  # perfect: the machine has stopped
            assert alpha == pytest.approx(np.log((1 - error) / error) / 2, rel=1e-6)
            weight = weight * np.exp(-alpha * z * h)
            weight /= weight.sum()
            assert weight[h != z].sum() == pytest.approx(0.5, abs=1e-6)


@given(seed=seeds, n_values=st.sampled_from([2, 50, None]))
def test_a_margin_is_the_weighted_sum_of_votes(seed, n_values):
    X, codes = random_problem(seed, n_values=n_values)
    hash_function = BoostedStumpsHash(n_rounds=10).fit(X, codes)
    unseen = random_problem(seed + 1)[0]
    votes = stump_votes(hash_function, unseen)
    margins = np.einsum("mr,mrn->nm", hash_function.alphas_, votes)
    expected = margins[:, hash_function.machine_] * hash_function.sign_
    np.testing.assert_allclose(hash_function.decision_function(unseen), expected, atol=1e-12)


def test_training_error_is_no_worse_than_scikit_learns_adaboost():
    X, codes = digits_problem(n_bits=2)
    peer = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=60)
    peer_error = np.mean([(clone(peer).fit(X, bit).predict(X) != bit).mean() for bit in codes.T])
    ours = bit_error(BoostedStumpsHash(n_rounds=60).fit(X, codes), X, codes)
    assert ours <= peer_error + 0.003  # another choice among equal stumps may cost a few items


def test_more_distinct_values_than_bins_cost_little():
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 5))
    codes = (X[:, :2] + 0.3 * X[:, 2:4] > 0.1).astype(int)
    exact = bit_error(BoostedStumpsHash(n_rounds=40).fit(X, codes), X, codes)
    coarse = bit_error(BoostedStumpsHash(n_rounds=40, n_bins=32).fit(X, codes), X, codes)
    assert exact < 0.05
    assert coarse < exact + 0.02


def test_jobs_do_not_change_the_result():
    X, codes = digits_problem(n_bits=37)
    one = BoostedStumpsHash(n_rounds=8).fit(X, codes)
    rows = np.tile(X, (5, 1))  # enough for more than one thread
    margins = one.decision_function(rows)
    for n_jobs in (2, 3, -1):
        many = BoostedStumpsHash(n_rounds=8, n_jobs=n_jobs).fit(X, codes)
        for name in FITTED:
            np.testing.assert_array_equal(getattr(one, name), getattr(many, name))
        np.testing.assert_array_equal(margins, many.decision_function(rows))


def test_a_margin_does_not_depend_on_the_batch():
    X, codes = digits_problem()
    hash_function = BoostedStumpsHash(n_rounds=10).fit(X, codes)
    whole = hash_function.decision_function(X)
    for batch, n in ((1, 100), (7, 700), (64, 700), (500, 1000)):
        batches = [hash_function.decision_function(X[i : i + batch]) for i in range(0, n, batch)]
        np.testing.assert_array_equal(np.concatenate(batches), whole[: sum(map(len, batches))])


def test_float32_and_float64_items_get_the_same_stumps():
    X, codes = random_problem(0, n_samples=2000)
    X = X.astype(np.float32)
    single = BoostedStumpsHash(n_rounds=20).fit(X, codes)
    double = BoostedStumpsHash(n_rounds=20).fit(X.astype(np.float64), codes)
    for name in FITTED:
        np.testing.assert_array_equal(getattr(single, name), getattr(double, name))
    np.testing.assert_array_equal(single.decision_function(X), double.decision_function(X))


def test_memory_order_does_not_change_the_result():
    X, codes = random_problem(0)
    plain = BoostedStumpsHash(n_rounds=5).fit(X, codes).decision_function(X)
    X, codes = np.asfortranarray(X), np.asfortranarray(codes)
    other = BoostedStumpsHash(n_rounds=5).fit(X, codes).decision_function(X)
    np.testing.assert_array_equal(plain, other)


def test_items_that_must_not_be_written_are_read():
    X, codes = random_problem(0)
    X.flags.writeable = False
    codes.flags.writeable = False
    assert bit_error(BoostedStumpsHash().fit(X, codes), X, codes) < 0.1


def test_more_items_than_sixteen_bits_can_count():
    x = np.random.default_rng(0).permutation(70_000) / 8.0
    hash_function = BoostedStumpsHash(n_rounds=2).fit(x[:, None], (x > 4000)[:, None])
    assert bit_error(hash_function, x[:, None], (x > 4000)[:, None]) < 1 / 256


def test_a_perfect_stump_ends_the_machine():
    X = np.array([[0.0], [1.0], [4.0]])
    hash_function = BoostedStumpsHash(n_rounds=5).fit(X, np.array([[1], [1], [0]]))
    assert np.count_nonzero(hash_function.alphas_) == 1
    assert hash_function.thresholds_[0, 0] == 2.5
    assert np.all(hash_function.decision_function([[2.4], [2.6]]) * [[1], [-1]] > 0)


def test_a_machine_that_stops_leaves_the_others_alone():
    X, codes = random_problem(0)
    alone = BoostedStumpsHash(n_rounds=9).fit(X, codes[:, 1:]).decision_function(X)
    codes[:, 0] = X[:, 0] > 0
    beside = BoostedStumpsHash(n_rounds=9).fit(X, codes).decision_function(X)
    np.testing.assert_array_equal(alone, beside[:, 1:])


def test_items_that_cannot_be_told_apart_get_the_majority_bit():
    codes = np.array([[1, 0, 1], [1, 0, 0], [1, 1, 0], [1, 0, 1]])
    hash_function = BoostedStumpsHash().fit(np.ones((4, 2)), codes)
    bits = hash_function.decision_function(np.ones((2, 2))) > 0
    np.testing.assert_array_equal(bits, [[1, 0, 0]] * 2)  # the even one has no margin


def test_constant_features_are_never_used():
    X, codes = random_problem(0)
    plain = BoostedStumpsHash(n_rounds=5).fit(X, codes).decision_function(X)
    padded = np.insert(X, [2, 4], 7.0, axis=1)
    hash_function = BoostedStumpsHash(n_rounds=5).fit(padded, codes)
    np.testing.assert_array_equal(hash_function.decision_function(padded), plain)


def test_one_feature_with_alternating_bits_is_learnt():
    x = np.arange(6.0)[:, None]
    codes = np.array([[0, 1, 0, 1, 0, 1]]).T
    assert bit_error(BoostedStumpsHash(n_rounds=100).fit(x, codes), x, codes) == 0


@pytest.mark.parametrize("n_samples", [1, 2, 3])
def test_few_items_are_enough(n_samples):
    X, codes = np.eye(3)[:n_samples], np.eye(3, dtype=int)[:n_samples]
    assert bit_error(BoostedStumpsHash().fit(X, codes), X, codes) == 0


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_rounds": 0}, "n_rounds must be .* at least 1; got 0"),
        ({"n_rounds": 2.5}, "n_rounds must be an integer .*; got 2.5"),
        ({"n_bins": 1}, "n_bins must be .* from 2 to 256; got 1"),
        ({"n_bins": 257}, "n_bins must be .* from 2 to 256; got 257"),
        ({"n_bins": True}, "n_bins must be an integer .*; got True"),
    ],
)
def test_parameters_out_of_range_are_refused(params, message):
    with pytest.raises(ValueError, match=message):
        BoostedStumpsHash(**params).fit(*random_problem(0))


def test_items_that_do_not_fit_are_refused():
    X, codes = random_problem(0)
    with pytest.raises(TypeError, match="dense"):
        BoostedStumpsHash().fit(sp.csr_matrix(X), codes)
    with pytest.raises(ValueError, match="NaN"):
        BoostedStumpsHash().fit(np.where(X > 2, np.nan, X), codes)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        BoostedStumpsHash().fit(X[:-1], codes)
    hash_function = BoostedStumpsHash(n_rounds=1).fit(X, codes)
    with pytest.raises(ValueError, match="3 features"):
        hash_function.decision_function(X[:, :3])

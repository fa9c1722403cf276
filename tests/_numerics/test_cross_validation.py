"""Bandwidth and C: chosen by cross-validated bit error, the smoother of equals."""

import numpy as np
import pytest

from hashlearn._numerics.cross_validation import (
    BANDWIDTH_FACTORS,
    Sample,
    cross_validated_error,
    draw_sample,
    select,
    wrong_pairs,
)
from hashlearn.hash_functions import KernelFeaturesHash, LinearSVMHash, RBFSVMHash
from hashlearn.hash_functions._machines.linear_machines import linear_fold_margins


def random_bits(n, n_machines=3, seed=0):
    return np.where(np.random.default_rng(seed).random((n, n_machines)) < 0.5, -1, 1)


def noisy(rates):
    """Machines that miss with a rate given per (sigma, C)."""

    def margins(sigma, train, test, Z_train, C, weight):
        wrong = np.arange(test.size) < rates(sigma, C) * test.size
        return np.where(wrong, -1, 1)[:, None] * margins.Z[test]

    return margins


def choose(rates, sigmas, Cs, n=300):
    sample = draw_sample(random_bits(n), random_state=0)
    margins = noisy(rates)
    margins.Z = sample.Z
    return select(sample, lambda sigma: sigma, margins, sigmas, Cs)


def test_every_code_is_dealt_evenly_to_the_folds():
    codes = random_bits(10, n_machines=6)
    Z = np.repeat(codes, 30, axis=0)
    sample = draw_sample(Z, random_state=1)
    _, code = np.unique(sample.Z, axis=0, return_inverse=True)
    for which in np.unique(code):
        of_code = sample.fold[code == which]
        counts = np.bincount(of_code, minlength=3)
        assert counts.max() - counts.min() <= 1


def test_samples_are_bounded_and_distinct():
    sample = draw_sample(random_bits(5000, 20), random_state=0)
    assert sample.Z.shape == (2000, 8)
    assert np.unique(sample.items).size == 2000


def test_equal_errors_choose_the_smoother():
    assert choose(lambda sigma, C: 0.1, (4.0, 2.0, 1.0), (1.0, 10.0, 100.0)) == (4.0, 1.0)


def test_the_bandwidth_nearest_to_the_minimum_is_chosen():
    sigma, _ = choose(
        lambda sigma, C: 0.05 + 0.2 * np.log(sigma / 0.66) ** 2, BANDWIDTH_FACTORS, (1.0,), 2000
    )
    assert sigma == pytest.approx(2**-0.5)


def test_the_best_C_is_chosen():
    _, C = choose(lambda sigma, C: 0.1 * abs(np.log10(C) - 1), (1.0,), (1.0, 10.0, 100.0))
    assert C == 10.0


def test_choices_already_made_cost_nothing():
    def never(*_):
        raise AssertionError

    sample = draw_sample(random_bits(100), random_state=0)
    assert select(sample, never, never, (2.0,), (3.0,)) == (2.0, 3.0)


def test_few_items_take_the_middle():
    assert choose(lambda *_: 0.0, (4.0, 2.0, 1.0), (1.0, 10.0, 100.0), n=10) == (2.0, 10.0)


def test_a_bit_that_is_constant_in_training_is_predicted_constant():
    Z = np.full((40, 1), -1)
    Z[7] = 1
    sample = draw_sample(Z, random_state=0)

    def timid(features, train, test, Z_train, C, weight):
        return np.full((test.size, Z_train.shape[1]), -1.0)

    assert cross_validated_error(sample, None, timid, C=1.0) == 1 / 40


def test_weights_count_as_copies_in_the_same_fold():
    rng = np.random.default_rng(0)
    X, Z, counts = rng.normal(size=(90, 4)), random_bits(90), rng.integers(1, 4, 90)
    fold, n = np.arange(90) % 3, counts.sum()
    weighted = Sample(np.arange(90), Z, fold, n, counts / counts.mean())
    repeated = Sample(np.arange(n), *(np.repeat(part, counts, axis=0) for part in (Z, fold)), n)
    copies = np.repeat(X, counts, axis=0)
    error = cross_validated_error(weighted, X, linear_fold_margins, 0.1)
    assert error == pytest.approx(cross_validated_error(repeated, copies, linear_fold_margins, 0.1))


def test_an_item_that_is_sure_to_be_drawn_counts_by_its_weight():
    weight = np.ones(5000)
    weight[7] = 1000
    sample = draw_sample(random_bits(5000), 0, weight)
    counts = sample.weight[np.searchsorted(sample.items, 7)] / np.median(sample.weight)
    assert counts == pytest.approx(1000 / (5999 / 2000))


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_threads_change_nothing(n_jobs):
    sample = draw_sample(random_bits(120), random_state=0)
    X = np.random.default_rng(0).normal(size=(120, 4))
    error = cross_validated_error(sample, X, linear_fold_margins, 1.0, n_jobs)
    assert error == cross_validated_error(sample, X, linear_fold_margins, 1.0)


def test_no_limit_of_steps_is_taken_only_where_there_is_such_a_thing():
    X, codes = np.eye(4), np.eye(4, dtype=np.uint8)
    RBFSVMHash(C=1.0, sigma=1.0, max_iter=-1).fit(X, codes)
    for hash_function in (LinearSVMHash(max_iter=-1), KernelFeaturesHash(max_iter=-1)):
        with pytest.raises(ValueError, match=r"max_iter must be .* at least 1; got -1"):
            hash_function.fit(X, codes)
    with pytest.raises(ValueError, match=r"max_iter must be .* or -1 for no limit; got 0"):
        RBFSVMHash(max_iter=0).fit(X, codes)


@pytest.mark.parametrize("weight", [None, np.arange(30) % 3 + 0.5])
def test_wrong_pairs_are_squared_errors_of_hamming_affinities(weight):
    rng = np.random.default_rng(0)
    M, Z = rng.normal(size=(30, 5)), rng.choice([-1, 1], (30, 5)).astype(np.int8)
    B, w = np.where(M > 0, 1, -1), np.ones(30) if weight is None else weight
    error = (B @ B.T - Z.astype(int) @ Z.T) ** 2 * np.outer(w, w)
    assert wrong_pairs(M, Z, weight) == pytest.approx(error.sum() / Z.size)
    assert wrong_pairs(1.0 * Z, Z, weight) == pytest.approx(0)

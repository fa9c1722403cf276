"""Laws of the codes of many classes, and of the bounds beside them."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hashlearn.affinity import LabelAffinity
from hashlearn.inference import CoordinateDescent
from hashlearn.inference._code_bounds import largest_possible_distance, least_class_loss
from hashlearn.inference._code_kernels import nearest_distances
from hashlearn.inference._code_moves import _is_repeated, improve_class_codes, pack_words
from hashlearn.losses import as_loss

seeds = st.integers(0, 10_000)
FEW = settings(max_examples=15)


def class_loss(Z, weights):
    """KSH's loss over ordered pairs of different classes."""
    m = Z.shape[1]
    s = Z.astype(float) @ Z.T
    losses = np.outer(weights, weights) * (s + m) ** 2
    return losses.sum() - np.trace(losses)


def smallest_distance(Z):
    distances = (Z[:, None] != Z).sum(axis=2)
    return distances[np.triu_indices(len(Z), 1)].min()


@FEW
@given(n=st.integers(2, 30), n_bits=st.integers(1, 70), weighted=st.booleans(), seed=seeds)
def test_moved_codes_cost_no_more(n, n_bits, weighted, seed):
    rng = np.random.default_rng(seed)
    Z = rng.choice(np.array([-1, 1], dtype=np.int8), (n, n_bits))
    weights = rng.integers(1, 50, n).astype(float) if weighted else np.ones(n)
    before = Z.copy()
    after = improve_class_codes(Z, weights)
    assert np.array_equal(Z, before)
    assert set(np.unique(after)) <= {-1, 1}
    assert class_loss(after, weights) <= class_loss(before, weights) * (1 + 1e-9)


@FEW
@given(n=st.integers(2, 12), n_bits=st.integers(1, 70), seed=seeds)
def test_nearest_distances_are_those_of_the_codes(n, n_bits, seed):
    Z = np.random.default_rng(seed).choice([-1, 1], (n, n_bits))
    nearest = np.empty(n, dtype=np.int64)
    nearest_distances(pack_words(Z), nearest)
    distances = (Z[:, None] != Z).sum(axis=2) + 1000 * np.eye(n)
    assert np.array_equal(nearest, distances.min(axis=1))


@FEW
@given(n=st.integers(2, 40), n_bits=st.sampled_from([1, 3, 5, 70]), seed=seeds)
def test_repeated_codes_are_those_that_equal_another(n, n_bits, seed):
    Z = np.random.default_rng(seed).choice([-1, 1], (n, n_bits))
    Z[:, 5:] = 1
    equal = (Z[:, None] == Z).all(axis=2)
    assert np.array_equal(_is_repeated(pack_words(Z)), equal.sum(axis=1) > 1)


@pytest.mark.parametrize(("n", "n_bits"), [(100, 7), (200, 12), (60, 70)])
def test_of_more_classes_than_can_be_spread_codes_are_distinct(n, n_bits, monkeypatch):
    monkeypatch.setattr("hashlearn.inference._code_moves.MAX_SPREAD_CLASSES", 10)
    Z = np.random.default_rng(0).choice(np.array([-1, 1], dtype=np.int8), (n, n_bits))
    Z[1::2] = Z[::2]
    after = improve_class_codes(Z, np.ones(n))
    assert class_loss(after, np.ones(n)) <= class_loss(Z, np.ones(n))
    assert not _is_repeated(pack_words(after)).any()


def test_more_classes_than_codes_leave_some_equal(monkeypatch):
    monkeypatch.setattr("hashlearn.inference._code_moves.MAX_SPREAD_CLASSES", 10)
    Z = np.ones((40, 5), dtype=np.int8)
    assert np.unique(improve_class_codes(Z, np.ones(40)), axis=0).shape[0] > 1


def test_50_000_classes_get_distinct_codes():
    """All distances between them would take minutes."""
    Z = np.random.default_rng(0).choice(np.array([-1, 1], dtype=np.int8), (50_000, 32))
    after = improve_class_codes(Z, np.ones(len(Z)))
    assert not _is_repeated(pack_words(after)).any()


def test_more_than_64_classes_take_many_bits():
    """Pairs of bits at every flip and sums over all bits at every update once took a minute."""
    step_one = CoordinateDescent(n_cycles=1).infer(
        LabelAffinity(np.repeat(np.arange(65), 2)),
        as_loss("ksh"),
        512,
        random_state=np.random.RandomState(0),
    )
    assert smallest_distance(step_one.codes[::2]) >= 256
    assert np.all(np.diff(step_one.objective) <= 0)
    assert step_one.objective[-1] <= 1.01 * least_class_loss(np.full(65, 2.0), 512)


@pytest.mark.parametrize("power", [0, 0.3, 1])
@pytest.mark.parametrize(("n_classes", "n_bits", "distance"), [(100, 32, 8), (1000, 32, 4)])
def test_many_classes_get_distinct_codes_far_apart(n_classes, n_bits, distance, power):
    sizes = np.maximum(1, 2000 / np.arange(1, n_classes + 1) ** power).astype(int)
    y = np.repeat(np.arange(n_classes), np.minimum(sizes, 200) if power == 0 else sizes)
    step_one = CoordinateDescent().infer(
        LabelAffinity(y), as_loss("bre"), n_bits, random_state=np.random.RandomState(0)
    )
    first = np.searchsorted(y, np.arange(n_classes))
    assert smallest_distance(step_one.codes[first]) >= distance
    assert np.all(np.diff(step_one.objective) <= 0)
    bound = least_class_loss(np.bincount(y).astype(float), n_bits) / (4 * n_bits**2)
    assert step_one.objective[-1] >= bound * (1 - 1e-9)
    assert step_one.objective[-1] <= 1.1 * bound


# from the tables of A(n, d): the largest number of codes of n bits with distance d
OPTIMA = [
    (5, 3, 4),
    (6, 3, 8),
    (7, 3, 16),
    (8, 4, 16),
    (8, 3, 20),
    (9, 4, 20),
    (12, 6, 24),
    (15, 3, 2048),
    (16, 8, 32),
    (16, 6, 256),
    (23, 7, 4096),
    (24, 8, 4096),
    (24, 12, 48),
]


@pytest.mark.parametrize(("n_bits", "distance", "n_codes"), OPTIMA)
def test_no_code_that_exists_exceeds_the_bound(n_bits, distance, n_codes):
    assert largest_possible_distance(n_codes, n_bits) >= distance


@pytest.mark.parametrize(
    ("n_bits", "distance", "n_codes"),
    [
        (7, 3, 16),
        (8, 4, 16),
        (15, 3, 2048),
        (16, 8, 32),
        (23, 7, 4096),
        (24, 8, 4096),
        (24, 12, 48),
    ],
)
def test_the_bound_is_met_by_perfect_and_by_plotkin_optimal_codes(n_bits, distance, n_codes):
    assert largest_possible_distance(n_codes, n_bits) == distance
    assert largest_possible_distance(n_codes + 1, n_bits) < distance


@pytest.mark.parametrize("n_codes", [65, 100, 1001])
def test_the_bound_of_few_long_codes_is_the_mean_distance_of_balanced_bits(n_codes):
    n_pairs, n_differing = n_codes * (n_codes - 1), 2 * (n_codes // 2) * -(-n_codes // 2)
    assert largest_possible_distance(n_codes, 4096) == 4096 * n_differing // n_pairs


@pytest.mark.parametrize("n_bits", [1, 2, 3, 4])
def test_the_distance_bound_holds_for_all_small_codes(n_bits):
    every = list(range(2**n_bits))
    for n_codes in range(2, 2**n_bits + 1):
        best = farthest_greedy_exact(every, n_codes)
        assert best <= largest_possible_distance(n_codes, n_bits)


def farthest_greedy_exact(every, n_codes):
    """Return the largest smallest distance of any set of codes, by search with the code 0 in it."""

    def extend(chosen, start, distance):
        if len(chosen) == n_codes:
            return True
        return any(
            all((c ^ d).bit_count() >= distance for d in chosen)
            and extend([*chosen, c], c + 1, distance)
            for c in every[start:]
        )

    return max((d for d in range(1, 5) if extend([0], 1, d)), default=0)


@pytest.mark.parametrize(("n", "n_bits"), [(2, 3), (3, 3), (4, 2), (3, 4), (5, 2)])
@pytest.mark.parametrize("seed", range(3))
def test_no_codes_lie_below_the_lower_bound(n, n_bits, seed):
    weights = np.random.default_rng(seed).integers(1, 20, n).astype(float)
    best = min(
        class_loss(np.array(flat).reshape(n, n_bits), weights)
        for flat in product((-1, 1), repeat=n * n_bits)
    )
    bound = least_class_loss(weights, n_bits)
    assert bound <= best + 1e-9 * max(best, 1)


def test_orthogonal_balanced_bits_reach_the_lower_bound():
    Z = np.array(list(product((-1, 1), repeat=4)))  # all codes: every two bits are balanced
    assert class_loss(Z, np.ones(16)) == pytest.approx(least_class_loss(np.ones(16), 4))

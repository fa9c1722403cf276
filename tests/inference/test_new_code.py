"""Laws of one more group: its code is the best, or nearly, and is not taken."""

from itertools import product

import numpy as np
import pytest

from hashlearn.inference.new_code import _code_costs, infer_new_code
from hashlearn.losses import as_loss
from hashlearn.losses.base import loss_table


def cost(code, codes, weights, y, loss):
    """Sum the formula over the defined groups."""
    m = codes.shape[1]
    s = (2 * codes.astype(int) - 1) @ (2 * code.astype(int) - 1)
    return sum(w * loss(int(t), int(v), m) for w, t, v in zip(weights, s, y, strict=True) if v)


@pytest.mark.parametrize("loss", ["bre", "splh", "ee", "hinge", "exph"])
@pytest.mark.parametrize("seed", range(8))
def test_the_new_code_is_the_best_free_one(loss, seed):
    rng = np.random.RandomState(seed)
    n_bits, n_groups = rng.randint(1, 9), rng.randint(1, 30)
    codes = rng.randint(2, size=(n_groups, n_bits)).astype(np.uint8)
    weights = rng.randint(1, 9, n_groups).astype(float)
    y = rng.choice([-1, 0, 1], n_groups, p=[0.7, 0.1, 0.2])
    loss = as_loss(loss)
    code = infer_new_code(codes, weights, y, loss, n_bits, rng)
    every = np.array(list(product((0, 1), repeat=n_bits)))
    taken = {tuple(c) for c in codes[y < 0]}
    free = [c for c in every if tuple(c) not in taken]
    if free:
        assert tuple(code) not in taken
    best = min(cost(c, codes, weights, y, loss) for c in (free or every))
    assert cost(code, codes, weights, y, loss) <= best * (1 + 1e-9) + 1e-9


def test_among_equally_good_codes_the_farthest_is_taken():
    """The loss is flat beyond its margin: distance decides."""
    codes = np.zeros((1, 12), dtype=np.uint8)
    code = infer_new_code(
        codes,
        np.ones(1),
        -np.ones(1),
        as_loss(lambda s, y: float(s > 8)),
        12,
        np.random.RandomState(0),
    )
    assert code.sum() > 4


def test_where_every_code_is_taken_one_is_shared():
    codes = np.array([[0], [1]], dtype=np.uint8)
    code = infer_new_code(
        codes, np.ones(2), -np.ones(2), as_loss("bre"), 1, np.random.RandomState(0)
    )
    assert code.shape == (1,)


def test_costs_are_those_of_the_formula():
    rng = np.random.RandomState(0)
    codes, new = rng.randint(2, size=(7, 5)), rng.randint(2, size=(3, 5))
    y, weights, loss = rng.choice([-1, 1], 7), rng.rand(7), as_loss("ee")
    rows = loss_table(loss, 5)[y + 1] * weights[:, None]
    expected = [cost(c, codes, weights, y, loss) for c in new]
    np.testing.assert_allclose(_code_costs(2 * new - 1, 2 * codes - 1, rows), expected)


def test_ten_thousand_groups_leave_room_for_one_more():
    rng = np.random.RandomState(0)
    codes = rng.randint(2, size=(10_000, 64)).astype(np.uint8)
    code = infer_new_code(codes, np.ones(10_000), -np.ones(10_000), as_loss("bre"), 64, rng)
    assert (codes != code).sum(axis=1).min() >= 14

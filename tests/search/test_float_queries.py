"""Float queries: distances by real margins, with and without terms of the items."""

from __future__ import annotations

import numpy as np
import pytest

from hashlearn.search import CodeTerms, FloatQueries, as_float_queries


def _codes(n, n_bits, seed=0):
    signs = np.random.RandomState(seed).choice([-1.0, 1.0], (n, n_bits))
    return signs, np.packbits(signs > 0, axis=1)


@pytest.mark.parametrize("n_bits", [1, 7, 8, 64, 130])
def test_distances_order_as_the_products_of_margins_and_signs(n_bits):
    margins = np.random.RandomState(1).normal(size=(5, n_bits))
    signs, packed = _codes(40, n_bits)
    expected = (np.abs(margins).sum(axis=1)[:, None] - margins @ signs.T) / 2
    np.testing.assert_allclose(FloatQueries(margins).distances(packed), expected, atol=1e-12)


def test_equal_sums_of_margins_are_equal_to_the_last_digit():
    margins = np.full((1, 30), 0.1)
    _, packed = _codes(200, 30)
    n_zeros = 30 - np.unpackbits(packed, axis=1, count=30).sum(axis=1)
    distances = FloatQueries(margins).distances(packed)[0]
    assert len(np.unique(distances)) == len(np.unique(n_zeros))


@pytest.mark.parametrize("use", ["scale", "bias"])
def test_terms_give_the_distances_to_reconstructions(use):
    rng = np.random.RandomState(0)
    W, mu, Q = rng.normal(size=(10, 20)), rng.normal(size=10), rng.normal(size=(5, 10))
    signs, packed = _codes(300, 20)
    X = mu + signs @ W.T
    lengths = np.linalg.norm(X, axis=1)
    terms = CodeTerms(W, mu, lengths=(lengths.min(), lengths.max()), use=use)
    if use == "scale":
        Q /= np.linalg.norm(Q, axis=1)[:, None]
        expected, factor, constants = 1 - Q @ X.T / lengths, 1, np.ones(5)
    else:
        expected = np.linalg.norm(Q[:, None] - X, axis=2)
        factor, constants = 2, np.square(Q).sum(axis=1)
    shifts = factor * (Q @ mu + np.abs(Q @ W).sum(axis=1))
    queries = FloatQueries(2 * factor * Q @ W, constants=constants, shifts=shifts, terms=terms)
    tolerance = 0.003 if use == "scale" else 0.06  # half a level
    np.testing.assert_allclose(queries.distances(packed), expected, atol=tolerance)


def test_levels_do_not_depend_on_the_codes_beside_them():
    rng = np.random.RandomState(0)
    terms = CodeTerms(rng.normal(size=(9, 33)), rng.normal(size=9), lengths=(5, 30), use="scale")
    _, packed = _codes(500, 33)
    together = terms.levels(packed)
    assert all(terms.levels(packed[i : i + 1])[0] == together[i] for i in range(0, 500, 7))
    assert terms.levels(packed[:0]).shape == (0,)


def test_rows_of_queries_are_queries():
    queries = FloatQueries(np.random.RandomState(0).normal(size=(6, 12)), model="5f0c")
    _, packed = _codes(9, 12)
    assert len(queries[2:4]) == 2
    assert queries[2:4].model == "5f0c"
    np.testing.assert_array_equal(
        queries[np.array([5, 0])].distances(packed), queries.distances(packed)[[5, 0]]
    )


@pytest.mark.parametrize("margins", [[1.0, 2.0], [[np.nan]], [["a"]], np.zeros((3, 0))])
def test_margins_that_are_not_finite_rows_are_refused(margins):
    with pytest.raises(ValueError, match="margins must be"):
        FloatQueries(margins)


def test_packed_codes_are_not_float_queries():
    assert as_float_queries(np.zeros((2, 4), dtype=np.uint8)) is None
    assert len(as_float_queries(np.zeros((2, 4), dtype=np.float32))) == 2

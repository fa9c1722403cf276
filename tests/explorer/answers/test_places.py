"""Codes on a plane."""

import numpy as np
import pytest

from hashlearn.explorer.answers.places import (
    LAYOUTS,
    into_square,
    neighbour_places,
    principal_places,
)


def test_weighted_components_are_those_of_repeated_codes():
    random = np.random.default_rng(0)
    bits, weights = random.integers(0, 2, (30, 9)), random.integers(1, 6, 30)
    places = principal_places(bits, weights)
    repeated = 2.0 * np.repeat(bits, weights, axis=0) - 1
    _, spreads, axes = np.linalg.svd(repeated - repeated.mean(axis=0), full_matrices=False)
    np.testing.assert_allclose(
        np.sqrt((weights[:, None] * places**2).sum(axis=0)), spreads[:2], rtol=1e-9
    )
    expected = (2.0 * bits - 1 - repeated.mean(axis=0)) @ axes[:2].T
    np.testing.assert_allclose(np.abs(places), np.abs(expected), atol=1e-9)


@pytest.mark.parametrize("n_bits", [33, 256])
def test_no_plane_shows_more_of_many_bits(n_bits):
    random = np.random.default_rng(0)
    bits = np.repeat(random.integers(0, 2, (5, n_bits)), 80, axis=0)
    bits ^= random.random(bits.shape) < 0.2
    places = principal_places(bits, np.ones(400))
    spreads = np.linalg.svd(2.0 * (bits - bits.mean(axis=0)), compute_uv=False)
    np.testing.assert_allclose(np.linalg.norm(places, axis=0), spreads[:2], rtol=1e-3)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("n_codes", [1, 2, 3, 4, 5, 7])
def test_few_codes_get_places_of_their_own(layout, n_codes):
    bits = (np.arange(n_codes)[:, None] >> np.arange(3)) & 1
    places = into_square(LAYOUTS[layout].place(bits, np.ones(n_codes)))
    assert places.shape == (n_codes, 2)
    assert np.abs(places).max() <= 1 + 1e-6
    assert len(np.unique(places.round(3), axis=0)) > n_codes / 2


@pytest.mark.parametrize("layout", LAYOUTS)
def test_one_bit_makes_two_places(layout):
    places = into_square(LAYOUTS[layout].place(np.array([[0], [1]]), np.array([5, 1])))
    assert np.abs(places[0] - places[1]).max() == pytest.approx(2)


def test_near_codes_stand_near_by_tsne():
    random = np.random.default_rng(0)
    centres = random.integers(0, 2, (2, 40))
    bits = np.repeat(centres, 30, axis=0) ^ (random.random((60, 40)) < 0.05)
    places = neighbour_places(bits, np.ones(60))
    first, second = places[:30], places[30:]
    apart = np.linalg.norm(first.mean(axis=0) - second.mean(axis=0))
    assert apart > 2 * max(part.std(axis=0).max() for part in (first, second))
    assert (neighbour_places(bits, np.ones(60)) == places).all()

"""Eigenfunctions on a line: cosines where the density is even, an eigen-equation everywhere."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.methods._parts.eigenfunctions import (
    grid_and_density,
    interpolate,
    line_eigenfunctions,
)

MIDDLES = (np.arange(50) + 0.5) / 50


@st.composite
def lines(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    density = rng.uniform(0.01, 1, size=draw(st.integers(3, 30)))
    centers = draw(st.floats(-100, 100)) + np.arange(density.size)
    return centers, density / density.sum(), draw(st.floats(0.5, 5))


@given(lines())
def test_functions_satisfy_the_eigen_equation(line):
    centers, density, sigma = line
    eigenvalues, functions = line_eigenfunctions(centers, density, sigma)
    W = np.exp(-((centers[:, None] - centers) ** 2) / (2 * sigma**2))
    degree = W @ density
    norms = np.sqrt(functions**2 @ density)[:, None]
    for g, eigenvalue in zip(functions / norms, eigenvalues, strict=True):
        np.testing.assert_allclose(W @ (density * g) / degree, eigenvalue * g, atol=1e-7)


@given(lines())
def test_eigenvalues_fall_from_at_most_1_to_at_least_0(line):
    eigenvalues, _ = line_eigenfunctions(*line)
    assert np.all(np.diff(eigenvalues) <= 1e-12)
    assert np.all((eigenvalues >= 0) & (eigenvalues <= 1))


@given(lines())
def test_functions_are_uncorrelated_of_mean_0_and_variance_1(line):
    centers, density, sigma = line
    _, functions = line_eigenfunctions(centers, density, sigma)
    W = np.exp(-((centers[:, None] - centers) ** 2) / (2 * sigma**2))
    weight = density * (W @ density)
    weight /= weight.sum()
    np.testing.assert_allclose(functions @ weight, 0, atol=1e-7)
    np.testing.assert_allclose(functions * weight @ functions.T, np.eye(len(functions)), atol=1e-7)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_functions_of_a_uniform_density_are_the_cosines(k):
    _, functions = line_eigenfunctions(MIDDLES, np.full(50, 0.02), sigma=0.03)
    cosine = np.cos(k * np.pi * MIDDLES)
    correlation = np.corrcoef(functions[k - 1], cosine)[0, 1]
    assert abs(correlation) > 0.99
    assert functions[k - 1, -1] > 0


def test_eigenvalues_of_a_uniform_density_are_those_of_heat_flow():
    sigma = 0.03
    eigenvalues, _ = line_eigenfunctions(MIDDLES, np.full(50, 0.02), sigma)
    k = np.arange(1, 6)
    np.testing.assert_allclose(eigenvalues[:5], np.exp(-((sigma * k * np.pi) ** 2) / 2), rtol=0.03)


def test_density_follows_the_values_and_its_grid_leaves_the_tails_out():
    values = np.random.default_rng(0).normal(size=100_000)
    grid, density = grid_and_density(values, 50)
    np.testing.assert_allclose(grid.centers[[0, -1]], [-1.92, 1.92], atol=0.03)
    inner = slice(5, -5)
    expected = np.exp(-(grid.centers**2) / 2) / np.sqrt(2 * np.pi) * grid.step
    np.testing.assert_allclose(density[inner], expected[inner], rtol=0.08)
    assert np.isclose(density.sum(), 1)


def test_a_few_values_apart_from_all_others_still_span_a_grid():
    grid, density = grid_and_density(np.array([0.0] * 99 + [5.0]), 10)
    np.testing.assert_allclose(grid.centers[[0, -1]], [0.25, 4.75])
    assert np.all(density > 0)


@given(st.integers(0, 2**32 - 1))
def test_interpolation_is_numpys_on_every_function(seed):
    rng = np.random.default_rng(seed)
    first, step = rng.normal(size=3), rng.uniform(0.1, 2, size=3)
    tables, values = rng.normal(size=(3, 7)), rng.normal(scale=5, size=(20, 3))
    expected = [
        np.interp(values[:, k], first[k] + step[k] * np.arange(7), tables[k]) for k in range(3)
    ]
    np.testing.assert_allclose(interpolate(values, first, step, tables).T, expected, atol=1e-9)

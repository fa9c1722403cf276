"""Filters respond to the direction and scale of stripes; contrast normalisation levels contrast."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.features._filters import (
    block_bounds,
    gabor_bank,
    mean_responses,
    normalise_contrast,
    stretch,
)

seeds = st.integers(0, 2**32 - 1)


def stripes(side, frequency, direction):
    """Return a wave with a frequency in cycles per pixel."""
    y, x = np.mgrid[:side, :side]
    phase = 2 * np.pi * frequency * (x * np.cos(direction) + y * np.sin(direction))
    return np.cos(phase, dtype=np.float32)[None]


@pytest.mark.parametrize("scale", range(3))
@pytest.mark.parametrize("j", range(8))
def test_a_filter_answers_most_to_stripes_of_its_own_scale_and_direction(scale, j):
    image = stripes(64, 0.3 / 1.85**scale, -np.pi * j / 8)
    means = mean_responses(image, gabor_bank((64, 64), (8, 8, 8)), 0, 1).reshape(3, 8)
    assert np.unravel_index(means.argmax(), (3, 8)) == (scale, j)


def test_filters_of_a_bank_are_as_many_as_orientations():
    bank = gabor_bank((12, 20), (3, 1, 5))
    assert bank.shape == (9, 12, 20)
    assert bank.dtype == np.float32
    assert ((bank >= 0) & (bank <= 1)).all()


@given(seed=seeds)
def test_a_quarter_turn_moves_blocks_and_shifts_orientations(seed):
    # An odd side and mean 0: the highest frequency of an even side, and 0, have no direction.
    images = np.random.default_rng(seed).normal(size=(2, 27, 27)).astype(np.float32)
    images -= images.mean(axis=(1, 2), keepdims=True)
    of_image, of_turned = (
        mean_responses(x, gabor_bank((27, 27), [6]), padding=0, n_blocks=3)
        for x in (images, np.rot90(images, axes=(1, 2)))
    )
    turned = np.rot90(np.roll(of_image, 3, axis=1), axes=(2, 3))
    np.testing.assert_allclose(of_turned, turned, rtol=0, atol=1e-5)


@given(factor=st.floats(-100, 100), seed=seeds)
def test_responses_grow_with_the_image(factor, seed):
    images = np.random.default_rng(seed).normal(size=(1, 16, 16)).astype(np.float32)
    bank = gabor_bank((20, 20), (4, 2))
    means, scaled = (mean_responses(x, bank, 2, 4) for x in (images, np.float32(factor) * images))
    np.testing.assert_allclose(scaled, np.abs(factor) * means, rtol=1e-4, atol=1e-6)


@given(side=st.integers(1, 300), data=st.data())
def test_blocks_cover_the_side_and_differ_by_one_at_most(side, data):
    n_blocks = data.draw(st.integers(1, side))
    bounds = block_bounds(side, n_blocks)
    lengths = np.diff(bounds)
    assert (bounds[0], bounds[-1], len(lengths)) == (0, side, n_blocks)
    assert 1 <= lengths.min() <= lengths.max() <= lengths.min() + 1


@given(seed=seeds, height=st.integers(1, 9), width=st.integers(2, 9))
def test_stretched_images_reach_from_0_to_255(seed, height, width):
    images = stretch(np.random.default_rng(seed).normal(size=(3, height, width)))
    assert images.dtype == np.float32
    assert (images.min(axis=(1, 2)) == 0).all()
    assert (images.max(axis=(1, 2)) == 255).all()


def test_the_smallest_and_the_largest_numbers_can_be_stretched():
    tiny = np.array([[[0, 5e-324, 1e-323]]])
    assert stretch(tiny).tolist() == [[[0, 127.5, 255]]]
    assert stretch(tiny * 0 + [0, 4e307, 8e307]).tolist() == [[[0, 127.5, 255]]]


@given(seed=seeds)
def test_a_faint_part_comes_out_nearly_as_strong_as_the_rest(seed):
    random = np.random.default_rng(seed)
    images = 100 + random.uniform(-80, 80, size=(1, 64, 64))
    images[:, :, :32] = 100 + (images[:, :, :32] - 100) / 4
    before = images[:, :, :28].std() / images[:, :, 36:].std()
    after = normalise_contrast(images.astype(np.float32))
    assert before < 0.3
    assert after[:, :, :28].std() / after[:, :, 36:].std() > 0.4


@given(seed=seeds)
def test_an_image_and_its_mirror_image_are_treated_alike(seed):
    images = np.random.default_rng(seed).uniform(0, 255, size=(2, 12, 12)).astype(np.float32)
    mirrored = normalise_contrast(images[:, ::-1])
    np.testing.assert_allclose(mirrored[:, ::-1], normalise_contrast(images), atol=2e-5)

"""Contrast normalisation levels brightness and contrast, in the whole and from place to place."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.features.contrast import normalise_contrast, stretch

seeds = st.integers(0, 2**32 - 1)


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

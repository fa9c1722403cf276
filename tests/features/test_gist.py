"""GIST is what its formulas say, for every image by itself."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hashlearn.features import GIST, gist
from tests.features.direct_gist import direct_gist
from tests.sklearn_checks import scikit_learn_checks

# Features lie between 0 and about 1; log and contrast normalisation run in float32.
TOLERANCE = 2e-5

seeds = st.integers(0, 2**32 - 1)


def random_images(shape, seed=0, dtype=np.uint8):
    """Return noise that is smooth in places, as images are."""
    random = np.random.default_rng(seed)
    n, height, width = shape[:3]
    y, x = np.mgrid[:height, :width] / max(height, width)
    waves = random.uniform(-20, 20, (n, 2, 1, 1)) * np.stack([y, x])
    images = 120 + 80 * np.sin(waves.sum(axis=1)) + random.uniform(-50, 50, (n, height, width))
    if len(shape) == 4:
        images = images[..., None] * random.uniform(0.5, 1, (n, 1, 1, shape[3]))
    return images.astype(dtype)


def assert_same(features, expected):
    np.testing.assert_allclose(features, expected, rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("n_orientations", [(8, 8, 4), (8, 8, 8, 8)], ids=["320", "512"])
@pytest.mark.parametrize(
    "shape", [(3, 32, 32), (3, 32, 32, 3), (2, 48, 48), (2, 48, 48, 3)], ids=str
)
def test_features_are_those_of_the_direct_formulas(n_orientations, shape):
    images = random_images(shape)
    features = GIST(n_orientations).transform(images)
    assert features.shape == (shape[0], 16 * sum(n_orientations))
    assert features.dtype == np.float32
    assert_same(features, [direct_gist(i, n_orientations, 4, shape[1] // 8) for i in images])


@given(
    height=st.integers(1, 20),
    width=st.integers(1, 20),
    n_orientations=st.lists(st.integers(1, 5), min_size=1, max_size=3),
    padding=st.integers(0, 25),
    data=st.data(),
    seed=seeds,
)
def test_direct_formulas_hold_for_any_sides_bank_blocks_and_padding(
    height, width, n_orientations, padding, data, seed
):
    n_blocks = data.draw(st.integers(1, min(height, width)))
    images = np.random.default_rng(seed).normal(size=(1, height, width))
    if height * width == 1:
        images = np.zeros((1, 1, 1))
        expected = np.zeros((1, sum(n_orientations)))
    else:
        expected = [direct_gist(images[0], n_orientations, n_blocks, padding)]
    features = GIST(n_orientations, n_blocks, padding=padding).transform(images)
    assert_same(features, expected)


@settings(max_examples=20)
@given(
    n=st.integers(1, 20),
    block_images=st.integers(1, 25),
    side=st.integers(4, 19),
    n_jobs=st.sampled_from([1, 2, 5]),
    seed=seeds,
)
def test_blocks_and_threads_do_not_change_a_bit(n, block_images, side, n_jobs, seed):
    images = random_images((n, side, side), seed)
    expected = np.concatenate([GIST((3, 2)).transform(image[None]) for image in images])
    padded = side + 2 * (side // 8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gist, "BLOCK_BYTES", block_images * padded**2 * 8)
        features = GIST((3, 2), n_jobs=n_jobs).transform(images)
    assert np.array_equal(features, expected)


@given(gain=st.floats(1e-6, 1e6), offset=st.floats(-100, 100), seed=seeds)
def test_brightness_and_contrast_of_the_whole_image_do_not_matter(gain, offset, seed):
    images = np.random.default_rng(seed).random((2, 16, 16))
    assert_same(GIST().transform(gain * (images + offset)), GIST().transform(images))


def test_a_negative_has_other_features():
    """The logarithm treats dark and bright parts differently."""
    images = random_images((1, 32, 32))
    assert np.abs(GIST().transform(255 - images) - GIST().transform(images)).max() > 0.01


@pytest.mark.parametrize("value", [0, 7, 255])
def test_a_constant_image_has_zeros(value):
    images = np.full((2, 32, 32, 3), value, dtype=np.uint8)
    images[1, 5] = 255 - value
    features = GIST().transform(images)
    assert not features[0].any()
    assert features[1].any()


def test_grey_images_are_colour_images_of_equal_channels():
    grey = random_images((3, 20, 24))
    expected = GIST().transform(grey)
    assert_same(GIST().transform(np.repeat(grey[..., None], 3, axis=3)), expected)
    assert_same(GIST().transform(grey[..., None]), expected)


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float16, np.float32, ">f8"])
@pytest.mark.parametrize("layout", [np.asarray, np.asfortranarray, lambda x: x[:, ::-1][:, ::-1]])
def test_dtype_and_layout_do_not_matter(dtype, layout):
    images = np.random.default_rng(0).integers(0, 2, size=(3, 16, 16))
    assert np.array_equal(
        GIST().transform(layout(images.astype(dtype))), GIST().transform(images.astype(float))
    )


def test_flat_rows_are_images_of_the_given_shape():
    images = random_images((3, 16, 20, 3))
    flat = GIST(image_shape=(16, 20, 3)).fit(images.reshape(3, -1))
    assert flat.image_shape_ == (16, 20, 3)
    assert flat.n_features_in_ == 960
    expected = GIST().fit_transform(images)
    assert np.array_equal(flat.transform(images.reshape(3, -1)), expected)
    assert np.array_equal(flat.transform(images), expected)


def test_images_are_not_changed():
    images = random_images((3, 16, 16), dtype=np.float32)
    images.flags.writeable = False
    GIST().fit_transform(images)


WRONG_IMAGES = {
    "NaN": (np.full((2, 8, 8), np.nan), "images contains NaN"),
    "infinity": (np.full((2, 8, 8), np.inf), "images contains infinity"),
    "none": (np.zeros((0, 8, 8)), r"0 sample\(s\)"),
    "one row": (np.zeros(8), r"shape \(n, height, width\) or .*; got \(8,\)"),
    "channels first": (np.zeros((2, 3, 8, 8)), r"got \(2, 3, 8, 8\)"),
    "four channels": (np.zeros((2, 8, 8, 4)), r"got \(2, 8, 8, 4\)"),
    "five axes": (np.zeros((2, 8, 8, 3, 1)), r"got \(2, 8, 8, 3, 1\)"),
    "flat": (np.zeros((2, 64)), r"2-D array\. .* image_shape=\(height, width, 3\)"),
    "small": (np.zeros((2, 8, 3)), "at least n_blocks=4 pixels per side; got 8 x 3"),
    "words": (np.full((2, 8, 8), "a"), "Convert your data"),
    "complex": (np.zeros((2, 8, 8), dtype=complex), "Complex"),
    "huge": (np.full((1, 8, 8), 1e308) * ([-1, 1] * 4), "overflows float64"),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("images", "message"), WRONG_IMAGES.values(), ids=WRONG_IMAGES)
def test_arrays_that_are_not_images_are_refused(images, message):
    with pytest.raises(ValueError, match=message):
        GIST().fit_transform(images)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_orientations": ()}, r"one or more scales; got \(\)"),
        ({"n_orientations": (8, 0)}, r"at least 1, .*; got \(8, 0\)"),
        ({"n_orientations": (8, 1.5)}, "integers of at least 1"),
        ({"n_orientations": 8}, "n_orientations must be .*; got 8"),
        ({"n_blocks": 0}, "n_blocks must be an integer of at least 1; got 0"),
        ({"n_blocks": 2.0}, r"n_blocks must be .*; got 2\.0"),
        ({"padding": -1}, "padding must be 'auto' or .*; got -1"),
        ({"padding": "full"}, "padding must be .*; got 'full'"),
        ({"image_shape": (8, 9)}, r"72 values per row for image_shape=\(8, 9\); got 64"),
        ({"image_shape": (64,)}, r"image_shape must be \(height, width\) or .*; got \(64,\)"),
        ({"image_shape": (-8, -8)}, r"got \(-8, -8\)"),
        ({"image_shape": (2, 8, 4)}, r"got \(2, 8, 4\)"),
    ],
    ids=str,
)
def test_wrong_parameters_are_refused_in_fit_and_in_transform(parameters, message):
    for method in (GIST(**parameters).fit, GIST(**parameters).transform):
        with pytest.raises(ValueError, match=message):
            method(np.zeros((2, 64)))


def test_images_of_another_shape_than_in_fit_are_refused():
    fitted = GIST().fit(np.zeros((2, 8, 8)))
    with pytest.raises(ValueError, match=r"seen in fit, \(8, 8\); got \(8, 9\)"):
        fitted.transform(np.zeros((2, 8, 9)))


class GISTOfRows(GIST):
    """Takes any row as an image of one pixel's height: scikit-learn's checks give rows."""

    def __init__(self, n_orientations=(2, 1), n_blocks=1, n_jobs=None):
        super().__init__(n_orientations, n_blocks, n_jobs=n_jobs)

    def _shape_of_rows(self, n_features):
        return 1, n_features

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags


@scikit_learn_checks([GISTOfRows()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_clone_and_pickle_keep_parameters_and_features():
    images = random_images((2, 16, 16))
    transformer = GIST((4, 2), 2, padding=3, n_jobs=2).fit(images)
    assert clone(transformer).get_params() == transformer.get_params()
    copy = pickle.loads(pickle.dumps(transformer))
    assert copy.image_shape_ == (16, 16)
    assert np.array_equal(copy.transform(images), transformer.transform(images))


def test_it_is_a_step_of_a_pipeline():
    images = random_images((40, 16, 16), dtype=np.float64)
    images[:20] = images[:20].mean(axis=1, keepdims=True)  # stripes
    y = np.arange(40) < 20
    pipeline = make_pipeline(GIST(), StandardScaler(), LogisticRegression())
    assert pipeline.fit(images[::2], y[::2]).score(images[1::2], y[1::2]) > 0.9


def test_set_output_gives_frames_with_named_columns():
    transformer = GIST((2,), 2).set_output(transform="pandas")
    frame = transformer.fit_transform(random_images((3, 16, 16, 3)))
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == [f"gist{i}" for i in range(8)]

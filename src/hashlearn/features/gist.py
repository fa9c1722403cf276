"""GIST, a descriptor of scenes: the strength of edges by direction, scale and place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_array
from sklearn.utils.validation import validate_data

from hashlearn.features._filters import gabor_bank, mean_responses, normalise_contrast, stretch

BLOCK_BYTES = 2**20  # responses of one filter that stay in the cache


class GIST(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """GIST features of images [1]_.

    An image is converted to grey (the mean of its channels) and scaled to 0..255. The logarithm,
    a local contrast normalisation and a bank of Gabor filters follow. The features are the mean
    magnitudes of each filter's response in `n_blocks` x `n_blocks` equal blocks: filter by filter
    from fine to coarse scales, blocks row by row. They do not depend on the brightness and
    contrast of the whole image, and those of a constant image are 0.

    The formulas and constants are those of the authors' release. Images are used in their own
    size, never scaled or cropped. If height and width differ, frequencies are in cycles per pixel
    in both directions.

    Parameters
    ----------
    n_orientations : sequence of int, default=(8, 8, 4)
        Number of orientations at each scale, from fine to coarse. With 4 x 4 blocks (8, 8, 4)
        gives 320 features, and (8, 8, 8, 8) gives 512.
    n_blocks : int, default=4
        Rows and columns of blocks.
    padding : int or "auto", default="auto"
        Pixels mirrored at each side while the filters work. "auto" is an eighth of the longer
        side, the proportion of the authors' release (32 pixels at 256).
    image_shape : tuple of int, default=None
        (height, width) or (height, width, 3) of images that are given as flat rows; not needed
        for others.
    n_jobs : int, default=None
        Number of threads; see scikit-learn's glossary. It does not change the features.

    Attributes
    ----------
    image_shape_ : tuple of int
        The shape of the images seen in `fit`; `transform` then accepts no other. Nothing else
        is learned, and `transform` works without `fit`.
    n_features_in_ : int
        Number of values of an image seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of these values, if flat rows had column names.

    References
    ----------
    .. [1] Oliva and Torralba, "Modeling the Shape of the Scene: A Holistic Representation of the
       Spatial Envelope", International Journal of Computer Vision, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from hashlearn.features import GIST
    >>> images = load_digits().images
    >>> images.shape
    (1797, 8, 8)
    >>> GIST(n_blocks=2).fit_transform(images).shape
    (1797, 80)
    """

    features_version = 1  # raise it when the same images get other features

    def __init__(
        self,
        n_orientations: Sequence[int] = (8, 8, 4),
        n_blocks: int = 4,
        *,
        padding: Any = "auto",
        image_shape: tuple[int, ...] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_orientations = n_orientations
        self.n_blocks = n_blocks
        self.padding = padding
        self.image_shape = image_shape
        self.n_jobs = n_jobs

    def fit(self, images: Any, y: Any = None) -> Self:
        """Check the parameters and the images, and store their shape.

        Parameters
        ----------
        images : array-like
            As in `transform`.
        y : ignored

        Returns
        -------
        self : GIST
        """
        images = self._validate(images, reset=True)
        self.image_shape_ = images.shape[1:]
        self.n_features_in_ = math.prod(self.image_shape_)
        return self

    def transform(self, images: Any) -> np.ndarray:
        """Return the features of images.

        Parameters
        ----------
        images : array-like of shape (n, height, width), (n, height, width, 3) or (n, n_values)
            Bytes or floats of any range. Flat rows need `image_shape`. Sides are at least
            `n_blocks`.

        Returns
        -------
        ndarray of shape (n, sum(n_orientations) * n_blocks**2), float32
        """
        images = self._validate(images, reset=False)
        height, width = images.shape[1:3]
        padding = max(height, width) // 8 if self.padding == "auto" else self.padding
        shape = (height + 2 * padding, width + 2 * padding)
        bank = gabor_bank(shape, self.n_orientations)
        features = np.empty((len(images), self._n_features_out), dtype=np.float32)

        def describe(block: slice) -> None:
            grey = stretch(_grey(images[block]))
            means = mean_responses(normalise_contrast(grey), bank, padding, self.n_blocks)
            features[block] = means.reshape(len(grey), -1)

        step = max(1, BLOCK_BYTES // (math.prod(shape) * np.dtype(np.complex64).itemsize))
        blocks = [slice(start, start + step) for start in range(0, len(images), step)]
        Parallel(n_jobs=self.n_jobs, require="sharedmem")(map(delayed(describe), blocks))
        return features

    @property
    def _n_features_out(self) -> int:
        return sum(self.n_orientations) * self.n_blocks**2

    def _validate(self, images: Any, *, reset: bool) -> np.ndarray:
        """Return the images as (n, height, width) or (n, height, width, channels)."""
        self._check_parameters()
        array = check_array(images, allow_nd=True, ensure_2d=False, input_name="images")
        if array.ndim == 2:
            validate_data(self, images, reset=reset, skip_check_array=True)
            array = array.reshape(-1, *self._shape_of_rows(array.shape[1]))
        self._check_shape(array.shape)
        fitted = getattr(self, "image_shape_", array.shape[1:])
        if not reset and fitted != array.shape[1:]:
            raise ValueError(
                f"images must have the shape seen in fit, {fitted}; got {array.shape[1:]}."
            )
        return array

    def _shape_of_rows(self, n_values: int) -> tuple[int, ...]:
        """Return the shape of the images that flat rows hold."""
        if self.image_shape is None:
            raise ValueError(
                "images must have shape (n, height, width) or (n, height, width, 3); got a 2-D "
                "array. For flat rows, set image_shape=(height, width, 3)."
            )
        shape = tuple(self.image_shape)
        if n_values != math.prod(shape):
            raise ValueError(
                f"images must have {math.prod(shape)} values per row for image_shape={shape}; "
                f"got {n_values}."
            )
        return shape

    def _check_shape(self, shape: tuple[int, ...]) -> None:
        """Raise if an array of this shape does not contain images that can be described."""
        if not _is_image_shape(shape[1:]):
            raise ValueError(
                "images must have shape (n, height, width) or (n, height, width, 3); "
                f"got {shape}. Reshape your data, a single image to (1, height, width)."
            )
        if min(shape[1:3]) < self.n_blocks:
            raise ValueError(
                f"images must have at least n_blocks={self.n_blocks} pixels per side; "
                f"got {shape[1]} x {shape[2]}."
            )

    def _check_parameters(self) -> None:
        orientations, shape = self.n_orientations, self.image_shape
        if not _are_counts(orientations) or len(orientations) == 0:
            raise ValueError(
                "n_orientations must be integers of at least 1, for one or more scales; "
                f"got {orientations!r}."
            )
        if not _are_counts([self.n_blocks]):
            raise ValueError(f"n_blocks must be an integer of at least 1; got {self.n_blocks!r}.")
        if self.padding != "auto" and not _are_counts([self.padding], least=0):
            raise ValueError(
                f"padding must be 'auto' or an integer of at least 0; got {self.padding!r}."
            )
        if shape is not None and not (_are_counts(shape) and _is_image_shape(shape)):
            raise ValueError(
                f"image_shape must be (height, width) or (height, width, 3); got {shape!r}."
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.input_tags.two_d_array = self.image_shape is not None
        tags.input_tags.three_d_array = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _are_counts(values: Any, least: int = 1) -> bool:
    """Return whether values is a sequence of integers that are large enough."""
    return isinstance(values, Sequence | np.ndarray) and all(
        isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least
        for value in values
    )


def _is_image_shape(shape: Sequence[int]) -> bool:
    """Return whether a shape is (height, width) or (height, width, channels), grey or colour."""
    return len(shape) == 2 or (len(shape) == 3 and shape[2] in (1, 3))


def _grey(images: np.ndarray) -> np.ndarray:
    """Return the mean of the channels, if there are channels."""
    return images if images.ndim == 3 else images.mean(axis=3, dtype=np.float64)

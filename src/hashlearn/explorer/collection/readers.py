"""Readers: from an uploaded image to the vector that a hasher encodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

import numpy as np

from hashlearn.explorer.collection.decoding import KINDS, decode_image, encode_png
from hashlearn.explorer.collection.ink import ink_side, is_light_on_dark, place_ink
from hashlearn.features import GIST

if TYPE_CHECKING:
    from PIL.Image import Image

    from hashlearn.explorer.collection.images import ImageArray

MAX_SIDE = 1024  # of an image before it is scaled to the size of the items
N_SAMPLED = 200  # images that represent all of them
ORIENTATIONS = {320: (8, 8, 4), 512: (8, 8, 8, 8)}  # of GIST, by its number of features


class Seen(NamedTuple):
    """A file as hashers see it: the vector, (1, n_features), and a PNG file of it."""

    vector: np.ndarray
    image: bytes


class Reader(Protocol):
    """Reads an uploaded file as the vector that hashers encode."""

    @property
    def hint(self) -> str:
        """Which files can be uploaded, in words."""

    def read(self, data: bytes) -> np.ndarray:
        """Return the vector of a file, (1, n_features)."""

    def see(self, data: bytes) -> Seen:
        """Return the vector of a file and an image of it; the file is decoded once."""


class PixelReader:
    """The pixels of an image, row by row, as the items of a collection have them.

    An image of another size is scaled to fill `shape` and cropped to its centre; `low` and `high`
    are the values of black and white. With `invert` the items are grey and light on dark: an image
    with a bright border is inverted, and what is drawn is cut out and centred to fill the share
    `fill` of height and width, unless the image already has the right size.
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        low: float = 0.0,
        high: float = 1.0,
        invert: bool = False,
        fill: float = 1.0,
    ) -> None:
        self.shape, self.low, self.high = shape, low, high
        self.invert, self.fill = invert, fill

    @classmethod
    def like(cls, images: ImageArray, scale: float = 1.0) -> Self:
        """Return a reader whose images are like those of an array, with values times `scale`."""
        some = [images.pixels(i) for i in range(0, len(images), max(1, len(images) // N_SAMPLED))]
        levels = (np.stack(some) - images.low) / (images.high - images.low)
        invert = levels.ndim == 3 and is_light_on_dark(levels)
        fill = ink_side(levels) if invert else 1.0
        return cls(images.shape, images.low * scale, images.high * scale, invert, fill)

    @property
    def hint(self) -> str:
        """Which images can be uploaded, and how they are read."""
        seen = f"{KINDS}, read as {_pixels(self.shape)}"
        ink = "; the drawing is cut out and centred, and inverted if it is dark on light"
        return f"{seen}{ink if self.invert else ''}."

    def read(self, data: bytes) -> np.ndarray:
        """Return the vector of an image file, of shape (1, n_features)."""
        return self._vector(self._levels(data))

    def see(self, data: bytes) -> Seen:
        """Return the vector of an image file, and its pixels as an image."""
        from PIL import Image

        levels = self._levels(data)
        image = Image.fromarray(np.rint(levels).astype(np.uint8))
        return Seen(self._vector(levels), encode_png(image))

    def _vector(self, levels: np.ndarray) -> np.ndarray:
        scaled = self.low + (self.high - self.low) * (levels.reshape(1, -1) / 255)
        return scaled.astype(np.float32)

    def _levels(self, data: bytes) -> np.ndarray:
        """Return grey levels or colours from 0 to 255."""
        image = decode_image(data, side=max(MAX_SIDE, *self.shape[:2]))
        if not self.invert:
            return np.asarray(fitted(image, self.shape), dtype=np.float64)
        return place_ink(np.asarray(image.convert("L")), self.shape[:2], self.fill)


class GistReader:
    """The GIST features of an image, scaled to the size of the items' images.

    There are 320 or 512: from 4 x 4 blocks and the usual orientations.
    """

    def __init__(self, shape: tuple[int, ...], n_features: int = 320) -> None:
        if n_features not in ORIENTATIONS:
            raise ValueError(
                f"n_features must be {' or '.join(map(str, ORIENTATIONS))} for GIST; "
                f"the model has {n_features}."
            )
        self.shape = shape
        self._gist = GIST(ORIENTATIONS[n_features])

    @property
    def hint(self) -> str:
        """Which images can be uploaded, and how they are read."""
        return f"{KINDS}, read as GIST features of {_pixels(self.shape)}."

    def read(self, data: bytes) -> np.ndarray:
        """Return the features of an image file, of shape (1, n_features)."""
        return self.features(np.asarray(self._fitted(data)))

    def features(self, pixels: np.ndarray) -> np.ndarray:
        """Return the features of one image."""
        return self._gist.transform(pixels[np.newaxis]).astype(np.float32)

    def see(self, data: bytes) -> Seen:
        """Return the features of an image file, and the image that they describe."""
        image = self._fitted(data)
        return Seen(self.features(np.asarray(image)), encode_png(image))

    def _fitted(self, data: bytes) -> Image:
        return fitted(decode_image(data, side=max(MAX_SIDE, *self.shape[:2])), self.shape)


def fitted(image: Image, shape: tuple[int, ...]) -> Image:
    """Return the centre of an image in the given shape, grey or in colour."""
    from PIL import Image, ImageOps

    coloured = image.convert("L" if len(shape) == 2 else "RGB")
    size = shape[1], shape[0]
    if coloured.size == size:
        return coloured
    return ImageOps.fit(coloured, size, method=Image.Resampling.BOX)


def _pixels(shape: tuple[int, ...]) -> str:
    """Return a shape in words: '8 x 8 grey pixels', '32 x 32 colour pixels'."""
    return f"{shape[1]} x {shape[0]} {'grey' if len(shape) == 2 else 'colour'} pixels"

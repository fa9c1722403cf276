"""From an uploaded picture to the vector that a hasher encodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from hashlearn.explorer.collection.collection import Seen
from hashlearn.explorer.collection.decoding import FORMATS, decode_picture, encode_png
from hashlearn.explorer.collection.ink import ink_side, is_light_on_dark, place_ink
from hashlearn.features import GIST

if TYPE_CHECKING:
    from PIL.Image import Image

    from hashlearn.explorer.collection.images import ImageArray

MAX_SIDE = 1024  # of a picture that is fitted into a smaller one
N_SAMPLED = 200  # pictures that tell what all are like
ORIENTATIONS = {320: (8, 8, 4), 512: (8, 8, 8, 8)}  # of GIST, by its number of features
KINDS = f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}"


class PixelReader:
    """A picture's pixels, row by row, as the items of a collection have them.

    Parameters
    ----------
    shape : tuple of int
        (height, width) of grey pictures, or (height, width, 3). A picture of another size is
        scaled to fill it, and its middle is taken.
    low, high : float
        The values of black and white.
    invert : bool, default=False
        The items are grey and light on dark: a picture with a bright border is inverted, and
        unless it has the right size, what stands on its ground is cut out and centred.
    fill : float, default=1.0
        The share of the height and width that is then filled.

    Examples
    --------
    >>> from PIL import Image
    >>> reader = PixelReader((2, 2), low=0, high=16)
    >>> reader.read(encode_png(Image.new("L", (100, 50), 255)))
    array([[16., 16., 16., 16.]], dtype=float32)
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
        """Return a reader that makes pictures as those of an array, values times `scale`."""
        some = [images.pixels(i) for i in range(0, len(images), max(1, len(images) // N_SAMPLED))]
        levels = (np.stack(some) - images.low) / (images.high - images.low)
        invert = levels.ndim == 3 and is_light_on_dark(levels)
        fill = ink_side(levels) if invert else 1.0
        return cls(images.shape, images.low * scale, images.high * scale, invert, fill)

    @property
    def hint(self) -> str:
        """What a person should know who drops a picture."""
        seen = f"{KINDS}; it is seen as {_pixels(self.shape)}"
        ink = ", what is drawn cut out and centred, light on dark; dark on light is inverted"
        return f"{seen}{ink if self.invert else ''}."

    def read(self, data: bytes) -> np.ndarray:
        """Return the vector of a picture's file, of shape (1, n_features)."""
        return self._vector(self._levels(data))

    def see(self, data: bytes) -> Seen:
        """Return the vector of a picture's file, and its pixels as a picture."""
        from PIL import Image

        levels = self._levels(data)
        picture = Image.fromarray(np.rint(levels).astype(np.uint8))
        return Seen(self._vector(levels), encode_png(picture))

    def _vector(self, levels: np.ndarray) -> np.ndarray:
        scaled = self.low + (self.high - self.low) * (levels.reshape(1, -1) / 255)
        return scaled.astype(np.float32)

    def _levels(self, data: bytes) -> np.ndarray:
        """Return grey levels or colours from 0 to 255."""
        picture = decode_picture(data, side=max(MAX_SIDE, *self.shape[:2]))
        if not self.invert:
            return np.asarray(fitted(picture, self.shape), dtype=np.float64)
        return place_ink(np.asarray(picture.convert("L")), self.shape[:2], self.fill)


class GistReader:
    """The GIST features of a picture in the size that the items' pictures have.

    Parameters
    ----------
    shape : tuple of int
        (height, width) or (height, width, 3).
    n_features : int
        320 or 512: those of 4 x 4 blocks and the usual orientations.
    """

    def __init__(self, shape: tuple[int, ...], n_features: int = 320) -> None:
        if n_features not in ORIENTATIONS:
            raise ValueError(
                f"the model takes {n_features} features: GIST gives "
                f"{' or '.join(map(str, ORIENTATIONS))}."
            )
        self.shape = shape
        self._gist = GIST(ORIENTATIONS[n_features])

    @property
    def hint(self) -> str:
        """What a person should know who drops a picture."""
        return f"{KINDS}; its GIST features are taken at {_pixels(self.shape)}."

    def read(self, data: bytes) -> np.ndarray:
        """Return the features of a picture's file, of shape (1, n_features)."""
        return self.features(np.asarray(self._fitted(data)))

    def features(self, pixels: np.ndarray) -> np.ndarray:
        """Return the features of one picture."""
        return self._gist.transform(pixels[np.newaxis]).astype(np.float32)

    def see(self, data: bytes) -> Seen:
        """Return the features of a picture's file, and the picture that they describe."""
        picture = self._fitted(data)
        return Seen(self.features(np.asarray(picture)), encode_png(picture))

    def _fitted(self, data: bytes) -> Image:
        return fitted(decode_picture(data, side=max(MAX_SIDE, *self.shape[:2])), self.shape)


def fitted(picture: Image, shape: tuple[int, ...]) -> Image:
    """Return the middle of a picture in a size of pixels, grey or in colours as asked."""
    from PIL import Image, ImageOps

    coloured = picture.convert("L" if len(shape) == 2 else "RGB")
    size = shape[1], shape[0]
    if coloured.size == size:
        return coloured
    return ImageOps.fit(coloured, size, method=Image.Resampling.BOX)


def _pixels(shape: tuple[int, ...]) -> str:
    """Return a shape in words.

    Examples
    --------
    >>> _pixels((8, 8)), _pixels((32, 32, 3))
    ('8 x 8 grey pixels', '32 x 32 coloured pixels')
    """
    return f"{shape[1]} x {shape[0]} {'grey' if len(shape) == 2 else 'coloured'} pixels"

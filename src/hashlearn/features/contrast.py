"""Local contrast normalisation: every part of an image gets about the same mean and contrast."""

from __future__ import annotations

import numpy as np
from scipy import fft

# The constants of Oliva and Torralba's release.
CUTOFF = 4  # cycles per image at which the blur keeps half of an amplitude
MARGIN = 5  # pixels mirrored at each side, against the seam of a periodic image
FLOOR = 0.2  # added to the local contrast, so that flat parts stay flat


def stretch(images: np.ndarray) -> np.ndarray:
    """Return images with the darkest pixel of each at 0 and the brightest at 255, as float32.

    A constant image becomes 0 everywhere.

    Examples
    --------
    >>> stretch(np.array([[[10, 20], [15, 10]]])).tolist()
    [[[0.0, 255.0], [127.5, 0.0]]]
    """
    low = images.min(axis=(1, 2), keepdims=True).astype(np.float64)
    span = images.max(axis=(1, 2), keepdims=True) - low
    if not np.isfinite(span).all():
        raise ValueError("images hold values further apart than float64 reaches; scale them.")
    span[span == 0] = 1
    return ((images - low) / span * 255).astype(np.float32)


def normalise_contrast(images: np.ndarray) -> np.ndarray:
    r"""Return images less their local mean, divided by their local contrast.

    With :math:`x = \log(1 + image)` and a Gaussian blur :math:`B`, this is
    :math:`(x - Bx) / (0.2 + \sqrt{B (x - Bx)^2})`.

    Parameters
    ----------
    images : ndarray of shape (n, height, width), float32
        Grey values from 0 to 255.

    Returns
    -------
    ndarray of shape (n, height, width), float32

    Examples
    --------
    >>> images = np.zeros((1, 16, 16), dtype=np.float32)
    >>> images[0, 4:12, 4:12] = 255
    >>> normalise_contrast(images)[0, 8, [2, 5]] > 0  # outside and inside
    array([False,  True])
    """
    height, width = images.shape[1:]
    x = _mirrored_square(np.log1p(images))
    detail = x - _blurred(x)
    contrast = np.sqrt(np.abs(_blurred(detail**2)))  # rounding can leave it below 0
    detail /= np.float32(FLOOR) + contrast
    return detail[:, MARGIN : MARGIN + height, MARGIN : MARGIN + width]


def _mirrored_square(images: np.ndarray) -> np.ndarray:
    """Return images with a mirrored margin, and mirrored on to a square of an even side."""
    height, width = (side + 2 * MARGIN for side in images.shape[1:])
    side = max(height, width)
    side += side % 2
    rows, columns = ((MARGIN, MARGIN + side - length) for length in (height, width))
    return np.pad(images, ((0, 0), rows, columns), mode="symmetric")


def _blurred(images: np.ndarray) -> np.ndarray:
    """Return square images after the Gaussian low-pass filter."""
    side = images.shape[1]
    cycles = np.hypot(*np.meshgrid(np.fft.fftfreq(side), np.fft.rfftfreq(side), indexing="ij"))
    gain = np.exp2(-((cycles * side / CUTOFF) ** 2)).astype(np.float32)
    # Half of the spectrum is all of it: images are real, and the gain is even.
    return fft.irfft2(fft.rfft2(images) * gain, s=(side, side))

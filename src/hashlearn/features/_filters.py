"""Filters of the GIST descriptor: contrast normalisation and a bank of Gabor filters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import fft

from hashlearn._numerics.compiled import compiled

# The constants of Oliva and Torralba's release.
CUTOFF = 4  # cycles per image at which the blur halves an amplitude
MARGIN = 5  # pixels mirrored at each side, against the seam of a periodic image
FLOOR = 0.2  # added to the local contrast, so that flat parts stay flat


def stretch(images: np.ndarray) -> np.ndarray:
    """Return images scaled to 0..255 each, as float32; a constant image becomes 0."""
    low = images.min(axis=(1, 2), keepdims=True).astype(np.float64)
    span = images.max(axis=(1, 2), keepdims=True) - low
    if not np.isfinite(span).all():
        raise ValueError("The range of values in images overflows float64; scale the images.")
    span[span == 0] = 1
    return ((images - low) / span * 255).astype(np.float32)


def normalise_contrast(images: np.ndarray) -> np.ndarray:
    r"""Return images minus their local mean, divided by their local contrast.

    With :math:`x = \log(1 + image)` for grey values from 0 to 255 and a Gaussian blur :math:`B`,
    this is :math:`(x - Bx) / (0.2 + \sqrt{B (x - Bx)^2})`.
    """
    height, width = images.shape[1:]
    x = _mirrored_square(np.log1p(images))
    detail = x - _blurred(x)
    contrast = np.sqrt(np.abs(_blurred(detail**2)))  # rounding can make it negative
    detail /= np.float32(FLOOR) + contrast
    return detail[:, MARGIN : MARGIN + height, MARGIN : MARGIN + width]


def _mirrored_square(images: np.ndarray) -> np.ndarray:
    """Return images with a mirrored margin, extended by mirroring to a square of an even side."""
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


def gabor_bank(shape: tuple[int, int], n_orientations: Sequence[int]) -> np.ndarray:
    r"""Return the transfer functions of Gabor filters, from fine to coarse scales.

    At scale i and orientation j of o, a filter is a bump in polar coordinates of the frequency
    plane, f in cycles per pixel and :math:`\varphi` the angle from its direction: :math:`\exp(-3.5
    (f / f_i - 1)^2 - \frac{\pi}{32} o^2 \varphi^2)`, where :math:`f_i = 0.3 / 1.85^i` and the
    direction is :math:`-\pi j / o`.

    The result has shape (sum of n_orientations, height, width), with the frequencies in the order
    of `numpy.fft`.
    """
    fy, fx = np.meshgrid(*(np.fft.fftfreq(side) for side in shape), indexing="ij")
    f, angle = np.hypot(fx, fy), np.arctan2(fy, fx)
    bank = []
    for scale, o in enumerate(n_orientations):
        radial = -3.5 * (f / (0.3 / 1.85**scale) - 1) ** 2
        for j in range(o):
            phi = np.mod(angle + np.pi * j / o + np.pi, 2 * np.pi) - np.pi
            bank.append(np.exp(radial - np.pi / 32 * (o * phi) ** 2))
    return np.array(bank, dtype=np.float32)


def mean_responses(images: np.ndarray, bank: np.ndarray, padding: int, n_blocks: int) -> np.ndarray:
    """Return the mean magnitude of each filter's response in each block of each image.

    Images have `padding` pixels mirrored at each side while the filters work, so the bank has the
    shape (n_filters, height + 2 * padding, width + 2 * padding). The result has the shape (n,
    n_filters, n_blocks, n_blocks).
    """
    n, height, width = images.shape
    margins = (padding, padding)
    spectra = fft.fft2(np.pad(images, ((0, 0), margins, margins), mode="symmetric"))
    rows, columns = (padding + block_bounds(side, n_blocks) for side in (height, width))
    means = np.empty((n, len(bank), n_blocks, n_blocks), dtype=np.float32)
    for k, gain in enumerate(bank):
        # A gain is not even, so the response is complex: half of a spectrum is not enough.
        responses = fft.ifft2(spectra * gain, overwrite_x=True)
        _block_means(responses, rows, columns, means, k)
    return means


def block_bounds(side: int, n_blocks: int) -> np.ndarray:
    """Return where blocks begin, and where the last ends; lengths differ by at most one."""
    return np.arange(n_blocks + 1) * side // n_blocks


@compiled
def _block_means(
    responses: np.ndarray, rows: np.ndarray, columns: np.ndarray, means: np.ndarray, k: int
) -> None:
    """Write filter k's mean magnitude in each block, every image's summed in the same order."""
    sums = np.empty(responses.shape[2], dtype=np.float32)
    for i in range(responses.shape[0]):
        for a in range(len(rows) - 1):
            sums[:] = 0
            for y in range(rows[a], rows[a + 1]):
                for x in range(columns[0], columns[-1]):
                    z = responses[i, y, x]
                    sums[x] += np.sqrt(z.real * z.real + z.imag * z.imag)
            for b in range(len(columns) - 1):
                total = np.float32(0)
                for x in range(columns[b], columns[b + 1]):
                    total += sums[x]
                n_pixels = (rows[a + 1] - rows[a]) * (columns[b + 1] - columns[b])
                means[i, k, a, b] = total / np.float32(n_pixels)

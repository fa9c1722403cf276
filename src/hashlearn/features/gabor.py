"""A bank of Gabor filters in the frequency domain, and the mean strength of their responses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import fft

from hashlearn._numerics.compiled import compiled


def gabor_bank(shape: tuple[int, int], n_orientations: Sequence[int]) -> np.ndarray:
    r"""Return the transfer functions of Gabor filters, from fine to coarse scales.

    At scale i and orientation j of o, a filter is a bump in polar coordinates of the frequency
    plane, f in cycles per pixel and :math:`\varphi` the angle from its direction:
    :math:`\exp(-3.5 (f / f_i - 1)^2 - \frac{\pi}{32} o^2 \varphi^2)`, where
    :math:`f_i = 0.3 / 1.85^i` and the direction is :math:`-\pi j / o`.

    Parameters
    ----------
    shape : (int, int)
        Height and width of the images.
    n_orientations : sequence of int
        Number of orientations at each scale.

    Returns
    -------
    ndarray of shape (sum of n_orientations, height, width), float32
        In the order of frequencies of `numpy.fft`.

    Examples
    --------
    >>> bank = gabor_bank((32, 32), [4])
    >>> bank.shape
    (4, 32, 32)
    >>> [int(i) for i in np.unravel_index(bank[0].argmax(), (32, 32))]  # 10 / 32 is near 0.3
    [0, 10]
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

    Parameters
    ----------
    images : ndarray of shape (n, height, width), float32
        The images.
    bank : ndarray of shape (n_filters, height + 2 * padding, width + 2 * padding), float32
        The filters.
    padding : int
        Pixels mirrored at each side while the filters work.
    n_blocks : int
        Rows and columns of blocks.

    Returns
    -------
    ndarray of shape (n, n_filters, n_blocks, n_blocks), float32

    Examples
    --------
    >>> stripes = np.tile(np.float32([1, 1, -1, -1]), (1, 16, 4))
    >>> means = mean_responses(stripes, gabor_bank((16, 16), [8]), padding=0, n_blocks=1)
    >>> bool(means[0, 0] > 100 * means[0, 4])  # across the stripes, along them
    True
    """
    n, height, width = images.shape
    margins = (padding, padding)
    spectra = fft.fft2(np.pad(images, ((0, 0), margins, margins), mode="symmetric"))
    rows, columns = (padding + block_bounds(side, n_blocks) for side in (height, width))
    means = np.empty((n, len(bank), n_blocks, n_blocks), dtype=np.float32)
    for k, gain in enumerate(bank):
        # A gain is not even, so the response is complex: half of a spectrum would not do.
        responses = fft.ifft2(spectra * gain, overwrite_x=True)
        _block_means(responses, rows, columns, means[:, k])
    return means


def block_bounds(side: int, n_blocks: int) -> np.ndarray:
    """Return where blocks begin, and the last ends; their lengths differ by one at most.

    Examples
    --------
    >>> block_bounds(10, 4).tolist()
    [0, 2, 5, 7, 10]
    """
    return np.arange(n_blocks + 1) * side // n_blocks


@compiled
def _block_means(
    responses: np.ndarray, rows: np.ndarray, columns: np.ndarray, means: np.ndarray
) -> None:
    """Write the mean magnitude in each block, every image's summed in the same order."""
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
                means[i, a, b] = total / np.float32(n_pixels)

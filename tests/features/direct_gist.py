"""GIST as its formulas say, one image and one frequency at a time, in float64."""

import cmath
import math
from functools import cache

import numpy as np


def direct_gist(image, n_orientations, n_blocks, padding):
    """Return the descriptor of one image, (height, width) or (height, width, channels)."""
    grey = np.asarray(image, dtype=np.float64)
    if grey.ndim == 3:
        grey = sum(grey[:, :, c] for c in range(grey.shape[2])) / grey.shape[2]
    low, high = grey.min(), grey.max()
    grey = 255 * (grey - low) / (high - low)
    x = mirrored(contrast_normalised(grey), padding, padding, padding, padding)
    spectrum = np.fft.fft2(x)
    descriptor = []
    for scale, o in enumerate(n_orientations):
        for j in range(o):
            response = np.fft.ifft2(spectrum * gabor(x.shape, scale, j, o))
            response = response[padding : padding + len(grey), padding : padding + len(grey[0])]
            descriptor.extend(block_means(response, n_blocks))
    return np.array(descriptor)


def contrast_normalised(grey):
    height, width = grey.shape
    side = max(height, width) + 10
    side += side % 2
    x = mirrored(np.log(1 + grey), 5, side - height - 5, 5, side - width - 5)
    gain = gaussian(side)
    detail = x - np.fft.ifft2(np.fft.fft2(x) * gain).real
    deviation = np.sqrt(np.abs(np.fft.ifft2(np.fft.fft2(detail**2) * gain)))
    return (detail / (0.2 + deviation))[5 : 5 + height, 5 : 5 + width]


def mirrored(x, above, below, left, right):
    """Return an image continued at each side as a mirror on its border continues it."""
    height, width = x.shape
    return np.array(
        [
            [x[mirror(i, height), mirror(j, width)] for j in range(-left, width + right)]
            for i in range(-above, height + below)
        ]
    )


def mirror(i, n):
    i %= 2 * n
    return i if i < n else 2 * n - 1 - i


def frequency(i, n):
    """Return the cycles per image of a position in a spectrum."""
    return i if i < (n + 1) // 2 else i - n


@cache
def gaussian(side, cutoff=4):
    s = cutoff / math.sqrt(math.log(2))
    gain = np.empty((side, side))
    for i in range(side):
        for j in range(side):
            squares = frequency(i, side) ** 2 + frequency(j, side) ** 2
            gain[i, j] = math.exp(-squares / s**2)
    return gain


@cache
def gabor(shape, scale, j, o):
    """Return the transfer function with the parameters as the authors' release writes them."""
    a, b, c, theta = 0.35, 0.3 / 1.85**scale, 16 * o**2 / 32**2, math.pi / o * j
    gain = np.empty(shape)
    for row in range(shape[0]):
        for column in range(shape[1]):
            f = complex(frequency(column, shape[1]) / shape[1], frequency(row, shape[0]) / shape[0])
            angle = cmath.phase(f) + theta
            angle -= 2 * math.pi * (angle > math.pi)
            exponent = -10 * a * (abs(f) / b - 1) ** 2 - 2 * c * math.pi * angle**2
            gain[row, column] = math.exp(exponent)
    return gain


def block_means(response, n_blocks):
    height, width = response.shape
    means = []
    for a in range(n_blocks):
        for b in range(n_blocks):
            total, count = 0.0, 0
            for i in range(a * height // n_blocks, (a + 1) * height // n_blocks):
                for j in range(b * width // n_blocks, (b + 1) * width // n_blocks):
                    total += abs(response[i, j])
                    count += 1
            means.append(total / count)
    return means

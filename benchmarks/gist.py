"""GIST features of all CIFAR-10 images against one image at a time in NumPy.

Run as ``python benchmarks/gist.py [--peer-images 500]``. The peer reuses its filters, and is timed
on a few images and scaled to all of them. Target: 60,000 images within two minutes, two threads.
"""

import argparse

import numpy as np

from data import cifar10
from hashlearn.features import GIST
from timing import best_time

ORIENTATIONS, N_BLOCKS, PADDING, MARGIN = (8, 8, 4), 4, 4, 5
TARGET_SECONDS = 120
REPEATS = 2


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer-images", type=int, default=500, help="images the peer is timed on")
    n_peer = parser.parse_args().peer_images
    images = cifar10()[0].reshape(-1, 32, 32, 3)
    n = len(images)
    GIST().transform(images[:1])  # compile first
    peer_seconds, expected = best_time(lambda: one_at_a_time(images[:n_peer]), 1)
    print(f"{n:,} images of 32 x 32 x 3, 320 features; peer on {n_peer} images, scaled\n")
    print(f"{'':28}{'seconds':>10}{'images/s':>11}{'ratio':>8}")
    row("one at a time, NumPy", n, peer_seconds * n / n_peer, 1)
    for n_jobs in (1, 2):
        transformer = GIST(ORIENTATIONS, N_BLOCKS, padding=PADDING, n_jobs=n_jobs)
        seconds, features = best_time(lambda t=transformer: t.transform(images), REPEATS)
        row(f"GIST, n_jobs={n_jobs}", n, seconds, peer_seconds * n / n_peer / seconds)
    print(f"\nlargest difference: {np.abs(features[:n_peer] - expected).max():.1e}")
    verdict = "met" if seconds <= TARGET_SECONDS else "missed"
    print(f"target of two minutes: {verdict} ({seconds:.1f} s)")


def row(name, n, seconds, ratio):
    print(f"{name:28}{seconds:10.1f}{n / seconds:11,.0f}{ratio:7.0f}x", flush=True)


def one_at_a_time(images):
    """Return the features, computed image by image in float64."""
    blur, bank = filters(images.shape[1])
    return np.array([describe(image, blur, bank) for image in images])


def describe(image, blur, bank):
    grey = image.mean(axis=2)
    grey = 255 * (grey - grey.min()) / max(1e-9, np.ptp(grey))
    x = np.pad(np.log1p(grey), MARGIN, mode="symmetric")
    x = x - blurred(x, blur)
    x = x / (0.2 + np.sqrt(np.abs(blurred(x**2, blur))))
    x = np.pad(x[MARGIN:-MARGIN, MARGIN:-MARGIN], PADDING, mode="symmetric")
    spectrum, side = np.fft.fft2(x), len(grey) // N_BLOCKS
    means = []
    for gain in bank:
        response = np.abs(np.fft.ifft2(spectrum * gain))[PADDING:-PADDING, PADDING:-PADDING]
        means.append(response.reshape(N_BLOCKS, side, N_BLOCKS, side).mean(axis=(1, 3)))
    return np.ravel(means)


def blurred(x, blur):
    return np.fft.ifft2(np.fft.fft2(x) * blur).real


def filters(side):
    """Return the Gaussian of the contrast normalisation, and the Gabor bank."""
    f, _ = polar(side + 2 * MARGIN)
    blur = np.exp(-np.log(2) * (f * len(f) / 4) ** 2)
    f, angle = polar(side + 2 * PADDING)
    bank = []
    for scale, o in enumerate(ORIENTATIONS):
        for j in range(o):
            phi = (angle + np.pi * j / o + np.pi) % (2 * np.pi) - np.pi
            radial = 3.5 * (f * 1.85**scale / 0.3 - 1) ** 2
            bank.append(np.exp(-radial - np.pi / 32 * (o * phi) ** 2))
    return blur, bank


def polar(side):
    """Return length and angle of the frequencies of a square image."""
    fy, fx = np.meshgrid(np.fft.fftfreq(side), np.fft.fftfreq(side), indexing="ij")
    return np.hypot(fx, fy), np.arctan2(fy, fx)


if __name__ == "__main__":
    main()

"""Drawings on a plain background: found, cut out and placed like the items of a collection."""

from __future__ import annotations

import numpy as np

INK = 0.35  # between background (0) and strongest value (1): above the noise of a photograph
DARK = 0.2  # largest mean border of images that are light on dark


def is_light_on_dark(levels: np.ndarray) -> bool:
    """Tell whether grey images, values from 0 to 1, have a dark background."""
    return float(np.mean([_border(image).mean() for image in levels])) < DARK


def ink_side(levels: np.ndarray) -> float:
    """Return the mean share of height or width that the ink of light-on-dark images fills."""
    boxes = [box for image in levels if (box := _ink_box(_ink(image))) is not None]
    sides = [_share(box, levels.shape[1:]) for box in boxes]
    return float(np.mean(sides)) if sides else 1.0


def place_ink(levels: np.ndarray, shape: tuple[int, ...], fill: float) -> np.ndarray:
    """Return the drawing of a grey image, light on dark, centred in a shape; values 0 to 255.

    `fill` is the share of height or width that the ink fills. An image that already has this shape
    is inverted if its border is bright, and not moved.
    """
    if levels.shape == shape:
        return (255 - levels if _is_bright(levels) else levels).astype(np.float64)
    ink = _ink(levels.astype(np.float64))
    box = _ink_box(ink)
    if box is None:
        return np.zeros(shape)
    placed = _centred(ink[box], shape, fill)
    return 255 * placed / placed.max()


def _ink(levels: np.ndarray) -> np.ndarray:
    """Return how much each pixel differs from the background, from 0 to 1."""
    background = float(np.median(_border(levels)))
    differing = background - levels if _is_bright(levels) else levels - background
    strongest = differing.max()
    return differing.clip(0) / strongest if strongest > 0 else np.zeros(levels.shape)


def _is_bright(levels: np.ndarray) -> bool:
    """Tell whether the border is brighter than the middle between darkest and brightest value."""
    return bool(np.median(_border(levels)) > (float(levels.min()) + float(levels.max())) / 2)


def _border(levels: np.ndarray) -> np.ndarray:
    return np.concatenate([levels[0], levels[-1], levels[:, 0], levels[:, -1]])


def _ink_box(ink: np.ndarray) -> tuple[slice, slice] | None:
    """Return the rows and columns that contain ink, or None."""
    is_ink = ink > INK
    if not is_ink.any():
        return None
    rows, columns = (np.flatnonzero(is_ink.any(axis=axis)) for axis in (1, 0))
    return slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)


def _share(box: tuple[slice, slice], shape: tuple[int, ...]) -> float:
    return max((part.stop - part.start) / side for part, side in zip(box, shape, strict=True))


def _centred(ink: np.ndarray, shape: tuple[int, ...], fill: float) -> np.ndarray:
    """Return ink averaged over the pixels of an image, in its centre."""
    scale = max(has / (fill * wanted) for has, wanted in zip(ink.shape, shape, strict=True))
    down, across = (_shares(*sides, scale) for sides in zip(ink.shape, shape, strict=True))
    return down @ ink @ across.T


def _shares(n_given: int, n_wanted: int, scale: float) -> np.ndarray:
    """Return the share of each wanted pixel, `scale` wide, that every given pixel covers."""
    given = np.arange(n_given) + (scale * n_wanted - n_given) / 2
    wanted = scale * np.arange(n_wanted)[:, np.newaxis]
    common = np.minimum(given + 1, wanted + scale) - np.maximum(given, wanted)
    return common.clip(0) / scale

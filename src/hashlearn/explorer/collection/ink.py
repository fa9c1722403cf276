"""What is drawn on a plain ground: found, cut out and placed as a collection's items have it."""

from __future__ import annotations

import numpy as np

INK = 0.35  # of the way from the ground to the strongest value: above the noise of a photograph
DARK = 0.2  # mean border of pictures that are light on dark


def is_light_on_dark(levels: np.ndarray) -> bool:
    """Tell whether grey pictures, values from 0 to 1, have a dark ground.

    Parameters
    ----------
    levels : ndarray of shape (n, height, width)

    Examples
    --------
    >>> pictures = np.zeros((3, 9, 9))
    >>> pictures[:, 2:7, 4] = 1
    >>> is_light_on_dark(pictures), is_light_on_dark(1 - pictures)
    (True, False)
    """
    return float(np.mean([_border(picture).mean() for picture in levels])) < DARK


def ink_side(levels: np.ndarray) -> float:
    """Return the mean share of the side that the ink of light-on-dark pictures takes.

    Examples
    --------
    >>> picture = np.zeros((10, 10))
    >>> picture[2:7, 4] = 1
    >>> ink_side(picture[np.newaxis])
    0.5
    """
    boxes = [box for picture in levels if (box := _ink_box(_ink(picture))) is not None]
    sides = [_share(box, levels.shape[1:]) for box in boxes]
    return float(np.mean(sides)) if sides else 1.0


def place_ink(levels: np.ndarray, shape: tuple[int, ...], fill: float) -> np.ndarray:
    """Return what is drawn, light on dark, centred in a picture of a given shape.

    A picture of that very shape is only inverted, if its border is bright.

    Parameters
    ----------
    levels : ndarray of shape (height, width), uint8
        Light on dark or dark on light: the border tells.
    shape : tuple of int
        (height, width) of the result.
    fill : float
        The share of height or width that the ink takes.

    Returns
    -------
    placed : ndarray of that shape
        Values from 0 to 255.
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
    """Return how much each pixel differs from the ground, towards ink; at most 1."""
    ground = float(np.median(_border(levels)))
    differing = ground - levels if _is_bright(levels) else levels - ground
    strongest = differing.max()
    return differing.clip(0) / strongest if strongest > 0 else np.zeros(levels.shape)


def _is_bright(levels: np.ndarray) -> bool:
    """Tell whether the border is brighter than the middle between black and white of a picture."""
    return bool(np.median(_border(levels)) > (float(levels.min()) + float(levels.max())) / 2)


def _border(levels: np.ndarray) -> np.ndarray:
    return np.concatenate([levels[0], levels[-1], levels[:, 0], levels[:, -1]])


def _ink_box(ink: np.ndarray) -> tuple[slice, slice] | None:
    """Return the rows and columns that hold all ink; None if there is none."""
    is_ink = ink > INK
    if not is_ink.any():
        return None
    rows, columns = (np.flatnonzero(is_ink.any(axis=axis)) for axis in (1, 0))
    return slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)


def _share(box: tuple[slice, slice], shape: tuple[int, ...]) -> float:
    return max((part.stop - part.start) / side for part, side in zip(box, shape, strict=True))


def _centred(ink: np.ndarray, shape: tuple[int, ...], fill: float) -> np.ndarray:
    """Return ink averaged over the pixels of a picture, in its middle."""
    scale = max(has / (fill * wanted) for has, wanted in zip(ink.shape, shape, strict=True))
    down, across = (_shares(*sides, scale) for sides in zip(ink.shape, shape, strict=True))
    return down @ ink @ across.T


def _shares(n_given: int, n_wanted: int, scale: float) -> np.ndarray:
    """Return how much of each wanted pixel, `scale` wide, every given one covers, in the middle.

    Examples
    --------
    >>> _shares(2, 2, scale=2)
    array([[0.5, 0. ],
           [0. , 0.5]])
    """
    given = np.arange(n_given) + (scale * n_wanted - n_given) / 2
    wanted = scale * np.arange(n_wanted)[:, np.newaxis]
    common = np.minimum(given + 1, wanted + scale) - np.maximum(given, wanted)
    return common.clip(0) / scale

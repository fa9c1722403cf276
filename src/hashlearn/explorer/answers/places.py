"""Places of codes on a plane: by principal components, or by t-SNE for neighbourhoods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from sklearn.manifold import TSNE
from sklearn.utils.extmath import randomized_svd
from threadpoolctl import threadpool_limits

N_PASSES = 7  # over the codes: exact to a pixel, where a full decomposition takes long
MIN_TSNE = 5  # codes: fewer have no neighbourhoods to preserve
PERPLEXITY = 30  # scikit-learn's default
N_STEPS = 500  # of t-SNE; the map hardly changes after them
ANGLE = 0.8  # accuracy of distant codes: the coarsest that scikit-learn recommends
START_SPREAD = 1e-4  # of the first axis, as scikit-learn initialises t-SNE

LayoutName = Literal["pca", "tsne"]


def principal_places(bits: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the two principal components of distinct codes.

    Parameters
    ----------
    bits : ndarray of shape (n, n_bits), 0/1
        Distinct codes.
    weights : ndarray of shape (n,)
        Number of items with each code.

    Returns
    -------
    places : ndarray of shape (n, 2), float64

    Examples
    --------
    >>> principal_places(np.array([[0], [1]]), weights=np.array([3, 1])).round(2)
    array([[-0.5,  0. ],
           [ 1.5,  0. ]])
    """
    signs = 2.0 * bits - 1
    signs -= np.average(signs, axis=0, weights=weights)
    weighted = signs * np.sqrt(weights)[:, None]
    _, _, axes = randomized_svd(weighted, n_components=2, n_iter=N_PASSES, random_state=0)
    places = np.zeros((len(signs), 2))  # a single bit has a single axis
    places[:, : len(axes)] = signs @ axes.T
    return places


def neighbour_places(bits: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return t-SNE places by Hamming distance, started from the principal components.

    Takes what :func:`principal_places` takes; the weights influence the start only. Fewer than five
    codes stay at their principal components.
    """
    places = principal_places(bits, weights)
    if len(bits) < MIN_TSNE:
        return places
    tsne = TSNE(
        perplexity=min(PERPLEXITY, (len(bits) - 1) / 3),
        init=(places * (START_SPREAD / places[:, 0].std())).astype(np.float32),
        max_iter=N_STEPS,
        angle=ANGLE,
        random_state=0,
    )
    # On one thread: more of them mostly wait for each other, and searches need the other cores.
    with threadpool_limits(limits=1, user_api="openmp"):
        # Squared Euclidean distances of bits are Hamming distances.
        return tsne.fit_transform(bits.astype(np.float32))


class Layout(NamedTuple):
    """A way to place codes, and the number of codes that it places within seconds."""

    place: Callable[[np.ndarray, np.ndarray], np.ndarray]
    max_codes: int


LAYOUTS: dict[LayoutName, Layout] = {
    "pca": Layout(principal_places, max_codes=5000),
    "tsne": Layout(neighbour_places, max_codes=2000),
}


def into_square(places: np.ndarray) -> np.ndarray:
    """Return places centred and scaled, equally in both directions, to fill [-1, 1].

    Examples
    --------
    >>> into_square(np.array([[1.0, 5.0], [5.0, 6.0]]))
    array([[-1.  , -0.25],
           [ 1.  ,  0.25]])
    """
    low, high = places.min(axis=0), places.max(axis=0)
    half = (high - low).max() / 2
    return (places - (low + high) / 2) / (half or 1.0)

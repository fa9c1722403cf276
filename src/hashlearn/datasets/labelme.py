"""LabelMe-22K: GIST features with similar pairs instead of labels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from hashlearn.datasets._files import (
    Folder,
    check_finite,
    row_blocks,
    the_file,
    warn_unlike,
)
from hashlearn.datasets._matlab import MatFile, open_mat
from hashlearn.datasets.base import Dataset, register

NAMES = ("LabelMe_gist.mat", "LabelMe_GIST.mat")
N_ITEMS, N_FEATURES = 22019, 512
N_NEIGHBORS = 50


@register("labelme")
def load_labelme(data_home: Folder | None = None) -> Dataset:
    """Load LabelMe-22K: 22,019 images as 512 GIST features, with pairs that are truly similar.

    The file ``LabelMe_gist.mat`` is looked for in the data folders and in ``labelme/`` there. It
    comes with the code of [1]_ and is used by that of [2]_. These of its variables are read:
    `gist` (22,019 x 512), `img` (32 x 32 x 3 x 22,019), `ndxtrain` (1 x 20,019, from 1 on) and
    `DistLM` (22,019 x 22,019), which, despite its name, is larger for images whose annotations
    are more alike.

    Pairs are similar by the rule of [2]_ (`create_data.m`, its ``sem-22K-labelme``): `DistLM` is
    made symmetric by the mean with its transpose; the threshold is the mean, over the training
    images, of the 50th largest value among the training images; a pair above it is similar.

    Parameters
    ----------
    data_home : str or path-like, optional
        The folder to search before ``HASHLEARN_DATA`` and scikit-learn's data home.

    Returns
    -------
    Dataset
        `X` is float32; `similar` holds the pairs, and every item with itself; `images` are
        given if the file has them as uint8. There are no labels.

    Notes
    -----
    `DistLM` takes 2 to 4 gigabytes of memory while it is read.

    References
    ----------
    .. [1] Torralba, Fergus, Weiss, "Small Codes and Large Image Databases for Recognition",
       CVPR 2008.
    .. [2] Norouzi, Fleet, "Minimal Loss Hashing for Compact Binary Codes", ICML 2011.

    Examples
    --------
    >>> from hashlearn.datasets import load_labelme
    >>> load_labelme().similar.shape  # doctest: +SKIP
    (22019, 22019)
    """
    mat = open_mat(the_file("labelme", NAMES, ["labelme", "LabelMe"], data_home))
    _check_shapes(mat)
    X = mat.read("gist").astype(np.float32)
    check_finite(X, f"'gist' of {mat.called}")
    training = _training(mat, len(X))
    affinity = mat.read("DistLM")
    check_finite(affinity, f"'DistLM' of {mat.called}")
    return Dataset(
        name="labelme",
        X=np.ascontiguousarray(X),
        images=_images(mat),
        similar=_similar_pairs(affinity, training),
    )


def _similar_pairs(
    affinity: np.ndarray | sparse.csr_array, training: np.ndarray, n_neighbors: int = N_NEIGHBORS
) -> sparse.csr_array:
    """Return the pairs that are as alike as near neighbours among the training items.

    The symmetric part of the affinity decides. A training item has about `n_neighbors` similar
    ones among the training items, itself included.
    """
    n, k = affinity.shape[0], min(n_neighbors, len(training))
    kth = np.empty(n)
    for rows, block in _symmetric_blocks(affinity):
        kth[rows] = np.partition(block[:, training], -k, axis=1)[:, -k]
    threshold = kth[training].mean()
    blocks = [sparse.csr_array(block > threshold) for _, block in _symmetric_blocks(affinity)]
    return sparse.csr_array(sparse.vstack(blocks)) + sparse.eye_array(n, dtype=bool, format="csr")


def _symmetric_blocks(
    affinity: np.ndarray | sparse.csr_array,
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield the symmetric part, which is too large as a whole, in dense blocks of rows."""
    if sparse.issparse(affinity):
        mean = sparse.csr_array((affinity + affinity.T) / 2)
        yield from ((rows, mean[rows].toarray()) for rows in row_blocks(affinity))
    else:
        for rows in row_blocks(affinity):
            yield rows, (affinity[rows].astype(np.float64) + affinity[:, rows].T) / 2


def _check_shapes(mat: MatFile) -> None:
    mat.check_names("gist", "DistLM")
    gist, pairs = mat.shapes["gist"], mat.shapes["DistLM"]
    if len(gist) != 2 or pairs != (gist[0], gist[0]):
        raise ValueError(
            f"{mat.called} has 'gist' of shape {gist} and 'DistLM' of shape {pairs}; these must "
            f"be (n, n_features) and (n, n)."
        )
    image = mat.shapes.get("img")
    if image is not None and (len(image) != 4 or image[2:] != (3, gist[0])):
        raise ValueError(
            f"{mat.called} has 'img' of shape {image}; it must be (height, width, 3, {gist[0]})."
        )
    warn_unlike("labelme", gist, N_ITEMS, range(N_FEATURES, N_FEATURES + 1), mat.called)


def _training(mat: MatFile, n_items: int) -> np.ndarray:
    """Return the training items, counted from 0; all if the file does not name them."""
    if "ndxtrain" not in mat.shapes:
        return np.arange(n_items)
    numbers = mat.read("ndxtrain").ravel()
    if not len(numbers) or not np.isin(numbers, np.arange(1, n_items + 1)).all():
        raise ValueError(f"{mat.called} has 'ndxtrain' with numbers outside of 1 to {n_items:,}.")
    return numbers.astype(np.int64) - 1


def _images(mat: MatFile) -> np.ndarray | None:
    images = mat.read("img") if "img" in mat.shapes else None
    return images.transpose(3, 0, 1, 2) if images is not None and images.dtype == np.uint8 else None

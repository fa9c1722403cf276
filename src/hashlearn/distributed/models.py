"""Model files that must hold a hasher: what workers and commands encode with."""

from __future__ import annotations

import os

from hashlearn.base import BaseHasher


def load_hasher(path: str | os.PathLike[str]) -> BaseHasher:
    """Return the fitted hasher that a model file holds.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    hasher : BaseHasher

    Raises
    ------
    ValueError
        If the file holds something else, such as a loss.

    Examples
    --------
    >>> import tempfile
    >>> from hashlearn import make_hasher
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     make_hasher("lsh", n_bits=8).fit([[0.0, 1.0], [1.0, 0.0]]).save(f"{folder}/model")
    ...     load_hasher(f"{folder}/model").n_bits
    8
    """
    from hashlearn import load

    model = load(path)
    if not isinstance(model, BaseHasher):
        raise ValueError(
            f"'{os.fspath(path)}' holds a {type(model).__name__}, which is not a hasher."
        )
    return model

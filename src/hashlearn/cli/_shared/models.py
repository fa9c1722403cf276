"""Model files that must hold a hasher."""

from __future__ import annotations

import os

from hashlearn.base import BaseHasher


def load_hasher(path: str | os.PathLike[str]) -> BaseHasher:
    """Return the fitted hasher that a model file holds; raise if it holds something else."""
    from hashlearn import load

    model = load(path)
    if not isinstance(model, BaseHasher):
        raise ValueError(
            f"'{os.fspath(path)}' holds a {type(model).__name__}, which is not a hasher."
        )
    return model

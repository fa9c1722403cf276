"""A uniform random sample of a file's items, in one bounded pass.

Every item draws a random number, and the items with the smallest ones are the sample. So the
sample depends on the seed and the number of items only, not on the kind of file or its blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from hashlearn.io.items.base import Block, Items, take

DRAWS = 2**20  # at once, where positions are chosen before anything is read


def sample_items(
    source: Items,
    n: int,
    random_state: Any = None,
    features: Sequence[str] | None = None,
    others: Sequence[str] = (),
) -> tuple[Block, int]:
    """Take at most `n` items at random, each set of them equally likely.

    Parameters
    ----------
    source : Items
        What `open_items` returned.
    n : int
        The size of the sample; all items if there are fewer.
    random_state : int, RandomState instance or None
        Seeds the choice. The same seed chooses the same rows of any kind of file.
    features, others : sequence of str
        As for `Items.blocks`.

    Returns
    -------
    block : Block
        The sample, in the order of the file.
    n_seen : int
        The number of items in the file.

    Examples
    --------
    >>> import tempfile
    >>> from hashlearn.io.items import open_items
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/X.npy", np.arange(100.0).reshape(50, 2))
    ...     block, n_seen = sample_items(open_items(f"{folder}/X.npy"), 3, random_state=0)
    >>> block.features.shape, n_seen
    ((3, 2), 50)
    """
    if n < 1:
        raise ValueError(f"n={n} is out of range; a sample takes at least 1 item.")
    random = check_random_state(random_state)
    if source.n_items is None:
        parts, n_seen = _smallest(source.blocks(features, others), n, random)
        return source.join(parts, features, others), n_seen
    source.feature_names(features, others)  # wrong names are refused before the draws
    parts, n_seen = _smallest(_positions(source.n_items), n, random)
    positions = [part.features for part in parts] or [np.empty(0, dtype=np.int64)]
    return source.rows(np.concatenate(positions), features, others), n_seen


def _smallest(
    blocks: Iterable[Block], n: int, random: np.random.RandomState
) -> tuple[list[Block], int]:
    """Return the n items that draw the smallest numbers, as blocks, and how many there were."""
    draws: list[np.ndarray] = []
    parts: list[Block] = []
    n_seen = 0
    for block in blocks:
        n_seen += len(block.features)
        draws.append(random.random_sample(len(block.features)))
        parts.append(block)
        if n_seen > n:
            drawn = np.concatenate(draws)
            limit = np.partition(drawn, n - 1)[n - 1]
            kept = [values <= limit for values in draws]
            # Only what loses items is copied: later blocks rarely touch earlier ones.
            parts = [
                part if rows.all() else take(part, rows)
                for part, rows in zip(parts, kept, strict=True)
            ]
            draws = [values[rows] for values, rows in zip(draws, kept, strict=True)]
    return parts, n_seen


def _positions(n_items: int) -> Iterator[Block]:
    """Yield the positions of items in place of their features."""
    for start in range(0, n_items, DRAWS):
        yield Block(np.arange(start, min(start + DRAWS, n_items)), {})

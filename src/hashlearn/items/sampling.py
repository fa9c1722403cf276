"""Uniform random samples of a file's items, in one pass within bounded memory.

Every item draws a random number, and the items with the smallest ones are the sample. So the
sample depends only on the seed and the number of items, not on the kind of file or its blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from hashlearn.items.base import Advance, Block, Items

DRAWS = 2**20  # numbers drawn at once if positions are chosen before anything is read


class Sample(NamedTuple):
    """Some items of a file, in their order there.

    Attributes
    ----------
    block : Block
        The items.
    positions : ndarray, int64
        Their rows in the file.
    n_items : int
        The number of items in the file.
    """

    block: Block
    positions: np.ndarray
    n_items: int


def sample_items(
    source: Items,
    n: int,
    random_state: Any = None,
    features: Sequence[str] | None = None,
    others: Sequence[str] = (),
    advance: Advance | None = None,
) -> Sample:
    """Return at most `n` items at random; all sets of `n` items are equally likely.

    Parameters
    ----------
    source : Items
        The file, as `open_items` returns it.
    n : int
        The size of the sample; all items if there are fewer.
    random_state : int, RandomState instance or None
        Seeds the choice. The same seed chooses the same rows in any kind of file.
    features, others : sequence of str
        As for `Items.blocks`.
    advance : callable, optional
        Called with the number of items of every block that is read.

    Returns
    -------
    sample : Sample

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from hashlearn.items import open_items, sample_items
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/X.npy", np.arange(100.0).reshape(50, 2))
    ...     sample = sample_items(open_items(f"{folder}/X.npy"), 3, random_state=0)
    >>> sample.block.features.shape, sample.n_items
    ((3, 2), 50)
    """
    if n < 1:
        raise ValueError(f"n must be at least 1; got {n}.")
    from sklearn.utils import check_random_state  # only `fit` needs it

    random = check_random_state(random_state)
    if source.n_items is None:
        blocks = source.watched_blocks(features, others, advance)
        parts, positions, n_items = _smallest(blocks, n, random)
        return Sample(source.join(parts, features, others), positions, n_items)
    source.feature_names(features, others)  # refuses wrong names before the draws
    _, positions, n_items = _smallest(_empty_blocks(source.n_items), n, random)
    return Sample(source.rows(positions, features, others, advance), positions, n_items)


def _smallest(
    blocks: Iterable[Block], n: int, random: np.random.RandomState
) -> tuple[list[Block], np.ndarray, int]:
    """Return the n items with the smallest draws, as blocks and positions, and the number of all.

    For each block that still has items in the sample, `draws` holds their numbers and `places`
    their positions.
    """
    parts: list[Block] = []
    draws: list[np.ndarray] = []
    places: list[np.ndarray] = []
    n_seen = 0
    for block in blocks:
        size = len(block.features)
        parts.append(block)
        draws.append(random.random_sample(size))
        places.append(np.arange(n_seen, n_seen + size))
        n_seen += size
        if n_seen > n:
            limit = np.partition(np.concatenate(draws), n - 1)[n - 1]
            kept = [values <= limit for values in draws]
            # Only blocks that lose items are copied: later blocks rarely affect earlier ones.
            parts = [
                part if rows.all() else part.take(rows)
                for part, rows in zip(parts, kept, strict=True)
            ]
            draws, places = (
                [values[rows] for values, rows in zip(column, kept, strict=True)]
                for column in (draws, places)
            )
    return parts, np.concatenate([np.empty(0, dtype=np.int64), *places]), n_seen


def _empty_blocks(n_items: int) -> Iterator[Block]:
    """Yield blocks without features, where only positions are needed."""
    for start in range(0, n_items, DRAWS):
        yield Block(np.empty((min(DRAWS, n_items - start), 0)), {})

"""For the tests of index files: what an index could hold."""

from __future__ import annotations

import numpy as np

from hashlearn.io.index_file import IndexContent


def random_content(n, n_bits, layout="plain", *, own_ids=False, seed=0) -> IndexContent:
    """Return n random codes of few distinct ones, arranged as an index arranges them."""
    random = np.random.default_rng(seed)
    n_words = -(-n_bits // 64)
    bits = np.zeros((max(1, n // 3), 64 * n_words), dtype=np.uint8)
    bits[:, :n_bits] = random.integers(0, 2, (len(bits), n_bits))
    words = np.packbits(bits, axis=1).view(np.uint64)[random.integers(0, len(bits), n)].T.copy()
    ids = 2 * random.permutation(2 * n)[:n] - 2 * n if own_ids else None
    buckets = group_by_code(words) if layout == "bucketed" else {}
    return IndexContent(n_bits, 3 * n, layout, words, ids, **buckets)


def group_by_code(words: np.ndarray) -> dict[str, np.ndarray]:
    buckets: dict[tuple[int, ...], list[int]] = {}
    for position, code in enumerate(words.T.tolist()):
        buckets.setdefault(tuple(code), []).append(position)
    return {
        "distinct": np.array(list(buckets), dtype=np.uint64).reshape(-1, len(words)).T,
        "offsets": np.cumsum([0, *map(len, buckets.values())]),
        "members": np.array([p for bucket in buckets.values() for p in bucket], dtype=np.uint32),
    }

"""For the tests of index files: what an index could hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hashlearn._numerics.ids import tie_keys
from hashlearn.search._file import IndexContent


def random_content(
    n, n_bits, layout="plain", *, own_ids=False, neutral=False, seed=0
) -> IndexContent:
    """Return n random codes of few distinct ones, arranged as an index arranges them."""
    random = np.random.default_rng(seed)
    n_words = -(-n_bits // 64)
    bits = np.zeros((max(1, n // 3), 64 * n_words), dtype=np.uint8)
    bits[:, :n_bits] = random.integers(0, 2, (len(bits), n_bits))
    words = np.packbits(bits, axis=1).view(np.uint64)[random.integers(0, len(bits), n)].T.copy()
    ids = 2 * random.permutation(2 * n)[:n] - 2 * n if own_ids else None
    positions = None
    if neutral:
        positions = np.argsort(tie_keys(np.arange(n) if ids is None else ids)).astype(np.uint32)
    arranged = {}
    if layout == "bucketed":
        arranged = group_by_code(words)
    if layout == "multi-index":
        arranged = list_by_substring(words, n_bits)
    return IndexContent(n_bits, 3 * n, layout, words, positions, ids, arranged)


def changed(content: IndexContent, **changes) -> IndexContent:
    """Return content with other fields or arrays of its layout; None leaves an array out."""
    fields = {name: value for name, value in changes.items() if hasattr(content, name)}
    arrays = {name: value for name, value in changes.items() if name not in fields}
    arranged = {**content.arranged, **arrays}
    kept = {name: value for name, value in arranged.items() if value is not None}
    return replace(content, **fields, arranged=kept)


def group_by_code(words: np.ndarray) -> dict[str, np.ndarray]:
    buckets: dict[tuple[int, ...], list[int]] = {}
    for position, code in enumerate(words.T.tolist()):
        buckets.setdefault(tuple(code), []).append(position)
    return {
        "distinct": np.array(list(buckets), dtype=np.uint64).reshape(-1, len(words)).T,
        "offsets": np.cumsum([0, *map(len, buckets.values())]),
        "members": np.array([p for bucket in buckets.values() for p in bucket], dtype=np.uint32),
    }


def list_by_substring(words: np.ndarray, n_bits: int) -> dict[str, np.ndarray]:
    n_bytes = -(-n_bits // 8)  # substrings of one byte
    values = np.ascontiguousarray(words.T).view(np.uint8)[:, :n_bytes].T
    counts = [np.bincount(row, minlength=256) for row in values]
    return {
        "starts": np.cumsum(np.insert(counts, 0, 0, axis=1), axis=1).astype(np.uint32),
        "items": np.argsort(values, axis=1, kind="stable").astype(np.uint32),
    }

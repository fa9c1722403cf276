"""Laws of block-wise work."""

import pytest

from hashlearn.search import blocks


@pytest.mark.parametrize(("n_queries", "n_database"), [(0, 5), (1, 0), (7, 5), (100, 5), (3, 999)])
def test_blocks_cover_every_query_once_and_in_order(monkeypatch, n_queries, n_database):
    monkeypatch.setattr(blocks, "BLOCK_PAIRS", 20)
    seen = blocks.map_blocks(lambda start, stop: range(start, stop), n_queries, n_database)
    assert [query for block in seen for query in block] == list(range(n_queries))
    assert all(len(block) * n_database <= 20 or len(block) == 1 for block in seen)


def test_an_error_in_a_block_reaches_the_caller(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_PAIRS", 1)
    with pytest.raises(ZeroDivisionError):
        blocks.map_blocks(lambda start, stop: 1 // (start - 3), 10, 1)

"""Levels of terms are kept with an index: computed once, only for what is new, and in its file."""

from __future__ import annotations

import numpy as np
import pytest

from hashlearn import HammingIndex
from tests.search.brute_force import random_codes
from tests.search.test_float_search import LAYOUTS, assert_searches, random_queries


@pytest.fixture
def counted(monkeypatch):
    """Return a list of how many codes levels are computed for, at each call."""
    from hashlearn.search import CodeTerms

    counts, levels = [], CodeTerms.levels
    monkeypatch.setattr(
        CodeTerms, "levels", lambda self, codes: counts.append(len(codes)) or levels(self, codes)
    )
    return counts


def index_of(codes, layout="plain", ties="neutral"):
    index = HammingIndex(20, layout=layout, ties=ties)
    index.add(codes)
    return index


def make_queries(use="scale", seed=1):
    return random_queries(np.random.default_rng(seed), 3, 20, use)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_levels_are_computed_at_the_first_search_alone(layout, counted):
    codes = random_codes(np.random.default_rng(0), 200, 20, n_distinct=30)
    index, queries = index_of(codes, layout), make_queries()
    index.search(codes, 5)
    index.search(make_queries(use=None), 5)
    assert counted == []
    for _ in range(2):
        index.search(queries, 5)
        index.radius_search(queries, 0.1)
        index.search(queries, 2, among=[3, 5, 8])
    assert counted == [index.n_distinct if layout == "bucketed" else 200]
    index.search(make_queries(seed=2), 5)  # other terms
    assert len(counted) == 2


@pytest.mark.parametrize("ties", ["neutral", "insertion"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_only_new_codes_get_new_levels(layout, ties, counted):
    random = np.random.default_rng(0)
    codes, more = random_codes(random, 200, 20), random_codes(random, 50, 20)
    index, queries = index_of(codes, layout, ties), make_queries()
    index.search(queries, 5)
    index.add(more[:30])
    index.add(more[30:])
    counted.clear()
    index.search(queries, 5)
    assert counted == [50]
    index.remove(np.arange(40, 120))
    counted.clear()
    index.search(queries, 5)
    assert sum(counted) == 0
    kept = np.delete(np.arange(250), np.arange(40, 120))
    everything = np.concatenate([codes, more])
    assert_searches(index, queries, everything[kept], kept, [1, 20, 170])
    index.add(codes[:1], ids=[40])
    index.remove([0])
    kept, everything = np.append(kept[1:], 40), np.concatenate([everything, codes[:1]])
    assert_searches(index, queries, everything[[*kept[:-1], 250]], kept, [1, 20, 170])


@pytest.mark.parametrize("mmap", [True, False])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_levels_are_read_back_from_a_file(layout, mmap, tmp_path, counted):
    codes = random_codes(np.random.default_rng(0), 200, 20, n_distinct=90)
    index, queries = index_of(codes, layout), make_queries("bias")
    expected = index.search(queries, 9)
    index.save(tmp_path / "index")
    counted.clear()
    loaded = HammingIndex.load(tmp_path / "index", mmap=mmap, verify=True)
    found = loaded.search(queries, 9)
    assert counted == []
    np.testing.assert_array_equal(found.distances, expected.distances)
    np.testing.assert_array_equal(found.ids, expected.ids)
    loaded.add(codes[:3])
    loaded.remove([7])
    loaded.search(queries, 9)
    assert sum(counted) <= 3
    other = make_queries("bias", seed=2)
    assert_searches(
        HammingIndex.load(tmp_path / "index", mmap=mmap), other, codes, np.arange(200), [9]
    )


def test_a_file_without_levels_loads(tmp_path):
    codes = random_codes(np.random.default_rng(0), 200, 20)
    index_of(codes).save(tmp_path / "index")
    loaded = HammingIndex.load(tmp_path / "index")
    assert_searches(loaded, make_queries(), codes, np.arange(200), [9])

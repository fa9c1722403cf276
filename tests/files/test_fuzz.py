"""Damaged files end in the documented error or in right answers, forged ones never in a crash."""

import warnings

import numpy as np
import pytest

from hashlearn import HammingIndex
from hashlearn._numerics.ids import tie_keys
from hashlearn.files import (
    IndexFileError,
    ModelFileError,
    ModelVersionWarning,
    load_model,
    save_model,
)
from hashlearn.search._layouts import multi_index
from tests.files.mutations import accidents, forgeries
from tests.files.storable_parts import fitted_hasher, same

INDEXES = [
    (60, "plain", False),
    (100, "plain", True),
    (64, "bucketed", False),
    (12, "bucketed", True),
    (60, "multi-index", True),
    (60, "plain", "text"),
]
N, K = 40, 7

# 2,700 mutations in the short run, 54,000 in the long one.
few_or_many = pytest.mark.parametrize("n", [100, pytest.param(2000, marks=pytest.mark.slow)])
each_index = pytest.mark.parametrize(
    ("n_bits", "layout", "own_ids"),
    INDEXES,
    ids=["plain", "ids", "bucketed", "bucketed-ids", "multi-index", "text"],
)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file"


@pytest.fixture(autouse=True)
def few_codes_are_looked_up(monkeypatch):
    """Let a multi-index read its tables, where a scan would be cheaper."""
    monkeypatch.setattr(multi_index, "READ_COST", 1e-3)


def each_loaded(path, mutations, load):
    """Yield what loads, and skip what ends in the documented error."""
    for content in mutations:
        path.unlink()  # not written over: an earlier mutation may still be mapped
        path.write_bytes(content)
        try:
            yield load(path)
        except (IndexFileError, ModelFileError):
            continue


@few_or_many
def test_damaged_model_is_refused_or_equal(path, n):
    hasher = fitted_hasher()
    save_model(hasher, path)
    damaged = accidents(path.read_bytes(), n, np.random.default_rng(0))
    for loaded in each_loaded(path, damaged, load_model):
        assert same(loaded, hasher)


@few_or_many
def test_forged_model_is_refused_or_loads(path, n):
    save_model(fitted_hasher(), path)
    forged = forgeries(path.read_bytes(), n, np.random.default_rng(1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelVersionWarning)
        for _ in each_loaded(path, forged, load_model):
            pass


def saved_index(path, n_bits, layout, own_ids):
    """Save an index of some equal codes; return its file's bytes."""
    random = np.random.default_rng(0)
    bits = random.integers(0, 2, (N // 2, n_bits))[random.integers(0, N // 2, N)]
    ids = 2 * random.permutation(2 * N)[:N] - 2 * N if own_ids else None
    if own_ids == "text":
        ids = [f"item {i}" for i in ids]
    index = HammingIndex(n_bits, layout=layout)
    index.add(np.packbits(bits, axis=1), ids)
    index.save(path)
    return path.read_bytes()


def queries_for(n_bits):
    return np.packbits(np.random.default_rng(1).integers(0, 2, (5, n_bits)), axis=1)


def answers(index):
    """Return everything that an index says when asked, as plain lists."""
    queries = queries_for(index.n_bits)
    found = index.search(queries, min(K, len(index)))
    among = index.search(queries, min(K, len(index)), among=np.arange(len(index)) % 3 > 0)
    within = index.radius_search(queries, index.n_bits // 2)
    parts = [*found, *among, *within, index.ids, index.reconstruct(index.ids), [index.n_distinct]]
    return [np.asarray(part).tolist() for part in parts]


@few_or_many
@each_index
def test_damaged_index_is_refused_or_answers_as_before(path, n, n_bits, layout, own_ids):
    content = saved_index(path, n_bits, layout, own_ids)
    expected = answers(HammingIndex.load(path, verify=True))
    for mmap in (False, True):
        damaged = accidents(content, n, np.random.default_rng(2))
        for index in each_loaded(
            path, damaged, lambda path, mmap=mmap: HammingIndex.load(path, mmap=mmap, verify=True)
        ):
            assert answers(index) == expected


def brute_force(index):
    """Return what `answers` must return for the codes that an index says it holds."""
    codes = np.unpackbits(index.reconstruct(index.ids), axis=1)
    bits = np.unpackbits(queries_for(index.n_bits), axis=1)
    distances = (bits[:, None] != codes[None]).sum(axis=2)
    keys = tie_keys(index.ids) if index.ties == "neutral" else np.arange(len(index))
    order = np.lexsort((np.broadcast_to(keys, distances.shape), distances))[:, :K]
    return [np.take_along_axis(distances, order, axis=1).tolist(), index.ids[order].tolist()]


@few_or_many
@each_index
def test_verified_index_answers_rightly_even_if_forged(path, n, n_bits, layout, own_ids):
    content = saved_index(path, n_bits, layout, own_ids)
    forged = forgeries(content, n, np.random.default_rng(3))
    for index in each_loaded(path, forged, lambda path: HammingIndex.load(path, verify=True)):
        assert answers(index)[:2] == brute_force(index)


@few_or_many
@each_index
def test_index_that_was_not_verified_never_crashes(path, n, n_bits, layout, own_ids):
    content = saved_index(path, n_bits, layout, own_ids)
    for mutate in (accidents, forgeries):
        changed = mutate(content, n, np.random.default_rng(4))
        for index in each_loaded(
            path, changed, lambda path: HammingIndex.load(path, mmap=True, verify=False)
        ):
            try:
                answers(index)
            except ValueError as error:
                if not str(error).endswith("."):  # not a sentence, so none of ours
                    raise

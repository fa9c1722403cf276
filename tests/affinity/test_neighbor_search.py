"""Laws of the neighbour search: exact or approximate, an item's nearest others."""

import sys
import types

import numba
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from hashlearn.affinity import NeighborAffinity, SparseAffinity
from hashlearn.affinity._neighbor_search import _without_themselves, nearest_graph
from tests.processes import alone, peak_memory

seeds = st.integers(0, 10_000)
FEW = settings(max_examples=10)


def search(X, k, how, **options):
    given = {"random_state": 0, "n_jobs": None, "verbose": 0} | options
    return nearest_graph(X, k, search=how, **given)


def clusters(n=2_000, n_features=8, seed=0):
    random = np.random.default_rng(seed)
    centres = 5 * random.normal(size=(20, n_features))
    return centres[random.integers(20, size=n)] + random.normal(size=(n, n_features))


def recall(found, truth):
    return found.multiply(truth).nnz / truth.nnz


def peaks_of_search(dtype):
    """Return the memory of a search among some items, of one among them as floats, and of these."""
    X = np.random.default_rng(0).integers(0, 255, size=(3_000, 64)).astype(dtype)
    as_floats = X.astype(np.float32)
    search(as_floats[:100], 5, "exact")  # imports do not count
    peaks = [peak_memory(search, items, 5, "exact") for items in (X, as_floats)]
    return *peaks, as_floats.nbytes


def peaks_of_searches():
    return [peaks_of_search(dtype) for dtype in (np.uint8, np.float16)]


class Recorded:
    """Stands for pynndescent: keeps what it was asked, answers with given lists."""

    def __init__(self, lists):
        self.lists, self.asked = lists, {}

    def install(self, monkeypatch):
        def descent(X, **asked):
            self.asked = {"X": X, **asked}
            numba.set_num_threads(asked["n_jobs"])
            return types.SimpleNamespace(neighbor_graph=(self.lists, None))

        module = types.ModuleType("pynndescent")
        module.NNDescent = descent
        monkeypatch.setitem(sys.modules, "pynndescent", module)
        return self


@FEW
@given(n=st.integers(2, 20), k=st.integers(1, 19), seed=seeds)
def test_exact_neighbours_are_the_nearest_others(n, k, seed):
    X, k = np.random.default_rng(seed).normal(size=(n, 3)), min(k, n - 1)
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    np.fill_diagonal(distances, np.inf)
    expected = np.sort(np.argsort(distances, axis=1)[:, :k], axis=1)
    assert np.array_equal(search(X, k, "exact").indices.reshape(n, k), expected)


@given(n=st.integers(3, 12), width=st.integers(2, 12), missing=st.integers(0, 3), seed=seeds)
def test_lists_lose_the_item_itself_wherever_it_stands(n, width, missing, seed):
    random, width = np.random.default_rng(seed), min(width, n)
    lists = np.array([random.permutation(n)[:width] for _ in range(n)], dtype=np.int32)
    lists[:, width - min(missing, width - 1) :] = -1
    kept = _without_themselves(lists.copy(), width - 1)
    for i in range(n):
        assert kept[i].tolist() == [j for j in lists[i] if j != i][: width - 1]


def test_places_without_a_neighbour_are_no_neighbours(monkeypatch):
    Recorded(np.array([[0, 1, -1], [1, 0, 2], [0, -1, -1]], dtype=np.int32)).install(monkeypatch)
    graph = search(np.zeros((3, 1), dtype=np.float32), 2, "approximate").toarray()
    assert graph.tolist() == [[False, True, False], [True, False, True], [True, False, False]]


@pytest.mark.parametrize(("n", "is_approximate"), [(10, False), (11, True)])
def test_auto_is_exact_up_to_a_number_of_items(n, is_approximate, monkeypatch):
    monkeypatch.setattr("hashlearn.affinity._neighbor_search.MAX_EXACT_ITEMS", 10)
    recorded = Recorded(np.tile(np.arange(n, dtype=np.int32), (n, 1))).install(monkeypatch)
    NeighborAffinity.from_data(np.arange(n, dtype=np.float32)[:, None], n_neighbors=2)
    assert bool(recorded.asked) == is_approximate


def test_threads_of_numba_are_as_many_after_a_search_as_before(monkeypatch):
    Recorded(np.array([[1], [0]], dtype=np.int32)).install(monkeypatch)
    before = numba.get_num_threads()
    search(np.zeros((2, 1), dtype=np.float32), 1, "approximate")
    assert numba.get_num_threads() == before


def test_float32_items_are_handed_on_without_a_copy(monkeypatch, tmp_path):
    path = tmp_path / "items.npy"
    np.save(path, np.random.default_rng(0).normal(size=(6, 2)).astype(np.float32))
    X = np.load(path, mmap_mode="r")
    recorded = Recorded(np.tile(np.arange(6, dtype=np.int32), (6, 1))).install(monkeypatch)
    NeighborAffinity.from_data(X, n_neighbors=2, search="approximate")
    assert np.shares_memory(recorded.asked["X"], X)


def test_float64_items_are_centred_before_they_are_rounded(monkeypatch):
    X = np.random.default_rng(0).normal(size=(6, 2))
    recorded = Recorded(np.tile(np.arange(6, dtype=np.int32), (6, 1))).install(monkeypatch)
    NeighborAffinity.from_data(X + 1e6, n_neighbors=2, search="approximate")
    taken = recorded.asked["X"]
    assert taken.dtype == np.float32
    np.testing.assert_allclose(taken, X - X.mean(axis=0), atol=1e-6)


@pytest.mark.parametrize(
    ("make", "dtype"),
    [(np.asarray, dtype) for dtype in (np.uint8, np.int64, np.float16, bool, ">f4")]
    + [(sp.csr_array, dtype) for dtype in (np.uint8, np.int64, bool)],
)
def test_numbers_of_any_type_have_the_neighbours_of_floats(make, dtype):
    X = np.random.default_rng(0).integers(0, 2, size=(60, 9)).astype(dtype)
    found = search(make(X), 3, "exact")
    assert (found != search(make(X.astype(np.float32)), 3, "exact")).nnz == 0


def test_numbers_of_any_type_take_no_more_memory_than_a_copy_in_floats():
    for peak, peak_of_floats, n_bytes in alone(peaks_of_searches):
        assert peak < peak_of_floats + 1.2 * n_bytes


def test_sparse_items_are_left_as_they_were(monkeypatch):
    X = sp.csr_array((np.array([1, 2], np.float32), [1, 0], [0, 2, 2, 2]), shape=(3, 2))
    Recorded(np.tile(np.arange(3, dtype=np.int32), (3, 1))).install(monkeypatch)
    NeighborAffinity.from_data(X, n_neighbors=1, search="approximate")
    assert X.indices.tolist() == [1, 0]


def test_a_missing_pynndescent_names_the_extra_and_the_way_without(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynndescent", None)
    with pytest.raises(ImportError, match=r"hashlearn\[graph\].*search='exact'"):
        NeighborAffinity.from_data(np.eye(3), n_neighbors=1, search="approximate")


def test_an_unknown_search_is_refused():
    with pytest.raises(
        ValueError, match="search must be one of 'auto', 'exact', 'approximate'; got 'fast'"
    ):
        NeighborAffinity.from_data(np.eye(3), n_neighbors=1, search="fast")


@pytest.mark.slow
def test_pynndescent_finds_the_neighbours_whatever_the_threads():
    """One test, for all that needs its loops compiled, which takes half a minute."""
    pytest.importorskip("pynndescent")
    X = clusters()
    X[1] = X[0]  # a copy of an item is its neighbour, the item itself is not
    found, truth = search(X, 10, "approximate"), search(X, 10, "exact")
    assert recall(found, truth) >= 0.95
    assert found.nnz == truth.nnz
    assert found[0, 1]
    assert found[1, 0]
    assert not found.diagonal().any()
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    again = search(X, 10, "approximate", n_jobs=2)
    numba.set_num_threads(before)
    assert np.array_equal(found.indices, again.indices)


def test_progress_goes_to_standard_error(monkeypatch, capsys):
    recorded = Recorded(np.array([[1], [0]], dtype=np.int32))
    recorded.install(monkeypatch)
    module = sys.modules["pynndescent"]
    answer = module.NNDescent

    def talking(X, **asked):
        print("pass 1")
        return answer(X, **asked)

    module.NNDescent = talking
    search(np.zeros((2, 1), dtype=np.float32), 1, "approximate", verbose=1)
    assert recorded.asked["verbose"] is True
    assert capsys.readouterr() == ("", "pass 1\n")


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_pynndescent_takes_sparse_items(dtype):
    pytest.importorskip("pynndescent")
    X = sp.csr_array(np.maximum(clusters(n_features=20), 0).astype(dtype))
    assert recall(search(X, 10, "approximate"), search(X, 10, "exact")) >= 0.95


@given(n=st.integers(2, 10), seed=seeds)
def test_similar_holds_ones_off_the_diagonal_in_sorted_rows(n, seed):
    random = np.random.default_rng(seed)
    i, j = random.integers(n, size=(2, 4 * n))  # some pairs repeated, some stored as 0
    graph = sp.csr_array((random.integers(-1, 2, size=4 * n).astype(float), (i, j)), shape=(n, n))
    similar = NeighborAffinity(graph).similar_pairs
    expected = (graph.toarray() != 0) | (graph.toarray().T != 0)
    np.fill_diagonal(expected, False)
    assert np.array_equal(similar.toarray(), expected)
    assert similar.has_canonical_format
    assert (similar.data == 1).all()
    assert (similar.dtype, similar.indices.dtype, similar.indptr.dtype) == (
        np.int8,
        np.int32,
        np.int32,
    )


@pytest.mark.parametrize("repeats", [128, 256])
def test_a_pair_given_many_times_is_similar(repeats):
    graph = sp.csr_array((np.ones(repeats), np.ones(repeats, int), [0, repeats, repeats]))
    assert NeighborAffinity(graph).n_similar == 1


@FEW
@given(n=st.integers(3, 20), k=st.integers(1, 4), seed=seeds)
def test_sampled_pairs_are_what_a_checked_affinity_holds(n, k, seed):
    X = np.random.default_rng(seed).normal(size=(n, 2))
    sampled = NeighborAffinity.from_data(X, n_neighbors=k).sample_pairs(np.random.RandomState(seed))
    checked = SparseAffinity(sampled.stored_pairs).stored_pairs
    for name in ("indptr", "indices", "data"):
        assert np.array_equal(getattr(sampled.stored_pairs, name), getattr(checked, name))

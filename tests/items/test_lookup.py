"""Items by their ids."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from hashlearn.items import ItemLookup, base, csv, open_items
from hashlearn.search import HammingIndex, VectorRescoring
from tests.items.item_files import KINDS, read, write
from tests.processes import alone, peak_memory

X = np.arange(60, dtype=np.float64).reshape(20, 3)
IDS = {"integers": 7 * np.arange(20)[::-1] - 50, "text": np.array([f"é-{i}" for i in range(20)])}
WANTED = np.array([3, 19, 0, 3])


@pytest.mark.parametrize(
    ("kind", "given_as"),
    [(kind, way) for kind in KINDS for way in ("file", "array", *["column"] * (kind != ".npy"))],
)
@pytest.mark.parametrize("ids", IDS.values(), ids=IDS)
def test_vectors_are_those_of_the_ids(kind, ids, given_as, tmp_path, monkeypatch):
    monkeypatch.setattr(base, "BLOCK_BYTES", 64)
    monkeypatch.setattr(csv, "BLOCK_CHARACTERS", 64)
    np.save(tmp_path / "ids.npy", ids)
    column = {"id": ids} if given_as == "column" else {}
    path = write(tmp_path / f"X{kind}", X, **column)
    given = {"column": "id", "file": tmp_path / "ids.npy", "array": ids}[given_as]
    items = open_items(path, "X" if kind == ".npz" else None)
    lookup = ItemLookup(items, ids=given)
    np.testing.assert_array_equal(lookup.vectors(ids[WANTED]), X[WANTED])
    np.testing.assert_array_equal(lookup.vectors(ids.astype(object)[WANTED]), X[WANTED])
    assert lookup.vectors(ids[:0]).shape == (0, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_without_ids_they_are_positions(kind, tmp_path):
    lookup = ItemLookup(write(tmp_path / f"X{kind}", X))
    np.testing.assert_array_equal(lookup.vectors(WANTED), X[WANTED])
    for wrong in (20, -1, "a"):
        with pytest.raises(
            ValueError, match=rf"X\.\w+' has no item with the id {wrong!r}; without"
        ):
            lookup.vectors([wrong])


@pytest.mark.parametrize("known", [[5, -3, 11, 0], ["b", "5"], ["05", "a"], []])
def test_text_of_an_integer_and_the_integer_are_the_same_id(known, tmp_path):
    lookup = ItemLookup(write(tmp_path / "X.npy", X[: len(known)]), ids=known)
    texts = list(map(str, known))
    wanted = [5, "5", "05", "-3", "b", 7, 0, 11, "a", "-1"]
    expected = [texts.index(str(id_)) if str(id_) in texts else -1 for id_ in wanted]
    assert lookup.find(np.array(wanted, dtype=object)).tolist() == expected
    assert lookup.find([5, 0]).tolist() == [expected[0], expected[6]]


@pytest.mark.parametrize("kind", [".npz", ".csv", ".parquet"])
@pytest.mark.parametrize("ids", IDS.values(), ids=IDS)
def test_values_are_those_of_the_ids_and_none_for_no_item(kind, ids, tmp_path):
    texts = np.array([f'text {i}, "é"\n' for i in range(20)])
    path = write(tmp_path / f"X{kind}", X, id=ids, text=texts, year=np.arange(20))
    lookup = ItemLookup(open_items(path, "X" if kind == ".npz" else None), ids="id")
    nobody = None if ids.dtype.kind == "U" else -1
    values = lookup.values([ids[3], nobody, ids[19]], ["text", "year"])
    assert values["text"] == [texts[3], None, texts[19]]
    assert [None if year is None else int(year) for year in values["year"]] == [3, None, 19]
    assert lookup.values([], ["text"]) == {"text": []}
    with pytest.raises(ValueError, match=r"has no (column|array) 'txet'.* mean 'text'"):
        lookup.values([ids[3]], ["txet"])


def test_missing_values_and_lists_are_kept(tmp_path):
    table = pa.table({"id": ["a", "b"], "n": [None, 2**60 + 1], "v": [[1.0, 2.0], [3.0, 4.0]]})
    parquet.write_table(table, tmp_path / "X.parquet")
    lookup = ItemLookup(tmp_path / "X.parquet", ids="id")
    expected = {"n": [2**60 + 1, None], "v": [[3.0, 4.0], [1.0, 2.0]]}
    assert lookup.values(["b", "a"], ["n", "v"]) == expected
    with pytest.raises(ValueError, match="lists in column 'v' beside the numbers of 'n'"):
        lookup.vectors(["b"])


def test_an_id_that_is_not_there_is_told(tmp_path):
    path = write(tmp_path / "X.parquet", X, id=IDS["text"])
    lookup = ItemLookup(path, ids="id")
    with pytest.raises(ValueError, match=r"X\.parquet' has no item with the id 'nobody'\.$"):
        lookup.vectors(["é-1", "nobody"])


@pytest.mark.parametrize("ids", [["a", "b", "a"], [4, 5, 4]])
def test_ids_that_are_there_twice_are_told(ids, tmp_path):
    lookup = ItemLookup(write(tmp_path / "X.npy", X[:3]), ids=ids)
    with pytest.raises(ValueError, match=f"has the id {ids[0]!r} twice"):
        lookup.find(ids)


def test_another_number_of_ids_is_told(tmp_path):
    for kind in KINDS:
        lookup = ItemLookup(write(tmp_path / f"X{kind}", X), ids=[1, 2])
        with pytest.raises(ValueError, match="has 20 items, but there are 2 ids"):
            lookup.find([1])


def test_a_mistyped_column_of_ids_is_told(tmp_path):
    with pytest.raises(ValueError, match=r"has no column 'ids'.* mean 'id'"):
        ItemLookup(write(tmp_path / "X.csv", X, id=IDS["text"]), ids="ids").find(["a"])


def test_features_are_chosen_among_other_columns(tmp_path):
    path = write(tmp_path / "X.csv", X, id=IDS["text"], year=np.arange(20))
    lookup = ItemLookup(path, ids="id", features="x*")
    np.testing.assert_array_equal(lookup.vectors(["é-4"]), X[4:5])
    with pytest.raises(ValueError, match="has 4 features, but 3 are needed"):
        ItemLookup(path, ids="id", n_features=3).vectors(["é-4"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_search_is_rescored_with_the_vectors_of_a_file(kind, tmp_path):
    random = np.random.default_rng(0)
    vectors, ids = random.normal(size=(50, 8)), random.permutation(50) + 1000
    index = HammingIndex(n_bits=8)
    index.add(np.packbits(vectors > 0, axis=1), ids=ids)
    queries = random.normal(size=(4, 8))
    lookup = ItemLookup(write(tmp_path / f"X{kind}", vectors), ids=ids)
    rescoring = VectorRescoring(queries, lookup.vectors)
    found = index.search(np.packbits(queries > 0, axis=1), 3, rescore=rescoring, oversample=20)
    exact = np.linalg.norm(queries[:, None] - vectors, axis=2)
    np.testing.assert_array_equal(found.ids, ids[np.argsort(exact, axis=1)[:, :3]])


def peaks_of_lookups(folder):
    """Return the peak memory of a lookup in every kind of file, of 2.4 megabytes of numbers."""
    base.BLOCK_BYTES = csv.BLOCK_CHARACTERS = 2**15
    peaks = Counter()
    for kind in (".npy", ".csv", ".parquet"):
        column = {} if kind == ".npy" else {"text": np.full(3000, "x" * 100)}
        path = write(folder / f"X{kind}", np.ones((3000, 100)), row_group_size=500, **column)
        features = None if kind == ".npy" else "x*"
        next(iter(open_items(path).blocks(features)))  # what is imported does not count
        lookup = ItemLookup(path, features=features)
        peaks[kind] = peak_memory(lambda lookup=lookup: lookup.vectors([5]))
        if column:
            peaks[kind, "text"] = peak_memory(lambda lookup=lookup: lookup.values([5], ["text"]))
    return peaks


@pytest.mark.slow
def test_memory_is_that_of_a_few_blocks(tmp_path):
    peaks = alone(peaks_of_lookups, tmp_path)
    assert max(peaks.values()) < 8 * 3000 * 100 / 4, peaks


def test_reading_again_needs_no_pass(tmp_path, monkeypatch):
    lookup = ItemLookup(write(tmp_path / "X.csv", X, id=IDS["text"]), ids="id")
    expected = read(lookup.source, features="x*").features
    lookup.vectors(["é-1"])
    lookup.values(["é-1"], ["id"])
    monkeypatch.setattr(type(lookup.source), "blocks", None)
    np.testing.assert_array_equal(lookup.vectors(IDS["text"]), expected)
    assert lookup.values(["é-2"], ["id"]) == {"id": ["é-2"]}

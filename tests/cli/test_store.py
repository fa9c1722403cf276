"""`hashlearn store push`: what was pushed is what is found, and what is wrong is one sentence."""

import json
import os

import numpy as np
import pytest
from typer.testing import CliRunner

from hashlearn import HammingIndex
from hashlearn.cli import store_pushing
from hashlearn.cli.app import app
from hashlearn.io.items import base
from hashlearn.stores import StoreLostError, open_store

pytest.importorskip("lancedb")
pytest.importorskip("sqlite_vec")

ITEMS = ("digits.csv", "--model", "named.hashlearn", "--columns", "digit")
CODES = ("codes.npy", "--bits", 20)
ENGINES = ("lancedb", "sqlite")


@pytest.fixture(params=ENGINES)
def address(request, tmp_path):
    """Return the address of a store that is not there yet, in a folder with an odd name."""
    folder = tmp_path / "it's a place, ü"
    folder.mkdir()
    return f"{request.param}:{folder / 'codes'}"


@pytest.fixture
def sqlite(tmp_path):
    """Return the address of the quicker engine."""
    return f"sqlite:{tmp_path / 'codes.db'}"


@pytest.fixture
def index(place):
    """Return what stores must equal."""
    index = HammingIndex(place.hasher.n_bits)
    index.add(place.hasher.encode(place.X))
    return index


def contents(address, table="items"):
    """Return the ids and codes of a table in the order of ids, and its columns."""
    with open_store(address, table) as store:
        batches = list(store.read())
    ids = np.concatenate([batch.ids for batch in batches])
    order = np.argsort(ids)
    packed = np.concatenate([batch.packed for batch in batches])
    values = {
        name: np.concatenate([batch.values[name] for batch in batches])[order]
        for name in batches[0].values
    }
    return ids[order], packed[order], values


def found(result):
    """Return what JSON lines say: ids and distances of each query."""
    return [
        (line["ids"], line["distances"]) for line in map(json.loads, result.stdout.splitlines())
    ]


def test_items_are_pushed_with_a_model_and_found_again(run, place, index, address):
    said = run("store", "push", *ITEMS, "--to", address, "--table", "Select").stderr
    path = address.partition(":")[2]
    assert said == (f"Pushed 200 codes of 20 bits to table Select in {path}, which has 200 now.\n")
    ids, packed, values = contents(address, "Select")
    assert np.array_equal(ids, np.arange(200))
    assert np.array_equal(packed, place.hasher.encode(place.X))
    assert np.array_equal(values["digit"], place.y)
    words = ("--table", "Select", "-k", 5, "--json")
    result = run("store", "search", address, "queries.csv", "--model", "named.hashlearn", *words)
    expected = index.search(place.hasher.encode(place.queries), 5).distances
    assert [distances for _, distances in found(result)] == expected.tolist()


@pytest.mark.parametrize("block_bytes", [100, 2**23])
def test_codes_are_pushed_in_batches_whatever_the_blocks(
    run, place, sqlite, monkeypatch, block_bytes
):
    monkeypatch.setattr(base, "BLOCK_BYTES", block_bytes)
    monkeypatch.setattr(store_pushing, "BATCH_SIZE", 70)
    run("store", "push", *CODES, "--to", sqlite)
    ids, packed, _ = contents(sqlite)
    assert np.array_equal(ids, np.arange(200))
    assert np.array_equal(packed, place.hasher.encode(place.X))


def test_pushing_again_changes_nothing(run, address):
    for _ in range(2):
        said = run("store", "push", *CODES, "--to", address).stderr
    assert "which has 200 now" in said


def test_the_environment_may_give_the_address(run, sqlite, monkeypatch):
    monkeypatch.setenv("HASHLEARN_STORE", sqlite)
    run("store", "push", *CODES)
    assert json.loads(run("store", "info", "--json").stdout)["items"] == 200
    assert len(found(run("store", "search", "codes.npy", "-k", 1, "--json"))) == 200


@pytest.mark.parametrize("kind", ["column", "file"])
def test_ids_come_from_a_column_or_a_file(run, place, sqlite, tmp_path, kind):
    ids = np.random.RandomState(0).permutation(10**6)[:200] - 1000
    np.savez(tmp_path / "codes.npz", codes=place.hasher.encode(place.X), id=ids, digit=place.y)
    np.save(tmp_path / "ids.npy", ids)
    given = "id" if kind == "column" else tmp_path / "ids.npy"
    words = ("--array", "codes", "--bits", 20, "--columns", "digit", "--to", sqlite)
    run("store", "push", tmp_path / "codes.npz", *words, "--ids", given)
    stored, packed, values = contents(sqlite)
    order = np.argsort(ids)
    assert np.array_equal(stored, ids[order])
    assert np.array_equal(packed, place.hasher.encode(place.X)[order])
    assert np.array_equal(values["digit"], place.y[order])


def write_table(path, place, **columns):
    """Write the items with more columns of texts."""
    names = [*place.names, *columns]
    rows = zip(place.X.astype(int).astype(str), *columns.values(), strict=True)
    lines = [",".join([*row, *others]) for row, *others in rows]
    path.write_text("\n".join([",".join(names), *lines]))
    return path, "--model", "named.hashlearn", "--columns", ",".join(columns)


def test_columns_have_the_types_of_what_a_table_says(run, place, sqlite, tmp_path, monkeypatch):
    monkeypatch.setattr("hashlearn.io.items.csv.BLOCK_CHARACTERS", 5000)  # several blocks
    texts = {
        "year": [str(1900 + i) for i in range(200)],
        "size": ["7"] * 199 + ["0.5"],
        "seen": ["true", "False"] * 100,
        "group": ["12", ""] * 99 + ["", "none"],
    }
    words = write_table(tmp_path / "items.csv", place, **texts)
    for _ in range(2):  # the second time by the types of the table
        run("store", "push", *words, "--to", sqlite)
        with open_store(sqlite) as store:
            assert store.columns == {"year": int, "size": float, "seen": bool, "group": str}
        _, _, values = contents(sqlite)
        assert values["year"].tolist() == list(range(1900, 2100))
        assert values["size"].tolist() == [7.0] * 199 + [0.5]
        assert values["seen"].tolist() == [True, False] * 100
        assert values["group"].tolist() == texts["group"]


def test_columns_of_parquet_keep_their_types(run, place, sqlite, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = {
        "digit": place.y.astype(np.int8),
        "name": place.y.astype(str),
        "odd": place.y % 2 > 0,
    }
    vectors = pyarrow.FixedSizeListArray.from_arrays(place.X.ravel(), 64)
    parquet.write_table(pyarrow.table({"v": vectors, **columns}), tmp_path / "items.parquet")
    words = ("--model", "plain.hashlearn", "--columns", "digit,name,odd", "--to", sqlite)
    run("store", "push", tmp_path / "items.parquet", *words)
    with open_store(sqlite) as store:
        assert store.columns == {"digit": int, "name": str, "odd": bool}
        assert store.count({"name": "3", "odd": True}) == (place.y == 3).sum()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("codes.npy",), "the input has codes of 24 bits with --columns none"),
        (CODES, "has codes of 20 bits with columns digit (int), and the input"),
        (("digits.npy", "--bits", 20), "'digits.npy' holds float32 and not packed codes"),
        (("missing.npy",), "No such file or directory: 'missing.npy'"),
        ((*CODES, "--columns", "digit"), "'codes.npy' is one array, without 'digit'"),
        ((*ITEMS[:3], "--columns", "digit,digit"), "names a column twice"),
        ((*ITEMS[:3], "--columns", "cat"), "'digits.csv' has no column 'cat'"),
        ((*CODES, "--ids", "queries-labels.npy"), "has 60 values for 200 items"),
        ((*CODES, "--table", "a b"), "table='a b' is no name"),
    ],
)
def test_what_cannot_be_pushed_is_told_and_changes_nothing(run, fail, sqlite, words, sentence):
    run("store", "push", *ITEMS, "--to", sqlite)
    before = contents(sqlite)[:2]
    assert sentence in fail("store", "push", *words, "--to", sqlite)
    assert all(map(np.array_equal, before, contents(sqlite)[:2]))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("codes.npy", "--bits", 17), "'codes.npy' has bits set after n_bits=17"),
        ((*ITEMS[:3], "--columns", "pixel_0_0,id"), "has no column 'id'"),
        ((*ITEMS, "--ids", "digit"), "ids holds 0 twice"),
        ((*ITEMS, "--bits", 24), "the model gives codes of 20 bits, not 24"),
    ],
)
def test_a_wrong_input_makes_no_table(fail, tmp_path, sqlite, words, sentence):
    assert sentence in fail("store", "push", *words, "--to", sqlite)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (["1", ""], "--columns year has items without a value: a column of int takes one"),
        (["1.5", "nan"], "values of 'year' hold NaN"),
    ],
)
def test_values_that_are_missing_are_told(fail, place, tmp_path, sqlite, values, sentence):
    words = write_table(tmp_path / "items.csv", place, year=values * 100)
    assert sentence in fail("store", "push", *words, "--to", sqlite)


def test_a_value_of_another_type_than_the_table_has_is_told(run, fail, place, tmp_path, sqlite):
    run("store", "push", *write_table(tmp_path / "a.csv", place, year=["7"] * 200), "--to", sqlite)
    other = write_table(tmp_path / "b.csv", place, year=["7"] * 199 + ["cat"])
    said = fail("store", "push", *other, "--to", sqlite)
    assert "column 'year' has the value cat: it takes int." in said


class Breaking:
    """Lets the second batch of a push fail."""

    def __init__(self, monkeypatch, error):
        self.add = store_pushing.Store.add
        self.error, self.n_calls = error, 0
        monkeypatch.setattr(store_pushing, "BATCH_SIZE", 70)
        monkeypatch.setattr(store_pushing.Store, "add", lambda *batch: self(*batch))

    def __call__(self, *batch):
        self.n_calls += 1
        if self.n_calls == 2:
            raise self.error
        self.add(*batch)


def test_a_lost_connection_is_told_with_what_is_stored(fail, sqlite, monkeypatch):
    Breaking(monkeypatch, StoreLostError("The connection was lost."))
    said = fail("store", "push", *CODES, "--to", sqlite)
    assert said == "hashlearn: The connection was lost. 70 items before these are stored.\n"
    assert np.array_equal(contents(sqlite)[0], np.arange(70))


def test_what_an_interruption_says_is_true(run, place, sqlite, monkeypatch):
    Breaking(monkeypatch, KeyboardInterrupt())
    monkeypatch.chdir(place.folder)
    words = list(map(str, ["store", "push", *CODES, "--to", sqlite]))
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 130
    said = "Stopped; 70 items are stored for certain, and the same command goes on."
    assert result.stderr == f"hashlearn: {said}\n"
    run(*words)
    assert np.array_equal(contents(sqlite)[0], np.arange(200))


def test_a_file_that_can_only_be_read_is_told(run, fail, sqlite, tmp_path):
    if os.getuid() == 0:
        pytest.skip("root may write everything")
    run("store", "push", *CODES, "--to", sqlite)
    (tmp_path / "codes.db").chmod(0o400)
    assert "can only be read" in fail("store", "push", *CODES, "--to", sqlite)

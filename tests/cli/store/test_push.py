"""`hashlearn store push`: what was pushed is what is found, and what is wrong is one sentence."""

import json
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from hashlearn.cli.app import app
from hashlearn.cli.store import _pushing
from hashlearn.items import base
from hashlearn.stores import SQLiteStore, StoreError, StoreLostError
from tests.cli.store.stored import contents, found
from tests.files.test_kill import without_rights_of_root

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


def test_items_are_pushed_with_a_model_and_found_again(run, place, index, address):
    said = run("store", "push", *ITEMS, "--to", address, "--table", "Select").stderr
    path = address.partition(":")[2]
    done = "200 new, 0 replaced; it has 200 now"
    assert said == f"Pushed codes of 20 bits to table Select in {path}: {done}.\n"
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
    monkeypatch.setattr(_pushing, "BATCH_SIZE", 70)
    run("store", "push", *CODES, "--to", sqlite)
    ids, packed, _ = contents(sqlite)
    assert np.array_equal(ids, np.arange(200))
    assert np.array_equal(packed, place.hasher.encode(place.X))


def test_pushing_again_changes_nothing(run, address):
    for done in ("200 new, 0 replaced", "0 new, 200 replaced"):
        said = run("store", "push", *CODES, "--to", address).stderr
        assert f": {done}; it has 200 now." in said


def test_a_second_file_tells_what_it_replaced(run, place, sqlite, tmp_path):
    np.save(tmp_path / "more.npy", np.vstack([place.hasher.encode(place.X)] * 2)[:250])
    run("store", "push", *CODES, "--to", sqlite)
    said = run("store", "push", tmp_path / "more.npy", "--bits", 20, "--to", sqlite).stderr
    assert ": 50 new, 200 replaced; it has 250 now." in said


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


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("codes.npy",), "codes.db has codes of 20 bits, the input 24."),
        (CODES, "codes.db, 'digit'; got none."),
        (("digits.npy", "--bits", 20), "'digits.npy' holds float32; packed codes must be uint8"),
        (("missing.npy",), "No such file or directory: 'missing.npy'"),
        ((*CODES, "--columns", "digit"), "'codes.npy' is one array, without 'digit'"),
        ((*ITEMS[:3], "--columns", "digit,digit"), "--columns must name each column once"),
        ((*ITEMS[:3], "--columns", "cat"), "'digits.csv' has no column 'cat'"),
        ((*CODES, "--ids", "queries-labels.npy"), "has 60 values for 200 items"),
        ((*CODES, "--table", "a b"), "name of a table must be letters"),
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
        ((*ITEMS[:3], "--columns", "digit,pixel 0"), "has no column 'pixel 0'"),
        ((*ITEMS, "--ids", "digit"), "ids holds 0 twice"),
        ((*ITEMS, "--bits", 24), "the model gives codes of 20 bits, not 24"),
    ],
)
def test_a_wrong_input_makes_no_table(fail, tmp_path, sqlite, words, sentence):
    assert sentence in fail("store", "push", *words, "--to", sqlite)
    assert not list(tmp_path.iterdir())


class Breaking:
    """Lets the second batch of a push fail."""

    def __init__(self, monkeypatch, error):
        self.write = SQLiteStore._write
        self.error, self.n_calls = error, 0
        monkeypatch.setattr(_pushing, "BATCH_SIZE", 70)
        monkeypatch.setattr(SQLiteStore, "_write", lambda *batch: self(*batch))

    def __call__(self, *batch):
        self.n_calls += 1
        if self.n_calls == 2:
            raise self.error
        self.write(*batch)


GOES_ON = "the first 70 items are stored; the same command with --skip 70 continues."


@pytest.mark.parametrize("error", [StoreLostError, StoreError])
def test_a_batch_that_fails_is_told_with_what_is_stored(run, fail, sqlite, monkeypatch, error):
    Breaking(monkeypatch, error("The disk is full."))
    said = fail("store", "push", *CODES, "--to", sqlite)
    assert said == f"hashlearn: The disk is full. {GOES_ON}\n"
    assert np.array_equal(contents(sqlite)[0], np.arange(70))
    said = run("store", "push", *CODES, "--to", sqlite, "--skip", 70).stderr
    assert ": 130 new, 0 replaced; it has 200 now." in said


def test_what_an_interruption_says_is_true(run, place, sqlite, monkeypatch):
    Breaking(monkeypatch, KeyboardInterrupt())
    monkeypatch.chdir(place.folder)
    words = list(map(str, ["store", "push", *CODES, "--to", sqlite]))
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 130
    assert result.stderr == f"hashlearn: Stopped; {GOES_ON}\n"
    run(*words, "--skip", 70)
    assert np.array_equal(contents(sqlite)[0], np.arange(200))


def test_positions_are_not_added_to_ids(run, fail, place, sqlite):
    np.save(place.folder / "digits-ids.npy", np.arange(200) * 3 + 5)
    run("store", "push", *CODES, "--ids", "digits-ids.npy", "--to", sqlite)
    assert "has ids of its own: give --ids" in fail("store", "push", *CODES, "--to", sqlite)


def test_items_are_removed_and_tables_listed_and_dropped(run, fail, place, sqlite):
    words = ("digits.npz", "--array", "X", "-m", "plain.hashlearn", "--columns", "digit")
    run("store", "push", *words, "--to", sqlite)
    n_threes = int((place.y == 3).sum())
    said = run("store", "remove", sqlite, "--where", "digit=3").stderr
    assert said == f"Removed {n_threes} items of table items; it has {200 - n_threes} now.\n"
    said = run("store", "remove", sqlite, "--ids", f"{int(np.argmin(place.y == 3))},777").stderr
    assert said.startswith("Removed 1 items")
    (listed,) = json.loads(run("store", "list", sqlite, "--json").stdout)
    assert (listed["name"], listed["n_bits"], listed["columns"]) == ("items", 20, {"digit": "int"})
    assert listed["count"] == 199 - n_threes
    assert place.hasher.fingerprint() in run("store", "list", sqlite).stdout
    assert "Dropped table items" in run("store", "drop", sqlite).stderr
    assert "no tables with codes" in run("store", "list", sqlite).stdout


def test_a_file_that_can_only_be_read_is_told(run, place):
    with tempfile.TemporaryDirectory() as name:  # pytest's own folder is closed to others
        folder = Path(name)
        folder.chmod(0o755)
        codes = shutil.copy(place.folder / "codes.npy", folder)
        words = ["store", "push", codes, "--bits", "20", "--to", f"sqlite:{folder / 'codes.db'}"]
        run(*words)
        (folder / "codes.db").chmod(0o444)
        with without_rights_of_root():
            result = CliRunner().invoke(app, words)
        assert result.exit_code == 2
        assert "read-only" in result.stderr

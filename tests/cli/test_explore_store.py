"""`hashlearn explore` takes a store in place of an index file."""

import numpy as np
import pytest

from hashlearn import HammingIndex
from hashlearn.explorer.web import server
from hashlearn.stores import open_store

pytest.importorskip("lancedb")
pytest.importorskip("sqlite_vec")
pytest.importorskip("uvicorn")


@pytest.fixture(scope="module")
def stores(place, tmp_path_factory):
    """Return a folder with two stores of digits and an index file, each in another order."""
    folder = tmp_path_factory.mktemp("stores")
    random, ids = np.random.default_rng(0), 3 * np.arange(len(place.X)) - 101
    packed = place.hasher.encode(place.X)
    for address, table, columns in (
        (f"lancedb:{folder / 'lance'}", "items", {"digit": int, "name": str, "even": bool}),
        (f"sqlite:{folder / 'codes.db'}", "items", {"digit": int}),
        (f"sqlite:{folder / 'codes.db'}", "others", {}),
    ):
        order = random.permutation(len(ids))
        digits = place.y[order]
        values = {"digit": digits, "name": digits.astype(str), "even": digits % 2 == 0}
        with open_store(address, table) as store:
            store.create(place.hasher.n_bits, columns)
            chosen = {name: values[name] for name in columns}
            store.add(packed[order], ids[order], chosen, batch_size=90)
    index = HammingIndex(place.hasher.n_bits)
    index.add(packed[::-1], ids[::-1])
    index.save(folder / "plain.index")
    return folder


@pytest.fixture
def opened(run, stores, monkeypatch):
    """Return a function that runs the command, and returns what it would have served."""

    def open_collection(*words):
        served = []

        def serve(collection, listening, hosts, on_ready):
            served.append(collection)

        monkeypatch.setattr(server, "serve", serve)
        run("explore", "--no-open", "--port", "0", *(str(w).format(stores) for w in words))
        return served[0]

    return open_collection


@pytest.mark.parametrize("address", ["lancedb:{}/lance", "sqlite:{}/codes.db"])
def test_a_store_is_shown_in_the_order_of_ids_with_a_column_as_labels(opened, place, address):
    collection = opened("--index", address, "--labels", "digit")
    assert collection.name == "items"
    assert collection.ids.tolist() == (3 * np.arange(200) - 101).tolist()
    assert np.array_equal(collection.methods["items"].packed, place.hasher.encode(place.X))
    assert [collection.labels.of(i) for i in range(200)] == [(str(y),) for y in place.y]


@pytest.mark.parametrize(("column", "label"), [("name", "{}"), ("even", None)])
def test_columns_of_any_type_are_labels(opened, place, column, label):
    labels = opened("--index", "lancedb:{}/lance", "--labels", column).labels
    expected = [(str(y) if label else str(y % 2 == 0),) for y in place.y]
    assert [labels.of(i) for i in range(200)] == expected


def test_files_and_stores_are_mixed_and_put_in_one_order(opened, place):
    collection = opened(
        *("--index", "{}/plain.index", "--index", "lancedb:{}/lance"),
        *("--index", "sqlite:{}/codes.db", "--table", "items", "--table", "others"),
        *("--labels", "digit"),
    )
    assert list(collection.methods) == ["plain", "items", "others"]
    backwards = place.hasher.encode(place.X)[::-1]
    for coded in collection.methods.values():
        assert np.array_equal(coded.packed, backwards)
    assert collection.labels.of(0) == (str(place.y[-1]),)


def test_one_table_is_that_of_every_store(opened):
    addresses = ("--index", "sqlite:{}/codes.db", "--index", "lancedb:{}/lance")
    assert list(opened(*addresses, "--table", "items").methods) == ["items", "items-2"]


def test_a_store_goes_with_a_model_and_a_file_of_labels(opened, place):
    collection = opened(
        *("--index", "sqlite:{}/codes.db", "--table", "others", "--model", "plain.hashlearn"),
        *("--labels", "digits-labels.npy"),
    )
    assert collection.methods["lsh"].hasher is not None
    assert collection.labels.of(3) == (str(place.y[3]),)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--index {}/plain.index --table items", "--table needs a store in --index"),
        (
            "--index sqlite:{}/codes.db --table a --table b",
            "once per store (1); got 2",
        ),
        ("--items digits.npy --model plain.hashlearn --table items", "--table goes with a store"),
        ("--table items", "give --index, or --items and --model"),
        ("--index sqlite:{}/codes.db --table none", "does not exist"),
        ("--index sqlite:{}/codes.db --labels cat", "--labels must be a column of"),
        ("--index sqlite:{}/codes.db --labels cat.npy", "--labels cat.npy is not a file"),
        ("--index sqlite:{}/missing.db", "does not exist"),
    ],
)
def test_what_cannot_be_opened_is_one_sentence(fail, stores, words, sentence):
    given = words.format(stores).split()
    assert sentence in fail("explore", "--no-open", "--port", "0", *given)


def test_an_empty_table_is_told(fail, tmp_path):
    with open_store(f"sqlite:{tmp_path / 'empty.db'}") as store:
        store.create(8)
    words = ("--no-open", "--port", "0", "--index", f"sqlite:{tmp_path / 'empty.db'}")
    assert "has no items" in fail("explore", *words)

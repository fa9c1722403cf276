"""Items with text ids, texts and embeddings: from a table to results with texts."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from hashlearn import HammingIndex
from hashlearn.cli.app import app
from hashlearn.search import VectorRescoring
from tests.documents.blocks import read_blocks

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "texts.md"
MODEL = ("-m", "plain.hashlearn")


@pytest.fixture(scope="module")
def tables(place):
    """Write the digits as tables with text ids, texts and embeddings."""
    for name, X, y in (
        ("items", place.X, place.y),
        ("asked", place.queries, place.query_labels),
    ):
        columns = {
            "id": [f"{name}/{i}" for i in range(len(X))],
            "text": [f"digit {digit}, number {i}" for i, digit in enumerate(y)],
            "digit": [None if i == 7 else int(digit) for i, digit in enumerate(y)],
            "embedding": list(X),
        }
        pq.write_table(pa.table(columns), place.folder / f"{name}.parquet")
    return place


@pytest.fixture
def indexed(run, tables, tmp_path):
    """Return an index of the table."""
    run("index", "items.parquet", *MODEL, "--ids", "id", "-o", tmp_path / "items.index")
    return tmp_path / "items.index"


@pytest.fixture
def search(run, indexed):
    """Search as a machine does."""

    def search_index(*words):
        beside = ("--items", "items.parquet", "--ids", "id")
        result = run("search", indexed, "asked.parquet", *MODEL, *beside, *words, "--json")
        return [json.loads(line) for line in result.stdout.splitlines()]

    return search_index


def test_columns_are_shown_beside_text_ids(search, tables):
    found = search("--show", "text,digit", "-k", 3)
    assert [line["query"] for line in found[:2]] == ["asked/0", "asked/1"]
    for line in found:
        positions = [int(id_.removeprefix("items/")) for id_ in line["ids"]]
        expected = [f"digit {tables.y[i]}, number {i}" for i in positions]
        assert line["text"] == expected
        assert line["digit"] == [None if i == 7 else tables.y[i] for i in positions]


def test_the_table_has_a_line_per_hit(run, indexed):
    words = ("--items", "items.parquet", "--ids", "id", "--show", "text", "-k", 2)
    lines = run("search", indexed, "asked.parquet", *MODEL, *words).stdout.splitlines()
    assert lines[0] == "The 2 nearest of 200 items"
    assert lines[2].split() == ["query", "id", "distance", "text"]
    assert sum("number" in line for line in lines) == 5 * 2
    assert lines[-1] == "55 more queries; --json prints all."


def test_a_condition_on_a_column_narrows_the_search(search, run, tables, indexed):
    for condition, wanted in (("digit=3,5", {3, 5}), ("digit!=3", set(range(10)) - {3} | {None})):
        found = search("--show", "digit", "--where", condition, "-k", 200)
        assert {digit for line in found for digit in line["digit"]} == wanted
    words = ("--items", "items.parquet", "--ids", "id", "--where", "digit=3")
    title = run("search", indexed, "asked.parquet", *MODEL, *words).stdout.splitlines()[0]
    assert title.startswith(f"The 10 nearest of {(tables.y == 3).sum()} of 200 items")


@pytest.mark.parametrize(
    ("condition", "sentence"),
    [
        ("text=digit 3, numbr 3", "no item has --where"),
        ('text="digit 3, numbr 3"', "did you mean 'digit 3, number 3'"),
        ("digt=3", "did you mean 'digit'"),
        ("digit=three", "must be integers"),
        ("digit=1..2,3", "must be integers"),
        ("digit", "COLUMN=VALUE"),
    ],
)
def test_a_mistyped_condition_is_told(fail, indexed, condition, sentence):
    beside = ("--items", "items.parquet", "--ids", "id")
    assert sentence in fail(
        "search", indexed, "asked.parquet", *MODEL, *beside, "--where", condition
    )


@pytest.mark.parametrize("vectors", ["vectors", "items.parquet", "items.npy", "items.csv"])
def test_vectors_are_found_by_id_in_any_file(run, tables, indexed, tmp_path, vectors):
    ids, words = "id", []
    if vectors == "vectors":
        words = ["--items", "items.parquet"]
    elif vectors.endswith(".npy"):
        np.save("items.npy", tables.X)
        np.save(tmp_path / "ids.npy", [f"items/{i}" for i in range(len(tables.X))])
        ids = tmp_path / "ids.npy"
    elif vectors.endswith(".csv"):
        rows = [f"items/{i}," + ",".join(map(str, x)) for i, x in enumerate(tables.X)]
        header = ",".join(["id", *(f"x{j}" for j in range(64))])
        Path("items.csv").write_text("\n".join([header, *rows]))
    rescored = (
        "--rescore",
        vectors,
        *words,
        "--ids",
        ids,
        "--query-ids",
        "id",
        "-k",
        2,
        "--oversample",
        100,
        "--json",
    )
    lines = run("search", indexed, "asked.parquet", *MODEL, *rescored).stdout.splitlines()
    index = HammingIndex(20)
    index.add(tables.hasher.encode(tables.X))
    rescoring = VectorRescoring(tables.queries, tables.X)
    expected = index.search(
        tables.hasher.encode(tables.queries), 2, rescore=rescoring, oversample=100
    )
    scores = [json.loads(line)["scores"] for line in lines]
    np.testing.assert_allclose(scores, expected.distances)


def test_an_index_is_appended_to_and_removed_from(run, tables, indexed):
    said = run("index", "asked.parquet", *MODEL, "--ids", "id", "--append", "-o", indexed).stderr
    assert "Indexed 260 codes of 20 bits (0 replaced)" in said
    said = run("index", "asked.parquet", *MODEL, "--ids", "id", "--append", "-o", indexed).stderr
    assert "Indexed 260 codes of 20 bits (60 replaced)" in said
    said = run("index", "--remove", "items/3,asked/1,nobody", "-o", indexed).stderr
    assert "Indexed 258 codes of 20 bits (2 removed)" in said
    ids = HammingIndex.load(indexed).ids.tolist()
    assert "items/3" not in ids
    assert "items/4" in ids


def test_several_files_make_one_index(run, tables, tmp_path):
    out = tmp_path / "both.index"
    run("index", "items.parquet", "asked.parquet", *MODEL, "--ids", "id", "-o", out)
    assert len(HammingIndex.load(out)) == 260
    run("index", "digits.npy", "queries.npy", *MODEL, "-o", out)
    assert HammingIndex.load(out).ids.tolist() == list(range(260))


def test_codes_travel_as_parquet_with_their_ids_and_model(run, fail, tables, tmp_path):
    codes = tmp_path / "codes.parquet"
    run("encode", "plain.hashlearn", "items.parquet", "--ids", "id", "-o", codes)
    run("index", codes, "-o", tmp_path / "codes.index")
    index = HammingIndex.load(tmp_path / "codes.index")
    assert index.model == tables.hasher.fingerprint()
    assert index.ids.tolist()[:2] == ["items/0", "items/1"]
    assert "holds codes" in fail("index", codes, *MODEL, "-o", tmp_path / "codes.index")


@pytest.mark.parametrize("rescore", ["margins", "vectors"])
def test_stores_find_what_an_index_finds(run, tables, indexed, tmp_path, rescore):
    address = f"sqlite:{tmp_path / 'items.db'}"
    columns = ("--ids", "id", "--columns", "text,digit")
    run("store", "push", "items.parquet", *MODEL, *columns, "--to", address)
    words = ("asked.parquet", *MODEL, "--items", "items.parquet", "--ids", "id", "-k", 4)
    more = ("--show", "text,digit", "--rescore", rescore, "--where", "digit!=3", "--json")
    by_index = run("search", indexed, *words, *more).stdout
    assert run("store", "search", address, *words, *more).stdout == by_index


def test_another_model_is_refused(run, fail, tables, indexed, tmp_path):
    other = tmp_path / "other.hashlearn"
    fit = ("--features", "embedding", "--method", "lsh", "--bits", 20, "--seed", 5)
    run("fit", "items.parquet", *fit, "-o", other)
    address = f"sqlite:{tmp_path / 'items.db'}"
    push = ("store", "push", "items.parquet", "--ids", "id", "--to", address)
    run(*push, *MODEL)
    for words in (
        ("search", indexed, "asked.parquet"),
        ("index", "asked.parquet", "--ids", "id", "--append", "-o", indexed),
        ("store", "search", address, "asked.parquet"),
        push,
    ):
        assert "has codes of model" in fail(*words, "-m", other)
    model = tables.hasher.fingerprint()
    assert model in run("info", indexed).stdout
    assert model in run("info", "plain.hashlearn").stdout
    assert model in run("store", "info", address).stdout


def test_margins_cannot_order_equal_codes(run, tables, tmp_path):
    np.save(tmp_path / "x.npy", np.repeat(tables.X[:20], 10, axis=0))
    run("index", tmp_path / "x.npy", *MODEL, "-o", tmp_path / "x.index")
    words = (tmp_path / "x.index", "queries.npy", *MODEL, "--rescore", "margins")
    said = run("search", *words).stderr
    assert "200 items have 20 distinct codes, and margins cannot order equal codes" in said


def test_fewer_items_than_k_are_all_found(run, tables, tmp_path):
    np.save(tmp_path / "x.npy", tables.X[:5])
    run("index", tmp_path / "x.npy", *MODEL, "-o", tmp_path / "x.index")
    found = run("search", tmp_path / "x.index", "queries.npy", *MODEL)
    assert found.stdout.startswith("The 5 nearest of 5 items")
    assert found.stderr == ""
    said = run("search", tmp_path / "x.index", "queries.npy", *MODEL, "-k", 7).stderr
    assert "-k 7 is more than there is: 5 items." in said


def test_the_page_is_followed(tmp_path, monkeypatch):
    """Run the commands of the guide's page, with SQLite; tests/test_docs_run.py runs all of it."""
    script = "\n".join(block.code for block in read_blocks(PAGE) if block.language == "sh")
    lines = [line.strip() for line in script.replace("\\\n", " ").splitlines()]
    commands = [line.split() for line in lines if line.startswith("hashlearn ")]
    assert len(commands) <= 8
    monkeypatch.chdir(tmp_path)
    for command in commands:
        words = [word.replace("$store", "sqlite:bank.db") for word in command[1:]]
        result = CliRunner().invoke(app, words, env={"COLUMNS": "120"})
        assert result.exit_code == 0, result.stderr
    assert "text" in result.stdout
    assert "refund" not in result.stdout.partition("intent")[2]

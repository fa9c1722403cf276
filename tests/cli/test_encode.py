"""Encoding gives the model's codes for any kind of input, and a whole file or none."""

import signal

import numpy as np
import pytest

from hashlearn.base import BaseHasher
from hashlearn.items import base


@pytest.fixture
def encode(run, tmp_path):
    """Encode an input, and return the codes with what was said."""

    def encode_input(*words):
        path = tmp_path / "codes.npy"
        result = run("encode", *words, "--output", path)
        assert result.stdout == ""
        return np.load(path, allow_pickle=False), result.stderr

    return encode_input


@pytest.mark.parametrize("model", ["named.hashlearn", "plain.hashlearn"])
@pytest.mark.parametrize("input", ["queries.npy", "queries.npz"])
def test_codes_are_the_models(encode, place, model, input):
    array = ("--array", "X") if input.endswith("npz") else ()
    codes, said = encode(model, input, *array)
    np.testing.assert_array_equal(codes, place.hasher.encode(place.queries))
    assert said.startswith("Encoded 60 items into 20 bits each")  # and no warning


def test_columns_are_found_by_name_in_any_order(encode, place, tmp_path):
    order = np.random.RandomState(0).permutation(len(place.names))
    table = np.column_stack([place.queries[:, order], place.query_labels, place.query_labels])
    header = ",".join(["", *np.array(place.names)[order], "digit", "more"])
    rows = [",".join(["text", *map(str, row)]) for row in table.tolist()]
    (tmp_path / "table.csv").write_text("\n".join([header, *rows]))
    codes, said = encode("named.hashlearn", tmp_path / "table.csv")
    np.testing.assert_array_equal(codes, place.hasher.encode(place.queries.astype(np.float64)))
    assert "warning" not in said


def test_parquet_gives_the_same_codes(encode, place, tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = dict(zip(place.names, place.queries.T, strict=True))
    parquet.write_table(pa.table({"id": np.arange(60), **columns}), tmp_path / "table.parquet")
    codes, _ = encode("named.hashlearn", tmp_path / "table.parquet")
    np.testing.assert_array_equal(codes, place.hasher.encode(place.queries))


@pytest.mark.parametrize("input", ["queries.npy", "queries.csv"])
@pytest.mark.parametrize("block_bytes", [1, 1000, 10_000])
def test_codes_do_not_depend_on_blocks(encode, place, monkeypatch, input, block_bytes):
    whole, _ = encode("named.hashlearn", input)
    monkeypatch.setattr(base, "BLOCK_BYTES", block_bytes)
    monkeypatch.setattr("hashlearn.items.csv.BLOCK_CHARACTERS", block_bytes)
    codes, said = encode("named.hashlearn", input, "--progress")
    np.testing.assert_array_equal(codes, whole)
    assert "60 of " in said


def test_no_items_make_an_empty_array(encode, tmp_path):
    np.save(tmp_path / "none.npy", np.empty((0, 64), dtype=np.float32))
    codes, _ = encode("plain.hashlearn", tmp_path / "none.npy")
    assert (codes.shape, codes.dtype) == ((0, 3), np.uint8)


def test_a_missing_column_is_named(fail, place, tmp_path):
    (tmp_path / "table.csv").write_text(",".join(place.names[1:]) + "\n")
    said = fail("encode", "named.hashlearn", tmp_path / "table.csv", "-o", tmp_path / "codes.npy")
    assert f"has no column '{place.names[0]}'" in said


@pytest.mark.parametrize(
    ("model", "input", "sentence"),
    [
        ("plain.hashlearn", "codes.npy", "'codes.npy' has 3 features, but 64 are needed"),
        ("plain.hashlearn", "queries.csv", "'queries.csv' has 65 features, but 64 are needed"),
        ("codes.npy", "queries.npy", "'codes.npy' cannot be loaded"),
        ("missing", "queries.npy", "No such file or directory: 'missing'"),
        ("plain.hashlearn", "missing.npy", "No such file or directory: 'missing.npy'"),
        ("plain.hashlearn", "plain.hashlearn", "ends in '.hashlearn'"),
    ],
)
def test_model_and_items_that_do_not_fit_are_told(fail, tmp_path, model, input, sentence):
    assert sentence in fail("encode", model, input, "--output", tmp_path / "codes.npy")
    assert not list(tmp_path.iterdir())


def test_an_output_that_cannot_be_written_is_told_first(fail, monkeypatch):
    monkeypatch.setattr("hashlearn.cli._shared.codes.load_hasher", None)
    assert "No such file" in fail("encode", "plain.hashlearn", "queries.npy", "-o", "no/c.npy")


def test_a_value_that_is_no_number_is_told_with_its_row(fail, place, tmp_path):
    X = place.queries.copy()
    X[41, 3] = np.nan
    np.save(tmp_path / "x.npy", X)
    said = fail("encode", "plain.hashlearn", tmp_path / "x.npy", "-o", tmp_path / "codes.npy")
    assert "has nan in column 3 of row 41 (from 0)" in said
    assert [path.name for path in tmp_path.iterdir()] == ["x.npy"]


def test_an_interrupt_leaves_the_old_file(place, tmp_path, monkeypatch, run):
    path = tmp_path / "codes.npy"
    path.write_bytes(b"old")
    monkeypatch.setattr(BaseHasher, "encode", lambda *_: signal.raise_signal(signal.SIGINT))
    with pytest.raises(AssertionError, match="Stopped"):
        run("encode", "plain.hashlearn", "queries.npy", "--output", path)
    assert path.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["codes.npy"]

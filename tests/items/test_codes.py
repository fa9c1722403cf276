"""Packed codes in .parquet files."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from hashlearn.items import base, open_items, read_codes, write_codes
from hashlearn.search import PackedCodes

CODES = np.random.default_rng(0).integers(0, 256, (50, 3), dtype=np.uint8)
CODES[:, 2] &= 240  # 20 bits
IDS = {
    "none": None,
    "integers": 3 * np.arange(50),
    "text": np.array([f"item {i}" for i in range(50)]),
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "codes.parquet"


def add_all(path, *blocks, **options):
    with write_codes(path, 20, **options) as add:
        for block in blocks:
            add(*block)


def write(path, codes=CODES, ids=None, step=7, **options):
    rows = [slice(first, first + step) for first in range(0, len(codes), step)]
    add_all(path, *((codes[r], None if ids is None else ids[r]) for r in rows), **options)


@pytest.mark.parametrize("ids", IDS.values(), ids=IDS)
def test_codes_ids_bits_and_model_come_back(ids, path):
    write(path, ids=ids, model="5f0c")
    stored = read_codes(path)
    np.testing.assert_array_equal(np.asarray(stored.packed), CODES)
    assert (stored.packed.model, stored.n_bits) == ("5f0c", 20)
    if ids is None:
        assert stored.ids is None
    else:
        np.testing.assert_array_equal(stored.ids, ids)
        assert stored.ids.dtype == (object if ids.dtype.kind == "U" else np.int64)


@pytest.mark.parametrize("ids", IDS.values(), ids=IDS)
def test_codes_are_read_in_blocks_as_items(ids, path, monkeypatch):
    monkeypatch.setattr(base, "BLOCK_BYTES", 64)
    write(path, ids=ids)
    source = open_items(path)
    assert (source.n_bits, source.model, source.code_column) == (20, None, "code")
    others = () if ids is None else ("id",)
    blocks = list(source.blocks("code", others))
    assert len(blocks) > 3
    assert blocks[0].features.dtype == np.uint8
    np.testing.assert_array_equal(source.join(blocks, "code", others).features, CODES)
    assert source.select_features(others=others) == ("code[0]", "code[1]", "code[2]")


def test_codes_that_know_their_model_tell_the_file(path):
    write(path, PackedCodes(CODES, model="5f0c"))
    assert read_codes(path).packed.model == "5f0c"
    with pytest.raises(ValueError, match="aa11"):
        write(path, PackedCodes(CODES, model="5f0c"), model="aa11")
    with pytest.raises(ValueError, match="first codes had no known model"):
        add_all(path, (CODES, None), (PackedCodes(CODES, model="5f0c"), None))
    assert read_codes(path).packed.model == "5f0c"  # a file is replaced by a whole one only


def test_a_file_without_codes_is_whole(path):
    write(path, CODES[:0])
    assert read_codes(path).packed.shape == (0, 3)


@pytest.mark.parametrize(
    ("second", "problem"),
    [
        ((CODES[:2], ["a", "b"]), "ids must all be integers, or all text"),
        ((CODES[:2], None), "every code must have one"),
        ((CODES[:2], [7]), "ids must have 2 entries"),
        ((CODES[:2, :2], [7, 8]), "packed"),
    ],
)
def test_blocks_that_do_not_fit_are_refused_and_nothing_is_written(second, problem, path):
    with pytest.raises(ValueError, match=problem):
        add_all(path, (CODES[:2], [1, 2]), second)
    assert not list(path.parent.iterdir())


@pytest.mark.parametrize("metadata", [None, {"hashlearn_n_bits": "many"}])
def test_other_tables_are_not_codes(metadata, path):
    table = pa.table({"code": pa.array([b"abc"], pa.binary(3))})
    parquet.write_table(table.replace_schema_metadata(metadata), path)
    with pytest.raises(ValueError, match="does not hold packed codes"):
        read_codes(path)

"""A batch of any documented form gets the model's codes, however it is cut."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from hashlearn.distributed import encode_batch
from tests.distributed.batch_forms import (
    CODES,
    HASHER,
    IDS,
    N_ITEMS,
    NAMED,
    NAMES,
    NUMBER_BATCHES,
    VECTOR_BATCHES,
    VECTORS,
    WIDTH,
    X,
    as_objects,
    codes_of,
    column_names,
    rows_of,
)

ROWS = [row.tobytes() for row in CODES]


@pytest.mark.parametrize("batch", VECTOR_BATCHES.values(), ids=VECTOR_BATCHES)
def test_vectors_get_the_models_codes_in_a_batch_of_the_same_kind(plain, batch):
    before = column_names(batch)
    encoded = plain(batch)
    assert type(encoded) is type(batch)
    assert column_names(encoded) == [*before, "code"]
    assert column_names(batch) == before  # what came in is not changed
    np.testing.assert_array_equal(codes_of(encoded), CODES)


@pytest.mark.parametrize("batch", NUMBER_BATCHES.values(), ids=NUMBER_BATCHES)
def test_features_of_a_model_that_knows_names_are_found_by_name(named, batch, recwarn):
    encoded = named(batch)
    assert type(encoded) is type(batch)
    np.testing.assert_array_equal(codes_of(encoded), CODES)
    np.testing.assert_array_equal(np.asarray(encoded["id"]), IDS)
    assert not recwarn.list


@pytest.mark.parametrize("kind", [dict, pd.DataFrame, pa.table])
def test_all_columns_of_numbers_are_features_if_they_are_as_many(plain, kind):
    batch = dict(zip("uvwxyz", X.T, strict=True)) | {"text": np.full(N_ITEMS, "x")}
    np.testing.assert_array_equal(codes_of(plain(kind(batch))), CODES)


@pytest.mark.parametrize("kind", [dict, pd.DataFrame, pa.table])
def test_columns_may_be_named_and_mixed(models, kind):
    batch = {"id": IDS, "tail": list(X[:, 1:]), "other": list(X), "head": X[:, 0]}
    batch["tail"], batch["other"] = as_objects(batch["tail"]), as_objects(batch["other"])
    encode = encode_batch(models / "named.hashlearn", columns=["head", "tail"], output="bits")
    np.testing.assert_array_equal(codes_of(encode(kind(batch)), "bits"), CODES)
    encode = encode_batch(models / "named.hashlearn", columns="other")
    np.testing.assert_array_equal(codes_of(encode(kind(batch))), CODES)


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float16, np.float64])
@pytest.mark.parametrize("kind", ["array", "dict", "pandas", "arrow"])
def test_numbers_of_any_type_get_the_hashers_codes(plain, dtype, kind):
    items = (10 * np.abs(X)).astype(dtype)
    batch = {
        "array": lambda: items,
        "dict": lambda: {"v": items},
        "pandas": lambda: pd.DataFrame(items, columns=NAMES),
        "arrow": lambda: pa.table(dict(zip(NAMES, items.T, strict=True))),
    }[kind]()
    encoded = plain(batch)
    found = encoded if kind == "array" else codes_of(encoded)
    np.testing.assert_array_equal(found, HASHER.encode(items))


def test_a_plain_array_gives_packed_codes(plain, named, recwarn):
    np.testing.assert_array_equal(plain(X), CODES)
    np.testing.assert_array_equal(named(X), CODES)
    assert not recwarn.list


def frames(batch, *stops):
    """Yield parts of a frame, as Spark hands them in."""
    for start, stop in zip((0, *stops), (*stops, N_ITEMS), strict=True):
        yield batch.iloc[start:stop]


@pytest.mark.parametrize("columns", [VECTORS, NAMED], ids=["vectors", "numbers"])
def test_an_iterator_gives_frames_with_codes_in_place_of_features(plain, named, columns):
    batch = pd.DataFrame(columns).drop(columns="text")
    encode = named if columns is NAMED else plain
    parts = encode(frames(batch, 1, 30, 30, 70))
    assert iter(parts) is parts
    found = pd.concat(list(parts))
    assert list(found.columns) == ["id", "code"]  # as "id long, code binary" says
    assert list(found["id"]) == list(IDS)
    assert list(found["code"]) == ROWS


def test_an_iterator_is_read_one_batch_at_a_time(plain):
    read = []

    def source():
        for part in frames(pd.DataFrame(VECTORS), 30, 60):
            read.append(len(part))
            yield part

    parts = plain(source())
    assert read == []
    next(parts)
    assert read == [30]


@pytest.mark.parametrize("name", VECTOR_BATCHES)
def test_codes_do_not_depend_on_how_rows_are_cut(plain, name):
    batch = VECTOR_BATCHES[name]
    parts = [rows_of(batch, slice(start, start + 7)) for start in range(0, N_ITEMS - 6, 7)]
    found = np.concatenate([codes_of(plain(part)) for part in parts])
    np.testing.assert_array_equal(found, CODES[: len(found)])


@pytest.mark.parametrize("batch", VECTOR_BATCHES.values(), ids=VECTOR_BATCHES)
def test_an_empty_batch_stays_empty(plain, batch):
    encoded = plain(rows_of(batch, slice(0, 0)))
    assert column_names(encoded)[-1] == "code"
    assert codes_of(encoded).shape == (0, WIDTH)


def test_empty_arrays_frames_and_iterators_are_taken(plain, named):
    assert plain(X[:0]).shape == (0, WIDTH)
    assert list(plain(iter(()))) == []
    assert list(plain(iter([pd.DataFrame(VECTORS).iloc[:0]]))) == []
    (frame,) = named(iter([pd.DataFrame(NAMED).iloc[:0]]))
    assert (list(frame.columns), len(frame)) == (["id", "text", "code"], 0)
    assert codes_of(plain({})).shape == (0, WIDTH)

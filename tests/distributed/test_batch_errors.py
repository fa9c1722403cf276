"""What does not fit is told in a sentence: batches, columns, names and models."""

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from hashlearn.distributed import encode_batch
from hashlearn.files import save_model
from hashlearn.losses.hinge import HingeLoss
from tests.distributed.batch_forms import IDS, NAMED, VECTORS, X, as_objects

DOUBLED = pd.DataFrame(X, columns=[*"abcde", "a"])


@pytest.mark.parametrize(
    ("batch", "sentence"),
    [
        ({"id": IDS, "text": VECTORS["text"]}, "no column of vectors, and 1 columns of numbers"),
        ({"v": X, "w": X}, "several columns of vectors, 'v', 'w'"),
        ({"v": X[:, :3]}, "X has 3 features"),
        ({"v": as_objects([X[0], X[1, :4]])}, "column 'v' of the batch has vectors of different"),
        (pd.DataFrame({"v": [[1.0], None]}), "column 'v' of the batch has missing values"),
        (pa.table({"v": [[1.0], None]}), "column 'v' of the batch has missing values"),
        (pa.table({"v": [[1.0], [None]]}), "column 'v' of the batch has missing values"),
        (pa.table({"v": [[1.0], [1.0, 2.0]]}), "column 'v' of the batch has vectors of different"),
        ({"v": X, "code": IDS}, "output='code' is a column of the batch already"),
        ({"v": np.full_like(X, np.nan)}, "contains NaN"),
        ({"id": IDS[:30], "v": X[:60, :3]}, "have different lengths: 'id' 30, 'v' 60"),
        ({"v": X, "id": IDS[:30]}, "have different lengths"),
        (DOUBLED, "several columns 'a'"),
        (pa.table(list(X.T), names=[*"abcde", "a"]), "several columns 'a'"),
        (np.empty((0, 7)), "the batch has shape (0, 7): the model takes (n, 6)"),
        (np.empty(0), "the batch has shape (0,): the model takes (n, 6)"),
    ],
)
def test_a_batch_that_does_not_fit_is_told(plain, batch, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        plain(batch)


@pytest.mark.parametrize("kind", [dict, pd.DataFrame, pa.table])
def test_missing_and_unfit_columns_are_named(models, named, kind):
    batch = {name: NAMED[name] for name in ("id", "text", "a", "c")}
    with pytest.raises(ValueError, match="no column 'b', 'd', 'e', 'f'; it has 'id', 'text'"):
        named(kind(batch))
    with pytest.raises(ValueError, match="column 'text' of the batch holds neither numbers"):
        encode_batch(models / "plain.hashlearn", columns="text")(kind(batch))


def test_missing_values_of_nullable_numbers_are_told(named):
    batch = pd.DataFrame(NAMED).astype({"c": "Float32"})
    batch.loc[3, "c"] = pd.NA
    with pytest.raises(ValueError, match="column 'c' of the batch has missing values"):
        named(batch)


def test_other_things_than_batches_and_models_are_told(plain, tmp_path):
    with pytest.raises(TypeError, match="a batch is a list; it takes a dict of arrays"):
        plain([1, 2])
    with pytest.raises(ValueError, match="columns is empty"):
        encode_batch("model", columns=[])
    with pytest.raises(FileNotFoundError, match="missing"):
        encode_batch(tmp_path / "missing")(X)
    save_model(HingeLoss(), tmp_path / "loss")
    with pytest.raises(ValueError, match="holds a HingeLoss, which is not a hasher"):
        encode_batch(tmp_path / "loss")(X)


@pytest.mark.parametrize("columns", [0, 2.5, True])
def test_columns_that_are_no_names_are_refused_at_once(columns):
    with pytest.raises(TypeError, match=f"columns={columns} is not taken"):
        encode_batch("model", columns=columns)


@pytest.mark.parametrize("output", [3, None])
def test_an_output_that_is_no_name_is_refused_at_once(output):
    with pytest.raises(TypeError, match=f"output={output} is not taken"):
        encode_batch("model", output=output)

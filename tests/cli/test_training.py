"""A sample for training is uniform, and keeps items and labels together."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.cli._shared.codes import ItemValues
from hashlearn.cli.fit._learning import read_training_items
from hashlearn.items import open_items

N = 50


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Items whose feature is their label."""
    folder = tmp_path_factory.mktemp("training")
    values = np.arange(N)
    np.save(folder / "x.npy", values[:, None].astype(np.float32))
    np.save(folder / "y.npy", values)
    np.savez(folder / "x.npz", x=values[:, None].astype(np.float32), y=values)
    (folder / "x.csv").write_text("x,y\n" + "\n".join(f"{value},{value}" for value in values))
    (folder / "only.csv").write_text("x\n" + "\n".join(map(str, values)))
    return folder


@pytest.mark.parametrize(
    ("input", "labels"),
    [("x.npy", "y.npy"), ("x.npz", "y"), ("x.npz", "y.npy"), ("x.csv", "y"), ("only.csv", "y.npy")],
)
@given(n=st.integers(1, 2 * N), seed=st.integers(0, 2**32 - 1))
def test_items_keep_their_labels_and_order(folder, input, labels, n, seed):
    source = open_items(folder / input)
    given = str(folder / labels) if labels.endswith(".npy") else labels
    values = ItemValues("--labels", given, source)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the feature looks like an id
        training = read_training_items(source, values, n, seed, progress=False)
    np.testing.assert_array_equal(training.X[:, 0], training.y)
    assert (np.diff(training.y) > 0).all()
    assert (len(training.y), training.n_items) == (min(n, N), N)


def test_every_item_is_drawn_equally_often(folder):
    source = open_items(folder / "x.npy")
    values = ItemValues("--labels", str(folder / "y.npy"), source)
    counts = np.zeros(N)
    for seed in range(400):
        counts[read_training_items(source, values, 10, seed, progress=False).y] += 1
    # 80 draws are expected of each, with a standard deviation of 8.
    assert np.abs(counts - 80).max() < 5 * 8


def test_a_column_of_ids_is_told(tmp_path):
    rows = "\n".join(f"{i},{i / 7},{i % 5}" for i in range(30))
    (tmp_path / "x.csv").write_text(f"id,share,class\n{rows}")
    source = open_items(tmp_path / "x.csv")
    with pytest.warns(UserWarning, match="column 'id' has a different whole number") as told:
        read_training_items(source, None, 30, 0, progress=False)
    assert len(told) == 1


def test_features_are_told(folder):
    training = read_training_items(open_items(folder / "x.npz"), None, 10, 0, progress=False)
    assert str(training) == "10 of 50 items with 1 features"


@pytest.mark.parametrize("text", ["a,b\n", "a,b\n1,2\n"])
def test_too_few_items_are_told(tmp_path, text):
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(ValueError, match="must have at least 2 items"):
        read_training_items(open_items(tmp_path / "x.csv"), None, 10, 0, progress=False)


def test_labelled_items_come_first_where_some_have_none(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(N)[:, None] / 7)
    labels = np.where(np.arange(N) % 5 == 0, np.arange(N) % 3, -1)
    np.save(tmp_path / "y.npy", labels)
    source = open_items(tmp_path / "x.npy")
    values = ItemValues("--labels", str(tmp_path / "y.npy"), source)
    training = read_training_items(source, values, 12, 0, progress=False)
    assert (len(training.X), training.n_unlabelled) == (12, 2)
    positions = np.round(training.X[:, 0] * 7).astype(int)
    np.testing.assert_array_equal(training.y, labels[positions])
    assert len(training.labelled().X) == 10

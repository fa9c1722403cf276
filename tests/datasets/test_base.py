import numpy as np
import pytest

from hashlearn.datasets import (
    DATASETS,
    Dataset,
    check_labels,
    list_datasets,
    load_dataset,
    register,
)
from hashlearn.files._kinds import class_of_name


def test_the_parts_of_a_dataset_have_one_row_per_item():
    X = np.zeros((3, 2), dtype=np.float32)
    with pytest.raises(ValueError, match="y must have 3 rows, one per item; got 2"):
        Dataset("a", X, y=np.zeros(2))
    with pytest.raises(ValueError, match="images must have 3 rows"):
        Dataset("a", X, images=np.zeros((4, 2, 2), dtype=np.uint8))
    with pytest.raises(ValueError, match="2-D"):
        Dataset("a", X[0])


def test_a_dataset_is_described_in_one_line():
    X = np.zeros((3000, 2), dtype=np.float32)
    indicator = np.zeros((3000, 7), dtype=np.uint8)
    assert repr(Dataset("a", X, indicator)) == "Dataset('a': 3,000 items, 2 features, 7 labels)"
    assert repr(Dataset("a", X)) == "Dataset('a': 3,000 items, 2 features)"


def test_a_new_set_is_one_registration(monkeypatch):
    monkeypatch.setattr(DATASETS, "_entries", dict(DATASETS._entries))

    @register("corners")
    def load_corners(data_home=None):
        """Load corners: four of them."""
        return Dataset("corners", np.eye(4, dtype=np.float32))

    assert load_dataset("corners").name == "corners"
    assert list_datasets()["corners"] == "four of them."
    with pytest.raises(ValueError, match="already registered"):
        register("corners")(load_dataset)


def test_every_registered_set_has_a_line():
    assert set(list_datasets()) >= {
        "mnist",
        "cifar10",
        "labelme",
        "tiny580k",
        "flickr1m",
        "tmc2007",
        "digits",
    }
    assert all(line.endswith(".") for line in list_datasets().values())


def test_a_model_file_cannot_name_a_loader():
    assert class_of_name("name:mnist") is None


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.zeros(3), r"shape \(3,\)"),
        (np.zeros((2, 2, 2)), r"shape \(2, 2, 2\)"),
        (np.array([[0, 2], [1, 1]]), "got 2"),
        (np.array([["a"], ["b"]]), "got 'a'"),
        (np.array([0.0, np.nan]), "NaN"),
        (np.array([1j, 2]), "complex"),
    ],
)
def test_what_cannot_be_labels_is_refused(values, message):
    with pytest.raises(ValueError, match=message):
        check_labels(values, 2, "y")


def test_labels_may_be_text():
    names = np.array(["cat", "dog"])
    assert check_labels(names, 2, "y") is names

import numpy as np
import pytest

from hashlearn.datasets import load_dataset, load_digits


class Trap:
    def __reduce__(self):
        return pytest.fail, ("something was unpickled",)


def test_an_archive_with_x_and_y_is_a_data_set(tmp_path):
    x, y = np.arange(12.0).reshape(4, 3), np.array(["a", "b", "a", "b"])
    np.savez(tmp_path / "mine.npz", x=x, y=y, other=np.zeros(7))
    found = load_dataset(tmp_path / "mine.npz")
    assert repr(found) == "Dataset('mine': 4 items, 3 features, 2 classes)"
    assert found.X.dtype == np.float32
    np.testing.assert_array_equal(found.X, x)
    np.testing.assert_array_equal(found.y, y)


def test_labels_may_be_missing_or_several(tmp_path):
    x = np.zeros((4, 3), dtype=np.uint8)
    np.savez(tmp_path / "a.npz", x=x)
    found = load_dataset(str(tmp_path / "a.npz"))
    assert found.y is None
    assert found.X.dtype == np.uint8
    np.savez(tmp_path / "a.npz", x=x, y=np.eye(4, dtype=bool))
    assert load_dataset(tmp_path / "a.npz").y.dtype == np.uint8


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"a": np.zeros((2, 2))}, "no array 'x'"),
        ({"x": np.zeros(3)}, "2-D"),
        ({"x": np.zeros((0, 3))}, "no items"),
        ({"x": np.full((2, 2), np.nan)}, "first in row 0"),
        ({"x": np.full((2, 2), 1e300)}, "as float32"),
        ({"x": np.zeros((2, 2)), "y": np.zeros(3)}, "one label"),
        ({"x": np.zeros((2, 2)), "y": np.full((2, 2), 5)}, "got 5"),
        ({"x": np.array([[Trap()]])}, "Python objects"),
        ({"x": np.zeros((1, 2)), "y": np.array([Trap()])}, "Python objects"),
    ],
)
def test_a_wrong_archive_is_refused_and_never_unpickled(tmp_path, arrays, message):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(ValueError, match=message) as caught:
        load_dataset(tmp_path / "a.npz")
    assert str(tmp_path / "a.npz") in str(caught.value)


@pytest.mark.parametrize("content", [b"PK\x03\x04rest", b"text", b"\x80\x04N."])
def test_what_is_not_an_archive_is_refused(tmp_path, content):
    (tmp_path / "a.npz").write_bytes(content)
    with pytest.raises(ValueError, match=r"not a whole \.npz"):
        load_dataset(tmp_path / "a.npz")


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nothing\.npz' does not exist"):
        load_dataset(tmp_path / "nothing.npz")


@pytest.mark.parametrize("name", ["mnist ", "digits.csv", "", "../mnist"])
def test_other_names_are_refused_with_the_known_ones(name):
    with pytest.raises(ValueError, match=r"must be one of .*'mnist'.*, or the path of a \.npz"):
        load_dataset(name)


def test_a_name_is_handed_on_with_its_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match=str(tmp_path)):
        load_dataset("tmc2007", data_home=tmp_path)


def test_digits_need_no_file():
    found = load_digits()
    assert (found.X.min(), found.X.max(), found.X.dtype) == (0, 1, np.float32)
    assert (found.images.max(), found.images.dtype) == (255, np.uint8)
    np.testing.assert_allclose(found.images.reshape(len(found.X), -1) / 255, found.X, atol=0.002)

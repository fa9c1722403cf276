import numpy as np
import pytest

from hashlearn.datasets import load_tmc2007, tmc2007


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(tmc2007, "SHAPE", (6, 5))
    monkeypatch.setattr(tmc2007, "N_LABELS", 3)
    rng = np.random.default_rng(0)
    return rng.integers(0, 2, (6, 5), dtype=np.uint8), rng.integers(0, 2, (6, 3), dtype=np.uint8)


def test_words_are_floats_and_labels_an_indicator(tmp_path, small):
    x, y = small
    np.savez_compressed(tmp_path / tmc2007.FILE, x=x, y=y.astype(float), labels=np.array(["a"]))
    found = load_tmc2007(tmp_path)
    assert (found.X.dtype, found.y.dtype) == (np.float32, np.uint8)
    np.testing.assert_array_equal(found.X, x)
    np.testing.assert_array_equal(found.y, y)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (lambda x, y: {"x": x[:5], "y": y[:5]}, r"got \(5, 5\) and \(5, 3\)"),
        (lambda x, y: {"x": x, "y": y[:, :2]}, r"got \(6, 5\) and \(6, 2\)"),
        (lambda x, y: {"x": x}, r"got \(6, 5\) and None"),
        (lambda x, y: {"x": x + 1, "y": y}, "0 and 1 only"),
        (lambda x, y: {"y": y}, "no array 'x'"),
    ],
)
def test_another_archive_is_refused(tmp_path, small, arrays, message):
    np.savez(tmp_path / tmc2007.FILE, **arrays(*small))
    with pytest.raises(ValueError, match=message):
        load_tmc2007(tmp_path)


def test_the_error_tells_which_file_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match=rf"put {tmc2007.FILE} into '{tmp_path}'"):
        load_tmc2007(tmp_path)


@pytest.mark.data
def test_the_real_file_is_read(data_folder):
    found = load_tmc2007(data_folder)
    assert repr(found) == "Dataset('tmc2007': 28,596 items, 500 features, 22 labels)"
    assert set(np.unique(found.X)) == {0, 1}

import numpy as np
import pytest
import scipy.io

from hashlearn.datasets import DATASETS, large, load_dataset
from tests.datasets.test_matrices import write_vecs

X = np.random.default_rng(0).random((400, 320), dtype=np.float32)


@pytest.fixture(params=large.N_ITEMS)
def name(request, monkeypatch):
    monkeypatch.setitem(large.N_ITEMS, request.param, len(X))
    return request.param


def save(path, X):
    if path.suffix == ".npy":
        np.save(path, X)
    elif path.suffix == ".mat":
        scipy.io.savemat(path, {"features": X})
    else:
        write_vecs(path, X)


@pytest.mark.parametrize("suffix", [".npy", ".mat", ".fvecs"])
@pytest.mark.parametrize("subfolder", [False, True])
@pytest.mark.filterwarnings("error")
def test_features_are_mapped_from_any_kind_of_file(tmp_path, name, suffix, subfolder):
    folder = tmp_path / name if subfolder else tmp_path
    folder.mkdir(exist_ok=True)
    save(folder / f"{name}{suffix}", X)
    found = load_dataset(name, data_home=tmp_path)
    assert isinstance(found.X, np.memmap)
    np.testing.assert_array_equal(found.X, X)
    assert found.y is None


@pytest.mark.parametrize("suffix", [".npy", ".mat"])
def test_items_may_be_columns(tmp_path, name, suffix):
    save(tmp_path / f"{name}{suffix}", X.T)
    np.testing.assert_array_equal(load_dataset(name, data_home=tmp_path).X, X)


def test_labels_are_read_from_the_file_beside(tmp_path, name):
    y = np.arange(len(X)) % 7
    save(tmp_path / f"{name}.npy", X)
    np.save(tmp_path / f"{name}_labels.npy", y)
    np.testing.assert_array_equal(load_dataset(name, data_home=tmp_path).y, y)
    np.save(tmp_path / f"{name}_labels.npy", y[1:])
    with pytest.raises(ValueError, match="one label"):
        load_dataset(name, data_home=tmp_path)
    np.save(tmp_path / f"{name}_labels.npy", y.astype(object))
    with pytest.raises(ValueError, match="Python objects"):
        load_dataset(name, data_home=tmp_path)


@pytest.mark.parametrize("shape", [(300, 320), (400, 100)])
def test_another_size_is_a_warning(tmp_path, name, shape):
    np.save(tmp_path / f"{name}.npy", np.zeros(shape))
    with pytest.warns(
        UserWarning, match=f"{shape[0]} items of {shape[1]} features; {name} usually has"
    ):
        assert load_dataset(name, data_home=tmp_path).X.shape == shape


def test_a_value_that_is_not_finite_is_refused(tmp_path, name):
    wrong = X.copy()
    wrong[17, 3] = np.nan
    save(tmp_path / f"{name}.fvecs", wrong)
    with pytest.raises(ValueError, match="first in row 17"):
        load_dataset(name, data_home=tmp_path)


def test_the_error_tells_which_file_is_missing(tmp_path, name):
    with pytest.raises(FileNotFoundError, match=rf"put {name}\.npy or .*{name}\.mat into"):
        DATASETS.get(name)(tmp_path)

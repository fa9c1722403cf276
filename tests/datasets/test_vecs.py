import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.datasets.vecs import VALUES, map_vecs


def write(path, X):
    heads = np.full((len(X), 1), X.shape[1], dtype="<i4")
    path.write_bytes(np.concatenate([heads.view(np.uint8), X.view(np.uint8)], axis=1).tobytes())


def random_rows(suffix, n_items, n_features, seed):
    rng = np.random.default_rng(seed)
    return (rng.random((n_items, n_features)) * 255).astype(VALUES[suffix])


@pytest.mark.parametrize("suffix", VALUES)
@given(n_items=st.integers(1, 20), n_features=st.integers(1, 9), seed=st.integers(0, 99))
def test_what_was_written_is_mapped(tmp_path_factory, suffix, n_items, n_features, seed):
    path = tmp_path_factory.mktemp("vecs") / f"a{suffix}"
    X = random_rows(suffix, n_items, n_features, seed)
    write(path, X)
    found = map_vecs(path)
    assert isinstance(found, np.memmap)
    assert found.dtype == X.dtype
    np.testing.assert_array_equal(found, X)


@pytest.mark.parametrize("suffix", VALUES)
@given(cut=st.integers(1, 59))
def test_a_file_that_was_cut_inside_a_row_is_refused(tmp_path_factory, suffix, cut):
    path = tmp_path_factory.mktemp("vecs") / f"a{suffix}"
    write(path, random_rows(suffix, 5, 15 if suffix == ".fvecs" else 60, 0))
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(ValueError, match=r"cut short or no \.[fb]vecs file"):
        map_vecs(path)


@pytest.mark.parametrize("head", [0, -1, 2**30])
def test_a_foreign_file_is_refused(tmp_path, head):
    path = tmp_path / "a.fvecs"
    path.write_bytes(np.array([head, 1, 2, 3], dtype="<i4").tobytes())
    with pytest.raises(ValueError, match="starts with the length"):
        map_vecs(path)


def test_a_row_of_another_length_is_named(tmp_path):
    path = tmp_path / "a.fvecs"
    write(path, random_rows(".fvecs", 9, 3, 0))
    content = bytearray(path.read_bytes())
    content[16 * 7] = 2
    path.write_bytes(content)
    with pytest.raises(ValueError, match="3 values in row 0 and 2 in row 7"):
        map_vecs(path)

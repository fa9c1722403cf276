import numpy as np
import pytest
import scipy.io
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from hashlearn.datasets import labelme, load_labelme
from hashlearn.datasets.labelme import _similar_pairs
from tests.datasets.mat_files import WRITERS

N = 60


def variables():
    """The variables of the real file, for fewer images."""
    rng = np.random.default_rng(0)
    order = rng.permutation(N) + 1
    return {
        "gist": rng.random((N, 512)),
        "img": rng.integers(0, 256, (32, 32, 3, N), dtype=np.uint8),
        "seg": rng.integers(0, 9, (32, 32, N), dtype=np.uint16),
        "nmat": rng.random((4, 4, 2)),
        "DistLM": rng.random((N, N), dtype=np.float32),
        "ndxtrain": order[None, 5:].astype(float),
        "ndxtest": order[None, :5].astype(float),
    }


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(labelme, "N_ITEMS", N)


def slow_rule(affinity, training, n_neighbors):
    """The rule of minimal loss hashing, pair by pair."""
    distance = -(affinity + affinity.T) / 2.0
    nearest = [sorted(distance[i, j] for j in training) for i in training]
    threshold = np.mean([distances[n_neighbors - 1] for distances in nearest])
    return (distance < threshold) | np.eye(len(affinity), dtype=bool)


@pytest.mark.parametrize("version", WRITERS)
@pytest.mark.filterwarnings("error")
def test_the_layout_of_its_distributors_is_read(tmp_path, version):
    stored = variables()
    WRITERS[version](tmp_path / "LabelMe_gist.mat", stored)
    found = load_labelme(tmp_path)
    assert found.X.dtype == np.float32
    np.testing.assert_array_equal(found.X, stored["gist"].astype(np.float32))
    np.testing.assert_array_equal(found.images[7], stored["img"][..., 7])
    assert found.images.shape == (N, 32, 32, 3)
    training = stored["ndxtrain"][0].astype(int) - 1
    expected = slow_rule(stored["DistLM"].astype(float), training, 50)
    np.testing.assert_array_equal(found.similar.toarray(), expected)
    assert found.similar.dtype == bool
    assert found.y is None


@given(
    n=st.integers(2, 20),
    n_neighbors=st.integers(1, 6),
    seed=st.integers(0, 999),
    block_bytes=st.sampled_from([1, 300, 2**20]),
)
def test_similar_pairs_follow_the_published_rule(n, n_neighbors, seed, block_bytes):
    rng = np.random.default_rng(seed)
    affinity = rng.random((n, n)) * (rng.random((n, n)) < 0.6)
    training = rng.permutation(n)[: rng.integers(1, n + 1)]
    expected = slow_rule(affinity, training, min(n_neighbors, len(training)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hashlearn.datasets._files.BLOCK_BYTES", block_bytes)
        for stored in (affinity, np.asfortranarray(affinity), sparse.csr_array(affinity)):
            found = _similar_pairs(stored, training, n_neighbors)
            np.testing.assert_array_equal(found.toarray(), expected)


def test_small_integers_do_not_overflow():
    affinity = np.full((3, 3), 200, dtype=np.uint8)
    affinity[0, 1] = affinity[1, 0] = 250
    assert _similar_pairs(affinity, np.arange(3), 2).nnz == 5


def test_images_and_the_split_may_be_missing(tmp_path):
    kept = {name: array for name, array in variables().items() if name in ("gist", "DistLM")}
    scipy.io.savemat(tmp_path / "LabelMe_gist.mat", kept)
    found = load_labelme(tmp_path)
    assert found.images is None
    expected = slow_rule(kept["DistLM"].astype(float), np.arange(N), 50)
    np.testing.assert_array_equal(found.similar.toarray(), expected)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"DistLM": None}, "no array of numbers 'DistLM'"),
        ({"gist": None}, "no array of numbers 'gist'"),
        ({"DistLM": np.zeros((N, N - 1))}, r"'DistLM' of shape \(60, 59\)"),
        ({"DistLM": np.full((N, N), np.nan)}, "'DistLM' of .* NaN"),
        ({"gist": np.full((N, 512), np.inf)}, "'gist' of .* NaN or infinite"),
        ({"img": np.zeros((32, 32, 3, 2), dtype=np.uint8)}, "'img' of shape"),
        ({"ndxtrain": np.array([[0.0, 1.0]])}, "'ndxtrain' with numbers outside"),
        ({"ndxtrain": np.array([[1.5]])}, "'ndxtrain' with numbers outside"),
    ],
)
def test_another_file_is_refused(tmp_path, change, message):
    kept = {name: array for name, array in (variables() | change).items() if array is not None}
    scipy.io.savemat(tmp_path / "LabelMe_gist.mat", kept)
    with pytest.raises(ValueError, match=message):
        load_labelme(tmp_path)


def test_a_part_of_the_set_is_a_warning(tmp_path, monkeypatch):
    monkeypatch.setattr(labelme, "N_ITEMS", 22019)
    scipy.io.savemat(tmp_path / "LabelMe_gist.mat", variables())
    with pytest.warns(UserWarning, match="60 items of 512 features; labelme usually has 22,019"):
        load_labelme(tmp_path)


def test_the_error_tells_which_file_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"put LabelMe_gist\.mat or LabelMe_GIST\.mat into"):
        load_labelme(tmp_path)

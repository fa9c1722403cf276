"""Items of every kind: sparse, small numbers, on disk, equal, out of scale."""

import re

import numpy as np
import pytest
import scipy.sparse as sp

from tests.methods.mixed.small import digits, half_known, mixed

X, y = digits()
KNOWN = half_known(y)


def fit(X, labels=KNOWN, **params):
    return mixed(8, **{"share": 0.5, "unlabelled": "spread"} | params).fit(X, labels)


@pytest.fixture(scope="module")
def expected():
    return fit(X)


@pytest.mark.parametrize("form", [sp.csr_array, sp.csr_matrix, sp.csc_array])
def test_sparse_items_get_about_the_bits_of_dense_ones(form, expected):
    hasher = fit(form(X))
    assert hasher.decisions_ == expected.decisions_
    assert np.mean(hasher.transform(form(X)) != expected.transform(X)) < 0.05


def test_shares_and_spreading_are_decided_for_sparse_items_too():
    hasher = fit(sp.csr_array(X), share="auto", unlabelled="auto")
    assert np.isfinite(hasher.share_results_["seen"]).all()


def test_sparse_items_are_refused_where_a_part_refuses_them():
    assert mixed().__sklearn_tags__().input_tags.sparse
    hasher = mixed(8, "fasthash", share=0.5)
    assert not hasher.__sklearn_tags__().input_tags.sparse
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        hasher.fit(sp.csr_array(X), y)


def test_float32_items_get_about_the_bits_of_float64_ones(expected):
    single = fit(X.astype(np.float32))
    assert np.mean(single.transform(X.astype(np.float32)) != expected.transform(X)) < 0.05


def test_small_numbers_are_read_from_a_file_as_they_are(tmp_path):
    np.save(tmp_path / "X.npy", (X * 16).astype(np.uint8))
    pixels = np.load(tmp_path / "X.npy", mmap_mode="r")
    hasher = fit(pixels, share="auto")
    floats = fit(pixels.astype(np.float32), share="auto")
    assert hasher.n_label_bits_ == floats.n_label_bits_
    assert np.mean(hasher.transform(pixels) != floats.transform(pixels)) < 0.05


@pytest.mark.parametrize("share", ["auto", 0.5])
def test_copies_of_items_have_their_code_and_their_label(share):
    copies = np.repeat(X[:40], 5, axis=0)
    labels = np.where(np.arange(200) % 5, -1, np.repeat(y[:40], 5))
    hasher = fit(copies, labels, share=share)
    codes = hasher.codes_.reshape(40, 5, 8)
    assert (codes == codes[:, :1]).all()


@pytest.mark.filterwarnings("error::RuntimeWarning", "ignore::UserWarning")
@pytest.mark.parametrize("unlabelled", ["auto", "spread"])
@pytest.mark.parametrize("share", ["auto", 0.5, 1.0])
def test_equal_items_give_codes_or_one_clear_sentence(share, unlabelled):
    try:
        hasher = fit(np.ones((200, 12)), share=share, unlabelled=unlabelled)
    except ValueError as refusal:
        sentence = str(refusal)
    else:
        assert (hasher.codes_ == hasher.codes_[0]).all()
        return
    assert sentence.endswith(".")


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("scale", [1e-200, 1e-100, 1e100, 1e200])
def test_items_out_of_scale_are_refused_or_coded_alike(scale):
    try:
        hasher = fit(X * scale)
    except ValueError as refusal:
        sentence = str(refusal)
    else:
        assert len(np.unique(hasher.codes_, axis=0)) > 10
        return
    assert re.search("X (has values up to|varies by)", sentence)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_huge_float32_items_are_refused_in_one_sentence():
    with pytest.raises(ValueError, match="X has values up to"):
        fit((X * 1e25).astype(np.float32))


@pytest.mark.filterwarnings("ignore:n_bits=4 exceeds the rank")
@pytest.mark.parametrize("unlabelled", ["auto", "spread", "ignore"])
def test_three_items_are_enough(unlabelled):
    assert fit(X[:3], np.array([0, 1, -1]), unlabelled=unlabelled).codes_.shape == (3, 8)
    assert fit(X[:3], np.array([0, 1, -1]), share="auto").n_label_bits_ == 4

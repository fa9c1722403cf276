"""Wrong parameters and hopeless data are refused in one sentence, before any long work."""

import numpy as np
import pytest

from hashlearn import MixedHasher, TwoStepHasher
from hashlearn.methods import mixed as mixed_module
from hashlearn.methods._mixed.mix import DEFAULT_SHARE
from tests.methods.mixed.small import digits, half_known, mixed

X, y = digits(60)


@pytest.fixture
def idle(monkeypatch):
    """Let nothing be learned or searched."""
    for name in ("choose_mix", "choose_teaching"):
        monkeypatch.setattr(mixed_module, name, None)


@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        ({"share": 1.5}, ValueError, "share"),
        ({"share": -0.1}, ValueError, "share"),
        ({"share": np.nan}, ValueError, "share"),
        ({"share": "half"}, (TypeError, ValueError), "share"),
        ({"share": None}, (TypeError, ValueError), "share"),
        ({"seen_weight": 1.1}, ValueError, "seen_weight"),
        ({"seen_weight": -1}, ValueError, "seen_weight"),
        ({"seen_weight": np.nan}, ValueError, "seen_weight"),
        ({"seen_weight": "most"}, ValueError, "seen_weight"),
        ({"combine": "both"}, ValueError, "combine must be .*; got 'both'"),
        ({"unlabelled": "guess"}, ValueError, "unlabelled must be .*; got 'guess'"),
        ({"unlabelled": None}, ValueError, "unlabelled must be .*; got None"),
        (
            {"label_hasher": "lsh"},
            ValueError,
            "label_hasher must be .* learns from labels.*; got 'lsh'",
        ),
        ({"label_hasher": "mixed"}, ValueError, "label_hasher .* not a mixed one; got 'mixed'"),
        ({"label_hasher": MixedHasher(4)}, ValueError, "not a mixed one"),
        ({"label_hasher": "best"}, ValueError, "method must be .*; got 'best'"),
        ({"label_hasher": 3}, TypeError, "label_hasher must be .*; got 3"),
        ({"label_hasher": TwoStepHasher}, TypeError, "label_hasher must be .*; got <class"),
        ({"geometry_hasher": "tsh"}, ValueError, "geometry_hasher .* unsupervised .*; got 'tsh'"),
        ({"geometry_hasher": "mixed"}, ValueError, "geometry_hasher must be .*; got 'mixed'"),
        ({"geometry_hasher": None}, TypeError, "geometry_hasher must be .*; got None"),
    ],
)
def test_wrong_parameters_are_named(idle, params, error, words):
    with pytest.raises(error, match=words):
        mixed().set_params(**params).fit(X, y)


def test_rows_with_minus_one_beside_other_values_are_refused(idle):
    indicator = np.eye(10, dtype=int)[y]
    indicator[3, :2] = -1
    with pytest.raises(ValueError, match="rows with -1 beside other values"):
        mixed().fit(X, indicator)


@pytest.mark.parametrize("share", ["auto", 0.5])
def test_one_class_beside_minus_one_is_refused_and_minus_one_is_explained(share):
    with pytest.raises(ValueError, match=r"-1.*unlabelled|unlabelled.*-1"):
        mixed(share=share).fit(X, np.where(y % 2, 1, -1))


def test_one_class_is_no_matter_where_no_bit_comes_from_labels():
    assert mixed(share=0).fit(X, np.zeros(60)).n_label_bits_ == 0


@pytest.mark.parametrize("share", ["auto", 0.5])
def test_one_labelled_item_is_refused_in_words_of_labels(share):
    with pytest.raises(ValueError, match="label"):
        mixed(share=share).fit(X, np.where(np.arange(60) == 7, y, -1))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_items_that_are_no_numbers_are_refused(idle, bad):
    broken = X.copy()
    broken[3, 5] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        mixed().fit(broken, y)


def test_more_geometry_bits_than_features_are_refused_where_the_share_is_given():
    with pytest.raises(ValueError, match="exceeds n_features=4"):
        mixed(16, share=0.5).fit(X[:, 20:24], y)


@pytest.mark.filterwarnings("ignore:n_bits=4 exceeds the rank")
def test_auto_takes_a_share_that_the_geometry_hasher_can_do():
    X, y = digits()
    hasher = mixed(16).fit(X[:, 20:24], y)
    assert hasher.n_label_bits_ >= 12
    assert np.isnan(hasher.share_results_["seen"][:6]).all()
    assert np.isfinite(hasher.share_results_["seen"][6:]).all()
    assert "nan" not in str(hasher.summary())


def test_labels_of_other_items_are_refused(idle):
    with pytest.raises(ValueError, match="y has 59 items, X has 60"):
        mixed().fit(X, y[:-1])


@pytest.mark.parametrize("share", ["auto", 0, 0.5, 1])
def test_one_bit_is_a_code(share):
    hasher = mixed(1, share=share).fit(X, half_known(y))
    assert hasher.encode(X).shape == (60, 1)
    assert hasher.n_label_bits_ in (0, 1)


def test_the_default_share_is_half_of_the_bits_where_no_class_can_be_held_out():
    two = y < 2
    hasher = mixed(10).fit(X[two], y[two])
    assert hasher.n_label_bits_ == round(DEFAULT_SHARE * 10)
    assert hasher.share_results_ is None
    assert "to hold some out" in str(hasher.summary())

"""Codes of classes: what the hash functions were trained to predict."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

import hashlearn
from hashlearn import HammingIndex, TwoStepHasher, make_hasher
from hashlearn.metrics import mean_average_precision, relevance_from_labels

X, y = load_digits(return_X_y=True)
LINEAR = {"n_bits": 20, "hash_function": "linear-svm", "random_state": 0}


@pytest.fixture(scope="module")
def hasher():
    return TwoStepHasher(**LINEAR).fit(X[:500], y[:500])


def test_training_items_have_the_code_of_their_class(hasher):
    assert np.array_equal(hasher.encode_labels(y[:500]), hasher.packed_codes_)
    assert hasher.encode_labels([]).shape == (0, 3)


def test_they_go_with_codes_of_the_same_model_alone(hasher):
    codes = hasher.encode_labels(y[:500])
    assert codes.model == hasher.encode(X[:1]).model
    index = HammingIndex(n_bits=20)
    index.add(codes)
    assert index.search(hasher.encode(X[500:510]), k=3).ids.shape == (10, 3)
    other = TwoStepHasher(**{**LINEAR, "random_state": 1}).fit(X[:300], y[:300])
    with pytest.raises(ValueError, match="model"):
        index.search(other.encode(X[500:510]), k=3)


def test_a_database_of_known_classes_is_searched_better(hasher):
    relevance = relevance_from_labels(y[1000:], y[500:1000])
    queries = hasher.encode(X[1000:])
    by_class, by_item = (
        mean_average_precision(queries, codes, relevance, n_bits=20)
        for codes in (hasher.encode_labels(y[500:1000]), hasher.encode(X[500:1000]))
    )
    assert by_class > by_item


def test_files_keep_them(hasher, tmp_path):
    names = np.array([f"digit {label}" for label in y[:500]])
    named = TwoStepHasher(**LINEAR).fit(X[:500], names)
    for model, labels in ((hasher, y[:500]), (named, names)):
        model.save(tmp_path / "digits.hashlearn")
        loaded = hashlearn.load(tmp_path / "digits.hashlearn")
        codes = loaded.encode_labels(labels)
        assert np.array_equal(codes, model.encode_labels(labels))
        assert codes.model == model.fingerprint()


def test_label_sets_have_codes():
    sets = np.stack([y % 2 == 0, y < 5], axis=1).astype(int)
    sets = np.column_stack([sets, 1 - sets.max(axis=1)])
    hasher = TwoStepHasher(**LINEAR).fit(X[:500], sets[:500])
    assert np.array_equal(hasher.encode_labels(sets[:500]), hasher.packed_codes_)
    with pytest.raises(ValueError, match=r"got the label set \[0, 1, 2\], which has no code"):
        hasher.encode_labels([[1, 1, 1]])
    with pytest.raises(ValueError, match="y must be an indicator of 3 labels, as in fit"):
        hasher.encode_labels(y[:5])


def test_a_new_class_has_a_code_once_it_is_learned():
    few = TwoStepHasher(**LINEAR).fit(X[:500][y[:500] < 9], y[:500][y[:500] < 9])
    with pytest.raises(ValueError, match=r"got 9, which has no code: use encode\(X\)"):
        few.encode_labels([1, 9])
    few.partial_fit(X[500:600], y[500:600])
    assert np.array_equal(few.encode_labels([9])[0], few.packed_codes_[-100:][y[500:600] == 9][0])


def test_labels_of_another_kind_are_refused(hasher):
    with pytest.raises(ValueError, match="y must be of dtype int64, as in fit"):
        hasher.encode_labels(["1", "2"])


@pytest.mark.parametrize("params", [{"group": False}, {"stagewise": True}])
def test_it_needs_classes_that_share_a_code(params):
    hasher = TwoStepHasher(**LINEAR, **params).fit(X[:60], y[:60])
    with pytest.raises(ValueError, match="encode_labels needs a hasher that was fitted with"):
        hasher.encode_labels(y[:3])


def test_it_needs_labels():
    hasher = TwoStepHasher(**LINEAR).fit(X[:60])
    with pytest.raises(ValueError, match="encode_labels needs a hasher that was fitted with"):
        hasher.encode_labels(y[:3])
    assert not hasattr(make_hasher("itq"), "encode_labels")

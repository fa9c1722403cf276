"""Every registered part, fitted, comes back from its file with the same bits."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.tree import DecisionTreeClassifier

import hashlearn
from hashlearn import TwoStepHasher
from hashlearn.files import save_model
from hashlearn.hash_functions import HASH_FUNCTIONS
from hashlearn.inference import INFERENCE
from hashlearn.losses import LOSSES
from hashlearn.methods import METHODS
from tests.files.storable_parts import same
from tests.methods.quick import quick

X, y = load_digits(return_X_y=True)
X, y = X[:120] / 16, y[:120]


def assert_comes_back(hasher, path):
    save_model(hasher.fit(X, y), path)
    loaded = hashlearn.load(path)
    assert same(loaded, hasher)
    np.testing.assert_array_equal(loaded.decision_function(X), hasher.decision_function(X))
    assert str(loaded.summary()) == str(hasher.summary())


@pytest.mark.parametrize("name", METHODS.names())
def test_method(name, tmp_path):
    assert_comes_back(quick(name, n_bits=6), tmp_path / "model")


@pytest.mark.parametrize("name", HASH_FUNCTIONS.names())
def test_hash_function(name, tmp_path):
    part = HASH_FUNCTIONS.create(name)
    hasher = TwoStepHasher(6, hash_function=part, random_state=0)
    assert_comes_back(hasher, tmp_path / "model")


@pytest.mark.parametrize("name", LOSSES.names())
def test_loss(name, tmp_path):
    hasher = TwoStepHasher(
        6, loss=LOSSES.create(name), hash_function="boosted-stumps", random_state=0
    )
    assert_comes_back(hasher, tmp_path / "model")


@pytest.mark.parametrize("name", INFERENCE.names())
def test_inference(name, tmp_path):
    loss = "laplacian" if name == "eigenmap" else "ksh"
    hasher = TwoStepHasher(
        6,
        loss=loss,
        inference=INFERENCE.create(name),
        hash_function="boosted-stumps",
        random_state=np.random.RandomState(0),
    )
    assert_comes_back(hasher, tmp_path / "model")


def test_feature_names_and_output_setting_come_back(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=[f"pixel {i}" for i in range(X.shape[1])])
    hasher = TwoStepHasher(6, hash_function="boosted-stumps", random_state=0)
    hasher.set_output(transform="pandas").fit(frame, y).save(tmp_path / "model")
    loaded = hashlearn.load(tmp_path / "model")
    pandas.testing.assert_frame_equal(loaded.transform(frame), hasher.transform(frame))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"loss": lambda s, y: (s - y) ** 2}, "loss is the function '<lambda>'"),
        (
            {"hash_function": DecisionTreeClassifier()},
            "hash_function is a DecisionTreeClassifier, a class that is not registered",
        ),
    ],
)
def test_what_is_the_users_own_is_refused(params, message, tmp_path):
    hasher = TwoStepHasher(6, **{"hash_function": "boosted-stumps", **params}, random_state=0)
    hasher.fit(X, y)
    with pytest.raises(TypeError, match=message):
        hasher.save(tmp_path / "model")
    assert not list(tmp_path.iterdir())

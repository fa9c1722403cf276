"""Laws of the reference: a classifier's answer, written as a code."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.svm import SVC

from hashlearn import TwoStepHasher
from hashlearn.experiments.classifier_codes import ClassifierCodes
from hashlearn.hash_functions import RBFSVMHash
from tests.experiments.small_sets import digits, several_labels

FUNCTION = RBFSVMHash(C=10.0, sigma=1.2, random_state=0)


@pytest.fixture(scope="module")
def fitted():
    data = digits()
    hasher = ClassifierCodes(16, hash_function=FUNCTION, random_state=0)
    return data, hasher.fit(data.X[:400], data.y[:400])


def test_an_item_gets_the_code_of_a_class(fitted):
    data, hasher = fitted
    known = {tuple(code) for code in hasher.set_codes_}
    assert {tuple(code) for code in hasher.transform(data.X[400:])} <= known


def test_the_class_is_the_one_that_the_same_machines_predict(fitted):
    data, hasher = fitted
    margins = np.stack(
        [
            SVC(C=10.0, gamma=1 / (2 * 1.2**2))
            .fit(data.X[:400].astype(np.float64), data.y[:400] == c)
            .decision_function(data.X[400:])
            for c in range(10)
        ],
        axis=1,
    )
    predicted = margins.argmax(axis=1)
    true_code = dict(zip(data.y[:400].tolist(), map(tuple, hasher.codes_), strict=True))
    expected = np.array([true_code[c] for c in predicted])
    assert (hasher.transform(data.X[400:]) == expected).all(axis=1).mean() > 0.995


def test_classes_have_the_codes_of_two_step_hashing(fitted):
    data, hasher = fitted
    two_step = TwoStepHasher(16, hash_function=FUNCTION, random_state=0)
    two_step.fit(data.X[:400], data.y[:400])
    assert (two_step.codes_ == hasher.codes_).all()


def test_several_labels_give_the_code_of_a_set_that_was_seen():
    data = several_labels()
    hasher = ClassifierCodes(16, hash_function="linear-svm", random_state=0)
    hasher.fit(data.X[:300], data.y[:300])
    known = {tuple(code) for code in hasher.codes_}
    assert {tuple(code) for code in hasher.transform(data.X[300:])} <= known


def test_fitting_leaves_parameters_alone(fitted):
    _, hasher = fitted
    assert clone(hasher).get_params()["hash_function"].C == 10.0
    assert not hasattr(hasher.hash_function, "coef_")

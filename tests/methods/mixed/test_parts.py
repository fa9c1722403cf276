"""Any method that learns from labels goes with any that does not."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from hashlearn import TwoStepHasher, make_hasher
from hashlearn.base import METHODS
from hashlearn.hash_functions import AnchorRidgeHash, RBFSVMHash
from hashlearn.methods._mixed.parts import Parts, as_hasher, as_part, of_length
from tests.methods.mixed.small import digits, half_known, mixed
from tests.methods.quick import quick

SUPERVISED = [n for n in METHODS.names() if METHODS.get(n).supervised and n != "mixed"]
UNSUPERVISED = [n for n in METHODS.names() if not METHODS.get(n).supervised]
PAIRS = [(name, "lsh") for name in SUPERVISED] + [("sdh", name) for name in UNSUPERVISED]


@pytest.mark.parametrize(("label", "geometry"), PAIRS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_any_two_methods_share_a_code(label, geometry):
    X, y = digits(80)
    parts = (quick(label, 8, random_state=None), quick(geometry, 8, random_state=None))
    hasher = mixed(6, *parts, share=0.5, unlabelled="spread").fit(X, half_known(y))
    assert [type(part) for part in (hasher.label_hasher_, hasher.geometry_hasher_)] == [
        METHODS.get(label),
        METHODS.get(geometry),
    ]
    assert hasher.transform(X).shape == (80, 6)
    np.testing.assert_array_equal(hasher.decision_function(X) > 0, hasher.transform(X))


@pytest.mark.parametrize("label", ["itq-cca", "ksh", "sdh", "splh"])
def test_auto_decides_for_other_methods_too(label):
    X, y = digits()
    hasher = mixed(6, quick(label, 6), "lsh").fit(X, half_known(y))
    assert np.isfinite(hasher.share_results_["seen"]).all()


def test_a_part_is_made_with_a_seed_and_threads():
    made = as_part("itq", "geometry_hasher", False, np.random.RandomState(0), n_jobs=2)
    again = as_part("itq", "geometry_hasher", False, np.random.RandomState(0), n_jobs=2)
    assert made.n_jobs == 2
    assert made.random_state == again.random_state
    assert isinstance(made.random_state, int)


def test_a_loss_goes_by_the_name_of_its_method():
    assert as_hasher("tsh-ksh").loss == "ksh"


@pytest.mark.parametrize(
    "function", ["kernel-features", RBFSVMHash(C=2.0), RandomForestClassifier(max_depth=2)]
)
def test_a_hash_function_that_is_given_is_kept(function):
    parts = Parts(TwoStepHasher(hash_function=function), make_hasher("itq"), 8)
    assert parts.for_labelled(100_000) is parts


def test_trials_take_over_what_the_first_of_them_chose():
    X, y = digits(100)
    parts = Parts(TwoStepHasher(hash_function="linear-svm", random_state=0), make_hasher("itq"), 8)
    fitted = of_length(parts.label_hasher, 4).fit(X, y)
    settled = parts.settled(fitted).label_hasher
    assert settled.hash_function.C == fitted.hash_function_.C_
    assert parts.label_hasher.hash_function == "linear-svm"
    other = Parts(make_hasher("itq-cca"), make_hasher("itq"), 8)
    assert other.settled(of_length(other.label_hasher, 4).fit(X, y)) is other


def test_trials_and_spread_labels_get_the_hash_function_of_the_labelled_items():
    X, y = digits()
    parts = Parts(TwoStepHasher(), make_hasher("itq"), 8)
    few, many = (parts.for_labelled(n).label_hasher.hash_function for n in (100, 1_000_000))
    assert isinstance(few, RBFSVMHash)
    assert isinstance(many, AnchorRidgeHash)
    assert parts.label_hasher.hash_function == "auto"
    known = np.where(np.arange(200) < 40, y, -1)
    learned = mixed(8, "tsh", share=0.5, unlabelled="spread").fit(X, known)
    assert type(learned.label_hasher_.hash_function_) is type(few)

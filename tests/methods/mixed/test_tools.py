"""scikit-learn's tools around a mixed hasher, and its files."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import hashlearn
from hashlearn import MixedHasher, TwoStepHasher, make_hasher
from hashlearn.affinity import LabelAffinity
from hashlearn.methods import ITQHasher
from tests.methods.mixed.small import digits, half_known, mixed

X, y = digits()
KNOWN = half_known(y)


def test_parameters_of_parts_go_by_their_own_names():
    hasher = MixedHasher(16, TwoStepHasher(loss="ksh"), ITQHasher(), random_state=0)
    hasher.set_params(label_hasher__loss="ee", share=0.25)
    assert hasher.get_params()["label_hasher__loss"] == "ee"
    copy = clone(hasher)
    assert copy.label_hasher is not hasher.label_hasher
    assert str(copy.get_params()) == str(hasher.get_params())


def test_the_name_makes_the_hasher():
    hasher = make_hasher("mixed", n_bits=12, share=0.5)
    assert isinstance(hasher, MixedHasher)
    assert (hasher.n_bits, hasher.share) == (12, 0.5)


def test_a_pipeline_hands_unlabelled_items_on():
    pipeline = make_pipeline(StandardScaler(), mixed(8, share=0.5)).fit(X, KNOWN)
    assert pipeline.transform(X).shape == (200, 8)
    assert "of 100 taught label bits" in pipeline[-1].decisions_[1]
    assert pipeline.score(X, KNOWN) > 0.3


def test_a_grid_search_sets_shares_and_parts():
    grid = {"share": [0.0, 0.5], "label_hasher__loss": ["bre", "ee"]}
    search = GridSearchCV(mixed(8), grid, cv=2).fit(X, y)
    scores = search.cv_results_["mean_test_score"].reshape(2, 2)  # losses by shares
    assert scores[0, 0] == scores[1, 0]  # without label bits no loss counts
    assert scores[0, 1] != scores[1, 1]
    assert search.best_estimator_.n_label_bits_ == 8 * search.best_params_["share"]


def test_cross_validation_splits_an_affinity_with_its_items():
    result = cross_validate(mixed(8, share=0.5), X, y, cv=2, params={"affinity": LabelAffinity(y)})
    assert (result["test_score"] > 0.3).all()


def test_set_output_gives_frames():
    frame = pd.DataFrame(X, columns=[f"pixel{i}" for i in range(64)])
    hasher = mixed(5, share=0.5).set_output(transform="pandas").fit(frame, KNOWN)
    bits = hasher.transform(frame)
    assert list(bits.columns) == [f"mixedhasher{k}" for k in range(5)]
    np.testing.assert_array_equal(bits, hasher.codes_)
    assert hasher.feature_names_in_[3] == "pixel3"
    assert hasher.score(frame, KNOWN) > 0.2


def test_labels_may_come_in_a_series():
    hashers = [mixed(6, share=0.5, unlabelled="spread") for _ in range(2)]
    hashers[0].fit(X, pd.Series(KNOWN, index=np.arange(200) + 7))
    np.testing.assert_array_equal(hashers[0].codes_, hashers[1].fit(X, KNOWN).codes_)


CASES = {
    "auto": (mixed(8), KNOWN),
    "spread": (mixed(8, share=0.5, unlabelled="spread"), KNOWN),
    "default parts": (MixedHasher(8, share=0.5, random_state=0), y),
    "no labels": (mixed(8), None),
    "labels alone": (mixed(8, share=1), y),
    "sum": (mixed(8, combine="sum"), KNOWN),
}


@pytest.mark.parametrize("case", CASES)
def test_a_saved_hasher_is_the_hasher_itself(case, tmp_path):
    unfitted, labels = CASES[case]
    hasher = clone(unfitted).fit(X, labels)
    hasher.save(tmp_path / "model")
    loaded = hashlearn.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.decision_function(X), hasher.decision_function(X))
    assert loaded.decisions_ == hasher.decisions_
    assert loaded.n_label_bits_ == hasher.n_label_bits_
    assert loaded.spread_results_ == hasher.spread_results_
    assert str(loaded.summary()) == str(hasher.summary())
    assert str(loaded.get_params()) == str(hasher.get_params())
    if hasher.share_results_ is None:
        assert loaded.share_results_ is None
    else:
        for name, values in hasher.share_results_.items():
            np.testing.assert_array_equal(loaded.share_results_[name], values)


def test_progress_goes_to_standard_error_only(capsys):
    loud = mixed(8, share=0.5, verbose=1).fit(X, KNOWN)
    assert capsys.readouterr().out == ""
    silent = mixed(8, share=0.5).fit(X, KNOWN)
    assert capsys.readouterr() == ("", "")
    np.testing.assert_array_equal(loud.decision_function(X), silent.decision_function(X))
    assert loud.label_hasher_.verbose == loud.geometry_hasher_.verbose == 0

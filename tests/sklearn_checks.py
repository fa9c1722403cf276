"""scikit-learn's own checks, as far as they apply to hashers, and those that cannot hold."""

import os

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from hashlearn.two_step import TwoStepHasher

EQUIVALENCE = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
)
ALONE = "stagewise learning starts at random with a variable per item: copies start otherwise"
GEOMETRY = "bits from geometry count an item once, or not at all if its weight is 0"
# Checks that ask what another one asks, of read-only items or of scipy's older class.
TWINS = ("check_estimator_sparse_matrix", "readonly_memmap=True")


def scikit_learn_checks(estimators):
    """Parametrise a test by `estimator` and `check`; a check that should fail must fail."""
    mark = parametrize_with_checks(
        estimators, expected_failed_checks=expected_failures, xfail_strict=True
    )
    names, cases = mark.args
    if not os.environ.get("SCIPY_ARRAY_API"):  # without it, these checks can only be skipped
        cases = [case for case in cases if "check_array_api_input" not in str(case)]
    cases = [may_pass(case) for case in cases]
    cases = [
        pytest.param(*case, marks=pytest.mark.slow) if is_twin(case) else case for case in cases
    ]
    return pytest.mark.parametrize(names, cases, **mark.kwargs)


def may_pass(case):
    """Return a case that fails by a random start: by another rounding it may not."""
    if not any(mark.kwargs.get("reason") == ALONE for mark in getattr(case, "marks", ())):
        return case
    return pytest.param(*case.values, marks=pytest.mark.xfail(reason=ALONE, strict=False))


def is_twin(case):
    return not hasattr(case, "marks") and any(name in str(case[1]) for name in TWINS)


def expected_failures(estimator):
    """Return the names of checks that cannot hold, with reasons."""
    if hasattr(estimator, "geometry_hasher"):
        return dict.fromkeys(EQUIVALENCE, GEOMETRY)
    if isinstance(estimator, TwoStepHasher) and estimator.stagewise:
        return dict.fromkeys(EQUIVALENCE, ALONE)
    return {}

"""The summary's figures are those of the codes."""

import numpy as np
import pytest

from hashlearn import TwoStepHasher
from hashlearn.base import Summary
from hashlearn.methods import LSHHasher


class Fitted:
    """A hasher as far as a summary looks."""

    def __init__(self, codes, groups=None, bit_error=None):
        self.packed_codes_ = np.packbits(codes, axis=1)
        self.n_bits_ = len(codes[0])
        self.groups_ = groups
        self.bit_error_ = bit_error


def test_figures_are_those_of_the_codes():
    codes = [[0, 0, 1, 1], [0, 1, 1, 0], [1, 0, 1, 1], [1, 1, 1, 0]]
    summary = Summary.of(Fitted(codes, groups=np.arange(4), bit_error=np.array([0, 0.5, 0, 0])))
    assert summary.balance.tolist() == [0.5, 0.5, 1, 0.5]
    assert summary.constant_bits == 1
    assert summary.distinct_codes == 4
    assert summary.correlation == pytest.approx(1 / 3)  # bits 2 and 4 are opposite
    assert summary.n_groups == 4
    assert summary.smallest_distance == 1
    assert summary.mean_distance == pytest.approx((2 + 1 + 3 + 3 + 1 + 2) / 6)
    assert "bit error" in str(summary)
    assert "constant bits    1" in str(summary)


def test_equal_codes_of_different_groups_are_seen():
    summary = Summary.of(Fitted([[0, 1], [0, 1], [1, 1]], groups=np.array([0, 1, 2])))
    assert summary.smallest_distance == 0
    assert summary.distinct_codes == 2


def test_hashers_without_groups_or_errors_have_a_summary_too():
    X = np.random.default_rng(0).normal(size=(30, 4))
    summary = LSHHasher(n_bits=1, random_state=0).fit(X).summary()
    assert summary.n_groups is None
    assert summary.bit_error is None
    assert summary.correlation == 0
    assert "LSHHasher" in str(summary)


def test_a_summary_of_classes_counts_them():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 10)
    hasher = TwoStepHasher(n_bits=8, random_state=0).fit(
        rng.normal(size=(30, 2)) + 9 * y[:, None], y
    )
    summary = hasher.summary()
    assert (summary.n_groups, summary.distinct_codes) == (3, 3)
    np.testing.assert_array_equal(summary.bit_error, hasher.bit_error_)

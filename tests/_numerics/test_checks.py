"""Checks of parameters: an error says the name, what the value must be, and what it was."""

import re
from typing import Literal

import numpy as np
import pytest

from hashlearn._numerics import checks


@pytest.mark.parametrize("value", [0, -1.0, np.nan, np.inf, "best", None, True])
def test_other_values_are_refused_by_name(value):
    with pytest.raises(ValueError, match=r"sigma must be 'auto' or a positive"):
        checks.check_positive("sigma", value)


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: checks.check_n_bits(0), "n_bits must be an integer from 1 to 4096; got 0."),
        (lambda: checks.check_number("step", np.nan), "step must be a positive number; got nan."),
        (
            lambda: checks.check_number("share", 2, zero=True, most=1),
            "share must be 0 or a positive number up to 1; got 2.",
        ),
        (
            lambda: checks.check_option("anchors", "grid", Literal["random", "kmeans"]),
            "anchors must be one of 'random', 'kmeans'; got 'grid'.",
        ),
        (
            lambda: checks.as_bytes("much"),
            "max_memory must be None, a positive integer or a size such as '512MB'; got 'much'.",
        ),
        (
            lambda: checks.check_not_huge(np.array([1.0, 1e30])),
            "sample_weight must be at most 1e+12; got 1e+30. Scale the weights.",
        ),
    ],
)
def test_an_error_says_what_a_value_must_be(check, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        check()


def test_sizes_are_numbers_of_bytes():
    assert [checks.as_bytes(size) for size in (None, 7, "2GB")] == [512 * 10**6, 7, 2 * 10**9]

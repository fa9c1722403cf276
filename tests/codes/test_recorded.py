"""Bits stay what they were: the codes of small data are those that are kept in a file."""

import re

import numpy as np
import pytest

from tests.codes.recorded import FILE, cases, environment

RECORDED = np.load(FILE)
HERE, THERE = environment(), str(RECORDED["__environment__"])


# Every name has a case that always runs; the others are run by make test-all.
FURTHER = re.compile(r"blobs|label_sets|float64|ungrouped|neighbours|hinge|inference .* pairs")
ALWAYS = ("loss hinge labels", "loss ee label_sets")


def as_parameter(name, codes):
    marks = [pytest.mark.slow] if FURTHER.search(name) and name not in ALWAYS else []
    return pytest.param(name, codes, marks=marks, id=name)


def test_every_case_is_recorded():
    assert {name for name, _ in cases()} == {*RECORDED.files} - {"__environment__"}


@pytest.mark.skipif(
    HERE != THERE, reason=f"recorded with {THERE}: other libraries and processors round otherwise"
)
@pytest.mark.parametrize(("name", "codes"), [as_parameter(*case) for case in cases()])
def test_bits_are_those_recorded(name, codes):
    np.testing.assert_array_equal(codes(), RECORDED[name])

"""Bits stay what they were: the codes of small data are those that are kept in a file."""

import numpy as np
import pytest

from tests.codes.recorded import FILE, cases, environment

RECORDED = np.load(FILE)
HERE, THERE = environment(), str(RECORDED["__environment__"])


def test_every_case_is_recorded():
    assert {name for name, _ in cases()} == {*RECORDED.files} - {"__environment__"}


@pytest.mark.skipif(
    HERE != THERE, reason=f"recorded with {THERE}: other libraries and processors round otherwise"
)
@pytest.mark.parametrize(("name", "codes"), list(cases()), ids=[name for name, _ in cases()])
def test_bits_are_those_recorded(name, codes):
    np.testing.assert_array_equal(codes(), RECORDED[name])

"""Constant bits get constant margins; equal and opposite bits share a machine."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.hash_functions.base import HashFunction, _distinct_bits


class Echo(HashFunction):
    """Remembers the machines' bits and returns them as margins."""

    def _fit_machines(self, X, Z, verbose):
        self.Z_ = Z

    def _machine_margins(self, X):
        return self.Z_[X[:, 0].astype(int)].astype(float)


codes_of_items = st.integers(1, 6).flatmap(
    lambda n_bits: st.lists(
        st.lists(st.integers(0, 1), min_size=n_bits, max_size=n_bits), min_size=1, max_size=7
    ).map(np.array)
)


@given(codes_of_items)
def test_machines_that_know_their_bits_give_every_bit_back(codes):
    X = np.arange(len(codes))[:, None]
    margins = Echo().fit(X, codes).decision_function(X)
    assert np.array_equal(margins > 0, codes > 0)


@given(codes_of_items)
def test_no_two_machines_are_equal_or_opposite_and_none_is_constant(codes):
    Z = _distinct_bits(codes)[2].astype(int)
    products = np.abs(Z.T @ Z) - len(codes) * np.eye(Z.shape[1])
    assert (products < len(codes)).all()
    assert (np.abs(Z.sum(axis=0)) < len(codes)).all()


def test_equal_and_opposite_bits_share_one_machine():
    codes = np.array([[0, 0, 1, 0], [1, 1, 0, 0], [1, 1, 0, 1]])
    machine, sign, distinct = _distinct_bits(codes)
    assert machine.tolist() == [0, 0, 0, 1]
    assert sign.tolist() == [1, 1, -1, 1]
    assert distinct.shape == (3, 2)


def test_constant_bits_need_no_machine():
    hash_function = Echo().fit(np.zeros((3, 1)), np.array([[0, 1]] * 3))
    assert hash_function.machine_.tolist() == [-1, -1]
    assert hash_function.decision_function(np.zeros((2, 1))).tolist() == [[-1, 1]] * 2

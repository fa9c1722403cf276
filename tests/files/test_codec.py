"""Every value that a model file holds comes back as it was."""

import json
import math
from collections import namedtuple

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hashlearn.files._codec import Decoder, Encoder
from hashlearn.files.errors import ModelFileError
from tests.files.storable_parts import (
    Hasher,
    Machine,
    Unregistered,
    dtypes,
    fitted_hasher,
    native_dtypes,
    same,
    shapes,
    values,
)


def through_json(value):
    encoder = Encoder()
    text = json.dumps(encoder.encode(value, path="value"), allow_nan=False)
    return Decoder(encoder.tensors).decode(json.loads(text))


@given(values)
def test_value_comes_back_equal_in_type_and_content(value):
    assert same(through_json(value), value)


@given(hnp.arrays(dtypes, shapes), st.sampled_from("CF"))
def test_array_of_any_byte_order_and_layout_comes_back(array, order):
    loaded = through_json(np.asarray(array, order=order))
    assert same(loaded, array.astype(array.dtype.newbyteorder("=")))
    assert loaded.flags.f_contiguous == np.asarray(array, order=order).flags.f_contiguous


@given(hnp.arrays(native_dtypes, hnp.array_shapes(min_dims=2, max_dims=3, max_side=5)))
def test_strided_view_comes_back(array):
    view = array[::-2, 1:]
    assert same(through_json(view), view.copy())


@pytest.mark.parametrize("make", [scipy.sparse.csr_matrix, scipy.sparse.csc_array])
def test_sparse_matrix_comes_back(make):
    matrix = make(np.eye(4, 7, k=2, dtype=np.float32))
    assert same(through_json(matrix), matrix)


def test_random_state_goes_on_where_it_stood():
    state = np.random.RandomState(3)
    state.normal(size=5)
    assert through_json(state).normal() == state.normal()


def test_private_attributes_are_left_out_except_those_of_scikit_learn():
    hasher = fitted_hasher()
    hasher._n_features_out = 12
    loaded = through_json(hasher)
    assert loaded._n_features_out == 12
    assert not hasattr(loaded, "_cache")


def test_keys_that_look_alike_name_different_tensors():
    weights = {1: np.zeros(2), "1": np.ones(3), "a.b": np.ones(1), "a": {"b": np.zeros(1)}}
    assert same(through_json(weights), weights)


Pair = namedtuple("Pair", "first second")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (Hasher(part=lambda s, y: s), "part is the function '<lambda>'"),
        (Hasher(part=Machine(C=[1.0, print])), r"part.C\[1\] is the function 'print'"),
        (Hasher(part=Machine), "part is the class 'Machine'"),
        (Hasher(part=Unregistered()), "part is a Unregistered, a class that is not registered"),
        (Hasher(part={"a": {1, 2}}), "part.a is of type set"),
        (Hasher(part=Pair(1, 2)), "part is of type Pair"),
        (Hasher(part=np.zeros(2, dtype=complex)), "part is an array of dtype complex128"),
        (Hasher(part=np.array([object()])), r"part\[0\] is of type object"),
        (Unregistered(), "the model is a Unregistered, a class"),
    ],
)
def test_what_cannot_be_stored_is_named(value, message):
    with pytest.raises(TypeError, match=f"^{message}.*, which a model file cannot hold.$"):
        Encoder().encode(value, path="")


def test_value_that_contains_itself_is_refused():
    endless = []
    endless.append(endless)
    with pytest.raises(TypeError, match=r"part\[0\] contains itself"):
        Encoder().encode(Hasher(part=endless), path="")


@pytest.mark.parametrize(
    "stored",
    [
        {"no such kind": 1},
        {"tuple": [], "dict": []},
        {"array": ["missing", "C"]},
        {"objects": ["V8", [1], ["a"]]},
        {"scalar": ["complex128", 1.0]},
        {"sparse": ["lil_matrix", [1, 1], None, None, None]},
        {"object": {"class": "no such:class", "params": {}, "attributes": {}}},
        {"object": {"class": "test part:machine", "params": {}, "attributes": {"__class__": 1}}},
        {"object": {"class": "test part:machine", "params": {}, "attributes": {"fit": 1}}},
    ],
)
def test_document_that_no_encoder_writes_is_refused(stored):
    with pytest.raises(ModelFileError):
        Decoder({}).decode(stored)


def test_special_floats_are_valid_json():
    assert Encoder().encode(math.nan, path="x") == {"float": "nan"}

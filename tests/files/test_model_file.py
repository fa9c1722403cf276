"""Model files: whole, honest about damage, and never half-written."""

import json
import os
import struct
import warnings

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import HealthCheck, given, settings

from hashlearn._version import __version__
from hashlearn.files import (
    ModelFileError,
    ModelVersionWarning,
    _tensor_file,
    load_model,
    save_model,
)
from hashlearn.losses import LOSSES
from tests.files.storable_parts import Hasher, Machine, fitted_hasher, same, values
from tests.files.tensor_file_parts import rewrite
from tests.processes import alone, peak_memory


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.hashlearn"


@given(values)
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_saved_estimator_loads_equal(path, value):
    hasher = Hasher(part=value)
    hasher.fitted_ = value
    save_model(hasher, path)
    assert same(load_model(path), hasher)


@pytest.mark.parametrize("name", LOSSES.names())
def test_every_registered_part_is_storable_as_it_is(path, name):
    loss = LOSSES.create(name)
    save_model(loss, path)
    assert type(load_model(path)) is type(loss)


def test_loaded_arrays_can_be_written_to(path):
    save_model(fitted_hasher(), path)
    loaded = load_model(path)
    for array in (loaded.codes_, loaded.coef_):
        assert array.flags.writeable
        array += 1


def test_same_model_gives_the_same_file(tmp_path):
    for name in "ab":
        save_model(fitted_hasher(), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_what_cannot_be_stored_leaves_the_old_file(path):
    save_model(fitted_hasher(), path)
    before = path.read_bytes()
    with pytest.raises(TypeError, match=r"^part is the function"):
        save_model(Hasher(part=print), path)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_model_too_large_for_a_header_is_refused_before_writing(path, monkeypatch):
    monkeypatch.setattr(_tensor_file, "MAX_HEADER_BYTES", 1000)
    with pytest.raises(ValueError, match=r"at most 1,000\.$"):
        save_model(Hasher(part=list(range(1000))), path)
    assert not path.exists()


def peak_of_saving(n_weights, path):
    save_model(Machine(weights=np.ones(1)), path)
    return peak_memory(save_model, Machine(weights=np.ones(n_weights)), path)


def test_saving_makes_no_second_copy_of_the_arrays(path):
    assert alone(peak_of_saving, 4_000_000, path) < 8 * 4_000_000 / 10


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda d: d.update(format_version=2), r"in format version 2, .*: upgrade hashlearn\.$"),
        (lambda d: d.update(format_version="1"), "format version '1' is not known"),
        (lambda d: d.update(format="other"), "not one of hashlearn's"),
        (lambda d: d.update(hashlearn_version=1), "which version of hashlearn"),
        (lambda d: d.pop("content"), "not a whole model file"),
        (lambda d: d["content"]["object"].update({"class": "os:system"}), "needs 'os:system'"),
        (
            lambda d: d["content"]["object"]["params"].update(evil=1, ill=2),
            r"its '.*' has the parameters 'evil', 'ill', which are not known here\.$",
        ),
        (lambda d: d["content"]["object"].update(params=[]), "not a whole model file"),
        (lambda d: d["content"]["object"]["attributes"].update(fit=1), "'fit'"),
        (lambda d: d.update(content={"scalar": ["int8", 1000]}), "not a whole model file"),
    ],
)
def test_document_that_save_model_would_not_write_is_refused(path, edit, message):
    save_model(fitted_hasher(), path)
    rewrite(path, edit)
    with pytest.raises(ModelFileError, match=message):
        load_model(path)


def test_edited_parameter_does_not_fit_the_checksum(path):
    save_model(fitted_hasher(), path)
    rewrite(path, lambda d: d["content"]["object"]["params"].update(n_bits=13), keep_digest=True)
    with pytest.raises(ModelFileError, match="checksum does not match"):
        load_model(path)


def test_deeply_nested_document_is_refused(path):
    metadata = {"hashlearn-model": "[" * 100_000 + "]" * 100_000}
    path.write_bytes(safetensors.numpy.save({}, metadata=metadata))
    with pytest.raises(ModelFileError):
        load_model(path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x80\x04K\x01.",  # a pickle
        b"PK\x03\x04" + bytes(100),  # a zip archive
        safetensors.numpy.save({"weights": np.ones(3)}),
        safetensors.numpy.save({}, metadata={"hashlearn-model": "no JSON"}),
    ],
    ids=["empty", "pickle", "zip", "safetensors", "no-json"],
)
def test_foreign_file_is_refused(path, content):
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=r"model\.hashlearn' .*\.$"):
        load_model(path)


def test_missing_file_is_a_file_not_found_error(path):
    with pytest.raises(FileNotFoundError, match=r"model\.hashlearn"):
        load_model(path)


def test_unknown_tensor_dtype_is_refused(path):
    header = {"a": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}}
    document = {"format": "hashlearn-model", "format_version": 1, "hashlearn_version": "0"}
    header["__metadata__"] = {"hashlearn-model": json.dumps(document)}
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + bytes(4))
    with pytest.raises(ModelFileError, match="dtype"):
        load_model(path)


@pytest.mark.parametrize(
    "edit",
    [
        lambda d: d.update(format_version=2),
        lambda d: d.update(content={"a new kind": 1}),
        lambda d: d["content"]["object"].update({"class": "method:new"}),
        lambda d: d["content"]["object"]["params"].update(new=1),
        lambda d: d["content"]["object"].update(params=[]),
    ],
    ids=["format", "kind", "class", "parameter", "structure"],
)
def test_file_of_a_newer_hashlearn_that_cannot_be_read_says_so(path, edit):
    """It said "is not a whole model file: unexpected keyword argument"."""
    save_model(fitted_hasher(), path)
    rewrite(path, lambda d: (d.update(hashlearn_version="9.9"), edit(d)))
    message = rf"' cannot be loaded: it was written by hashlearn 9\.9.* is {__version__}.*upgrade"
    with pytest.raises(ModelFileError, match=message):
        load_model(path)


def test_an_empty_file_is_called_empty(path):
    path.touch()
    with pytest.raises(ModelFileError, match=r"model\.hashlearn' cannot be loaded: it is empty\.$"):
        load_model(path)


@pytest.mark.parametrize(("version", "warns"), [("99.0", True), ("0.0.9", False)])
def test_file_of_a_newer_hashlearn_loads_with_a_warning(path, version, warns):
    save_model(Machine(C=2), path)
    rewrite(path, lambda d: d.update(hashlearn_version=version))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert load_model(path).C == 2
    assert [w.category for w in caught] == [ModelVersionWarning] * warns

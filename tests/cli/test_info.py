"""`hashlearn info` says what a file is."""

import json

import numpy as np
import pytest

from hashlearn import HammingIndex


@pytest.fixture
def info(run):
    """Return what is said to people, and to machines."""

    def describe(*words):
        text = run("info", *words).stdout
        facts = json.loads(run("info", *words, "--json").stdout)
        return " ".join(text.split()), facts

    return describe


def test_a_model_tells_method_parameters_features_and_summary(info, place):
    text, facts = info("named.hashlearn")
    assert (facts["kind"], facts["method"], facts["bits"]) == ("model", "lsh", 20)
    given = {"n_bits": 20, "center": True, "random_state": 0}
    assert facts["parameters"] == given | {"n_jobs": None, "verbose": 0}
    assert (facts["features"], facts["training_items"]) == (64, 200)
    assert facts["names"] == list(place.names)
    assert facts["format_version"] == 1
    assert facts["summary"]["constant_bits"] == 0
    assert "method lsh" in text
    assert " ".join(str(place.hasher.summary()).split()) in text


def test_an_index_tells_its_size_and_layout(info, place, tmp_path):
    index = HammingIndex(20)
    index.add(np.repeat(place.hasher.encode(place.X), 100, axis=0))
    index.save(tmp_path / "index")
    text, facts = info(tmp_path / "index", "--verify")
    assert facts["kind"] == "index"
    assert (facts["items"], facts["bits"]) == (20_000, 20)
    assert facts["layout"] == index.layout == "bucketed"
    assert facts["distinct_codes"] == index.n_distinct <= 200
    assert facts["bytes"] == (tmp_path / "index").stat().st_size
    assert "items 20,000" in text
    assert "Its checksums are right." in text


def test_distinct_codes_of_a_plain_index_are_counted_on_demand(info, place, tmp_path):
    index = HammingIndex(20, layout="plain")
    index.add(place.hasher.encode(place.X))
    index.save(tmp_path / "index")
    assert "distinct_codes" not in info(tmp_path / "index")[1]
    assert info(tmp_path / "index", "--verify")[1]["distinct_codes"] == index.n_distinct


@pytest.mark.parametrize(
    ("content", "reason"), [(b"", "it is empty"), (b"half", "it is truncated")]
)
def test_what_is_left_of_a_model_is_not_taken_for_items(fail, tmp_path, content, reason):
    (tmp_path / "model.hashlearn").write_bytes(content)
    assert f"model.hashlearn' cannot be loaded: {reason}" in fail(
        "info", tmp_path / "model.hashlearn"
    )


def test_verify_finds_damage(fail, place, tmp_path):
    index = HammingIndex(20)
    index.add(place.hasher.encode(place.X))
    index.save(tmp_path / "index")
    with (tmp_path / "index").open("r+b") as file:
        file.seek(-9, 2)
        byte = file.read(1)
        file.seek(-9, 2)
        file.write(bytes([byte[0] ^ 1]))
    assert "cannot be loaded" in fail("info", tmp_path / "index", "--verify")


@pytest.mark.parametrize(
    ("words", "items", "columns"),
    [
        (("digits.npy",), 200, 64),
        (("digits.npz", "--array", "X"), 200, 64),
        (("codes.npy",), 200, 3),
    ],
)
def test_an_array_tells_its_shape(info, words, items, columns):
    _, facts = info(*words)
    assert (facts["kind"], facts["items"], facts["columns"]) == ("items", items, columns)


def test_a_table_tells_its_columns(info, place):
    text, facts = info("digits.csv")
    assert facts["names"] == [*place.names, "digit"]
    assert facts["items_about"] == pytest.approx(200, rel=0.1)
    assert "columns 65" in text


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("missing", "No such file or directory: 'missing'"), ("note.txt", "ends in '.txt'")],
)
def test_other_files_are_told_in_one_sentence(fail, place, name, sentence):
    (place.folder / "note.txt").write_text("hello")
    assert sentence in fail("info", name)

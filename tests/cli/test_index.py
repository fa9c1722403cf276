"""An index holds the codes and ids that it was given, or says in a sentence what is wrong."""

import numpy as np
import pytest

from hashlearn import HammingIndex
from hashlearn.items import base

CODES = ("codes.npy", "--bits", 20)
ITEMS = ("digits.csv", "--model", "named.hashlearn")


@pytest.fixture
def index(run, tmp_path):
    """Build an index, and return it with what was said."""

    def build_index(*words):
        result = run("index", *words, "--output", tmp_path / "index")
        assert result.stdout == ""
        return HammingIndex.load(tmp_path / "index", verify=True), result.stderr

    return build_index


@pytest.mark.parametrize("words", [CODES, ITEMS, ("digits.npy", "--model", "plain.hashlearn")])
def test_the_index_holds_the_codes(index, place, words):
    made, said = index(*words)
    assert (len(made), made.n_bits) == (200, 20)
    np.testing.assert_array_equal(made.ids, np.arange(200))
    np.testing.assert_array_equal(made.reconstruct(made.ids), place.hasher.encode(place.X))
    assert "Indexed 200 codes of 20 bits" in said


def test_blocks_do_not_change_the_file(index, tmp_path, monkeypatch):
    index(*CODES)
    whole = (tmp_path / "index").read_bytes()
    monkeypatch.setattr(base, "BLOCK_BYTES", 100)
    index(*CODES)
    assert (tmp_path / "index").read_bytes() == whole


def test_all_bits_of_the_bytes_count_unless_given(index):
    assert index("codes.npy")[0].n_bits == 24


@pytest.mark.parametrize("kind", ["column", "npy", "csv"])
def test_ids_come_from_a_column_or_a_file(index, place, tmp_path, kind):
    ids = np.random.RandomState(0).permutation(10**6)[:200] - 1000
    np.save(tmp_path / "ids.npy", ids)
    (tmp_path / "ids.csv").write_text("\n".join(["id", *map(str, ids)]))
    header = ",".join([*place.names, "id"])
    rows = [",".join(map(str, [*row, id_])) for row, id_ in zip(place.X.tolist(), ids, strict=True)]
    (tmp_path / "items.csv").write_text("\n".join([header, *rows]))
    if kind == "column":
        words = (tmp_path / "items.csv", "--model", "named.hashlearn", "--ids", "id")
    else:
        words = (*CODES, "--ids", tmp_path / f"ids.{kind}")
    made, _ = index(*words)
    np.testing.assert_array_equal(made.ids, ids)
    np.testing.assert_array_equal(made.reconstruct(ids), place.hasher.encode(place.X))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("digits.npy",), "'digits.npy' holds float32; packed codes must be uint8"),
        (("digits.csv",), "'digits.csv' holds a table; packed codes must be uint8"),
        (("codes.npy", "--bits", 12), "'codes.npy' is 3 bytes wide; n_bits=12 needs 2 bytes"),
        (("codes.npy", "--bits", 17), "'codes.npy' has bits set after n_bits=17"),
        (("codes.npy", "--bits", 5000), "--bits"),
        ((*ITEMS, "--bits", 24), "the model gives codes of 20 bits, not 24"),
        (("codes.npy", "--model", "named.hashlearn"), "has 3 features, but 64 are needed"),
        ((*CODES, "--ids", "queries-labels.npy"), "has 60 values for 200 items"),
        ((*CODES, "--ids", "digits-labels.npy"), "ids"),  # they repeat
        (
            (*ITEMS, "--ids", "nothing"),
            "--ids nothing is not a file, and 'digits.csv' has",
        ),
        (("missing.npy",), "No such file or directory: 'missing.npy'"),
        (("plain.hashlearn",), "ends in '.hashlearn'"),
    ],
)
def test_wrong_inputs_are_told_in_one_sentence(fail, tmp_path, words, sentence):
    assert sentence in fail("index", *words, "--output", tmp_path / "index")
    assert not list(tmp_path.iterdir())


def test_ids_that_are_no_integers_are_told(fail, tmp_path):
    np.save(tmp_path / "ids.npy", np.arange(200) + 0.5)
    said = fail("index", *CODES, "--ids", tmp_path / "ids.npy", "--output", tmp_path / "index")
    assert "64-bit integers or text; got 0.5" in said

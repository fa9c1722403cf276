"""An output never replaces what the command reads."""

import shutil

import pytest

MODEL = ("--model", "named.hashlearn")


@pytest.mark.parametrize(
    ("words", "output"),
    [
        (("fit", "digits.csv", "--method", "lsh"), "digits.csv"),
        (("fit", "digits.npy", "--labels", "digits-labels.npy"), "digits-labels.npy"),
        (("encode", "plain.hashlearn", "digits.npy"), "digits.npy"),
        (("index", "codes.npy"), "codes.npy"),
        (("index", "digits.csv", *MODEL), "named.hashlearn"),
        (("index", "codes.npy", "--ids", "digits-labels.npy"), "digits-labels.npy"),
    ],
)
def test_an_input_is_not_replaced(fail, place, words, output):
    before = (place.folder / output).read_bytes()
    assert f"--output {output} is also an input" in fail(*words, "--output", output)
    assert (place.folder / output).read_bytes() == before


def test_a_link_to_an_input_is_not_written_through(fail, place):
    (place.folder / "link.npy").unlink(missing_ok=True)
    (place.folder / "link.npy").symlink_to("codes.npy")
    assert "is also an input" in fail("index", "codes.npy", "--output", "link.npy")


def test_codes_are_written_under_their_suffix_only(fail, place):
    words = ("encode", "plain.hashlearn", "digits.npy", "--output", "codes.csv")
    assert "must be a .npy or .parquet file" in fail(*words)
    assert not (place.folder / "codes.csv").exists()


def test_a_file_may_be_named_like_an_address(run, place):
    run("index", "codes.npy", "--output", "ann:b@home")
    assert "200" in run("info", "ann:b@home").stdout


def test_another_file_is_replaced(run, place):
    shutil.copy(place.folder / "codes.npy", place.folder / "old.npy")
    run("encode", "plain.hashlearn", "queries.npy", "--output", "old.npy")
    assert (place.folder / "old.npy").read_bytes() != (place.folder / "codes.npy").read_bytes()

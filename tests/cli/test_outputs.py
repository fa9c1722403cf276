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
    assert "must be a .npy file" in fail(*words)
    assert not (place.folder / "codes.csv").exists()


def test_a_word_that_was_cut_at_a_password_is_not_the_name_of_a_file(fail, place):
    words = ("index", "codes.npy", "--output", "ann:secret@host")
    assert "… must be a file; it looks like an address." in fail(*words)
    assert not list(place.folder.glob("ann*"))


def test_another_file_is_replaced(run, place):
    shutil.copy(place.folder / "codes.npy", place.folder / "old.npy")
    run("encode", "plain.hashlearn", "queries.npy", "--output", "old.npy")
    assert (place.folder / "old.npy").read_bytes() != (place.folder / "codes.npy").read_bytes()

"""Texts of items: a line each, cut where they are long."""

import pytest

from hashlearn.explorer.collection.displays import TextLines
from hashlearn.explorer.errors import NotThereError


@pytest.mark.parametrize(
    "data", [b"one\ntwo\n", b"one\ntwo", b"one\r\ntwo\r\n", b"\xef\xbb\xbfone\ntwo\n"]
)
def test_lines_are_read_however_they_end(tmp_path, data):
    (tmp_path / "lines.txt").write_bytes(data)
    assert TextLines.from_file(tmp_path / "lines.txt").lines == ["one", "two"]


def test_an_empty_line_is_an_item_and_other_breaks_are_none(tmp_path):
    text = "a\n\nb\u2028c\x0bd\n"
    (tmp_path / "lines.txt").write_text(text, encoding="utf-8", newline="")
    assert TextLines.from_file(tmp_path / "lines.txt").lines == ["a", "", "b\u2028c\x0bd"]


def test_a_long_line_is_cut():
    shown = TextLines(["x" * 1_000_000]).text(0)
    assert (len(shown), shown[-1]) == (300, "…")
    assert TextLines(["x" * 300]).text(0) == "x" * 300


def test_what_is_no_text_names_its_line(tmp_path):
    (tmp_path / "lines.txt").write_bytes(b"one\ntwo\n\xff\n")
    with pytest.raises(ValueError, match=r"lines\.txt' is not UTF-8 text: line 3"):
        TextLines.from_file(tmp_path / "lines.txt")


def test_a_text_has_no_picture():
    with pytest.raises(NotThereError, match="have no images"):
        TextLines(["a"]).image(0)

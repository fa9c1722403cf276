"""A page shows all of its content in HTML and in Markdown, and is written whole."""

import html
import json
import re

import pytest

from hashlearn._report import writing
from hashlearn._report.content import Cell, Page, Part, Picture, Section, Table
from hashlearn._report.html import table_html
from hashlearn._report.markdown import table_markdown
from hashlearn._report.pictures import styled_figure
from hashlearn._report.writing import render_page, write_page

NASTY = "<script>alert('x')</script>"


def a_picture(name, *, wide=True):
    with styled_figure(1, 1) as figure:
        return Picture(name, f"Caption of {name}.", figure, dpi=20, wide=wide)


def a_page(*parts, **changed):
    return Page(
        **{
            "title": "Title",
            "lead": "Lead.\n\nMore of it.",
            "parts": parts,
            "command": "make page",
            "versions": {"numpy": "2.1", "numba": "0.61"},
            **changed,
        }
    )


def full_part():
    return Part(
        "all",
        "Everything",
        text="One paragraph.\n\nAnother paragraph.",
        definitions=[("term", "its meaning")],
        tables=[Table("Table", ["a", "b"], [Section("group", [[Cell("x"), Cell("y")]])], "note")],
        pictures=[a_picture("wide")],
        listings=["  a listing\n    as it is"],
        rows=[{"x": 1}, {"x": None}],
    )


def words_of(text):
    return " ".join(
        html.unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", text, flags=re.DOTALL)).split()
    )


def test_both_forms_show_everything():
    report = render_page(a_page(full_part(), notes=["A remark."]))
    shown = ["Title", "Lead.", "More of it.", "A remark.", "Everything", "One paragraph."]
    shown += ["Another paragraph.", "term", "its meaning", "group", "note", "Caption of wide."]
    shown += ["make page", "Made with numpy 2.1, numba 0.61, by this command:"]
    page = words_of(report.html)
    assert [text for text in shown if text not in page] == []
    assert [text for text in shown if text not in report.markdown] == []
    assert "  a listing\n    as it is" in report.html
    assert "  a listing\n    as it is" in report.markdown


def test_paragraphs_are_elements_of_their_own():
    report = render_page(a_page(full_part()))
    assert "<p>One paragraph.</p>\n<p>Another paragraph.</p>" in report.html
    assert "One paragraph.\n\nAnother paragraph." in report.markdown


def test_a_page_without_versions_says_nothing_of_them():
    assert "Made by this command:" in render_page(a_page(versions={})).html


def test_narrow_pictures_that_follow_each_other_are_side_by_side():
    pictures = [a_picture(str(i), wide=i in (0, 3)) for i in range(5)]
    page = render_page(a_page(Part("p", "P", pictures=pictures))).html
    grids = re.findall(r'<div class="grid">.*?</div>', page, flags=re.DOTALL)
    captions = [re.findall(r"Caption of (\d)\.</figcaption>", grid) for grid in grids]
    assert captions == [["1", "2"], ["4"]]


def test_text_is_escaped():
    table = Table(NASTY, [NASTY], [Section(NASTY, [[Cell(NASTY, NASTY, strong=True)]])], NASTY)
    part = Part(NASTY, NASTY, NASTY, [(NASTY, NASTY)], [table], [], [NASTY])
    page = a_page(part, title=NASTY, lead=NASTY, command=NASTY, versions={NASTY: NASTY})
    report = render_page(page)
    assert "<script" not in report.html
    assert "<script>" not in report.markdown.replace(f"```\n{NASTY}\n```", "")


def test_a_listing_of_markdown_stays_one_block():
    assert "````\n```\ncode\n```\n````" in render_page(a_page(command="```\ncode\n```")).markdown


def test_a_table_is_the_same_in_html_and_markdown():
    rows = [[Cell("LSH"), Cell("0.2", "ours")], [Cell("ITQ"), Cell("0.3", strong=True)]]
    table = Table("<MNIST>", ["method", "MAP"], [Section("", rows)])
    assert table_html(table).splitlines() == [
        "<h3>&lt;MNIST&gt;</h3>",
        '<div class="scroll"><table>',
        '<thead><tr><th scope="col">method</th><th scope="col">MAP</th></tr></thead>',
        "<tbody>",
        '<tr><th scope="row">LSH</th><td>0.2 <small>ours</small></td></tr>',
        '<tr><th scope="row">ITQ</th><td><strong>0.3</strong></td></tr>',
        "</tbody>",
        "</table></div>",
    ]
    assert table_markdown(table).splitlines() == [
        r"**\<MNIST\>**",
        "",
        "| method | MAP |",
        "| --- | ---: |",
        "| LSH | 0.2 (ours) |",
        "| ITQ | **0.3** |",
    ]


def test_a_table_without_a_title_has_no_heading():
    table = Table("", ["method"], [])
    assert "<h3>" not in table_html(table)
    assert table_markdown(table).startswith("| method |")


def test_files_are_what_was_rendered(tmp_path):
    page = a_page(full_part(), Part("few", "No rows", pictures=[a_picture("wide")]))
    path, report = write_page(tmp_path / "new", page), render_page(page)
    assert path == tmp_path / "new" / "report.html"
    assert path.read_text() == report.html
    assert (tmp_path / "new" / "report.md").read_text() == report.markdown
    written = {file.stem: file.read_bytes() for file in (tmp_path / "new" / "figures").iterdir()}
    assert written == report.figures
    assert list(report.figures) == ["wide", "wide-2"]
    (rows,) = (tmp_path / "new" / "data").iterdir()
    assert rows.name == "all.jsonl"
    assert [json.loads(line) for line in rows.read_text().splitlines()] == [{"x": 1}, {"x": None}]


def test_rows_of_an_earlier_page_do_not_stay(tmp_path):
    write_page(tmp_path, a_page(full_part()))
    write_page(tmp_path, a_page(Part("all", "Nothing to show")))
    assert list((tmp_path / "data").iterdir()) == []


def test_a_page_that_fails_leaves_the_old_one(tmp_path, monkeypatch):
    path = write_page(tmp_path, a_page(command="first"))
    before = path.read_bytes()

    def fail(*args, **kwargs):
        raise OSError("no space left")

    monkeypatch.setattr(writing, "atomic_writer", fail)
    with pytest.raises(OSError, match="no space left"):
        write_page(tmp_path, a_page(command="second"))
    assert path.read_bytes() == before

"""A comparison as a table, a picture, a page and JSON: all show the same rows."""

import json
import os
import warnings
from dataclasses import asdict, replace
from html.parser import HTMLParser
from itertools import product

import numpy as np
import pytest

from hashlearn.comparison import Comparison, Source, _tables
from hashlearn.comparison._measuring import Task
from hashlearn.comparison._options import Option
from hashlearn.comparison.comparison import FILE
from tests.comparison.conftest import compare
from tests.comparison.records import MEASURE, made_option, made_record

VOID = {"img", "meta", "br", "hr", "link"}


class Balanced(HTMLParser):
    """Fails if an element is not closed, or is closed by another."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen = [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_rows_have_every_code_and_search_once(found):
    keys = [(row["method"], row["bits"], row["search"], row["candidates"]) for row in found.rows]
    assert len(set(keys)) == len(keys)
    codes = {key for key in keys if key[0] != "vectors"}
    assert {key[:2] for key in codes} == {(m, n) for m in found.settings.methods for n in (8, 16)}
    assert {key[2] for key in codes} == {"hamming", "asymmetric"}
    assert keys[0][:3] == ("vectors", 0, "exact")


def test_the_frame_is_the_rows(found):
    pandas = pytest.importorskip("pandas")
    pandas.testing.assert_frame_equal(found.frame, pandas.DataFrame(found.rows))
    assert len(found.frame) == len(found.rows)


def test_html_for_a_notebook_is_well_formed(found):
    html = found._repr_html_()
    seen = Balanced(html).seen
    assert {"table", "thead", "tbody", "strong"} <= set(seen)
    assert html.count("<tr") == len(printed_rows(found)) + 3  # a head and a line per length


def printed_rows(found):
    rows = {(row["method"], row["bits"]) for row in found.rows}
    return rows if found.settings.supervision != "vectors" else rows - {("vectors", 0)}


@pytest.mark.parametrize("width", [80, 120])
def test_text_is_no_wider_than_the_terminal_and_loses_no_figure(found, width):
    text = _tables.as_text(found._table, width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    for section in found._table.sections:
        for row in section.rows:
            line = next(line for line in text.splitlines() if line.split()[:1] == [row[0].text])
            assert line
            for cell in row:
                assert cell.text in text


def test_all_measures_of_several_labels_fit_into_80_columns(labelled):
    names = ["precision@10", "map", "ndcg@10"]
    names += [f"new-{name}" for name in names]
    values = {name: [0.1, 0.3] for name in names}
    records = [
        made_record(Task(method, n_bits), values, beside=n_bits == 1024)
        for method, n_bits in [("vectors", 0), *product(["itq-cca", "klsh"], [16, 1024])]
    ]
    options = [Option([record], "hamming", 1) for record in records]
    settings = replace(labelled.comparison.settings, measures=names, vector_bytes=12_288)
    text = _tables.as_text(_tables.quality_table(options, settings), 80)
    assert "…" not in text
    assert text.count(".200") == 6 * len(options)
    heads = text.splitlines()[1].split(), text.splitlines()[2].split()
    assert heads[0] == ["new"] * 3
    assert heads[1][2:8] == ["P@10", "MAP", "nDCG"] * 2
    assert "labels in common" in text


def test_printed_it_is_the_table_and_the_recommendation(found):
    assert str(found) == repr(found)
    assert str(found).endswith(str(found.recommend()))
    assert "+" not in str(found).splitlines()[2]


def test_the_best_of_each_length_is_marked_and_so_is_what_is_level(found):
    for section in found._table.sections:
        if len(section.rows) < 2:
            continue
        for column in range(2, len(found._table.columns) - 3):
            cells = [row[column] for row in section.rows]
            values = [float(cell.text) if cell.text != "–" else -1 for cell in cells]
            assert any(
                cell.strong
                for cell, value in zip(cells, values, strict=True)
                if value >= max(values)
            )


def test_what_is_best_is_best_of_the_figures_that_are_shown(neighbours):
    options = [made_option("a", 8, [0.5] * 20, [0.9] * 20), made_option("b", 8, *[[0.6] * 20] * 2)]
    settings = replace(neighbours.comparison.settings, measure=MEASURE)
    (section,) = _tables.quality_table(options, settings).sections
    assert {row[0].text: (row[2].text, row[2].strong) for row in section.rows} == {
        "a": (".500", False),
        "b": (".600", True),
    }


def test_the_picture_has_a_line_per_method_and_warns_of_nothing(found):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = found.plot()
        figure.canvas.draw()
    for axes in figure.axes:
        labels = [bars.get_label() for bars in axes.containers]
        assert sorted(labels) == sorted(found.settings.methods)
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert set(found.settings.methods) < set(legend)
    assert len(set(legend)) == len(legend)


def test_codes_of_less_than_a_byte_can_be_drawn(digits):
    found = compare(digits.X, methods=["lsh"], n_bits=(3, 12))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found.plot().canvas.draw()
    assert {row["bytes"] for row in found.rows if row["bits"]} == {1, 2}


def test_json_has_no_nan_and_is_what_was_measured(found):
    source = Source("items.csv", "digit", columns=["digit"])
    text = json.dumps(found.as_dict(source), allow_nan=False)
    content = json.loads(text)
    assert content["rows"] == found.rows
    items = json.loads(json.dumps(asdict(source))) | {"folder": os.getcwd()}
    assert content["items"] == items
    assert content["recommendation"]["sentence"] == str(found.recommend())
    assert content["settings"]["methods"] == found.settings.methods


def test_the_page_and_its_json_are_saved(found, tmp_path):
    page = found.save(tmp_path / "new" / "folder", title="a <b> & c", command="made by")
    html = page.read_text(encoding="utf-8")
    Balanced(html[html.index("<body") :].replace("</html>", ""))
    assert "Codes for a &lt;b&gt; &amp; c" in html
    assert "made by" in html
    for method in found.settings.methods:
        assert method in html
    content = json.loads((page.parent / FILE).read_bytes())
    assert content == json.loads(json.dumps(found.as_dict()))


def test_a_page_says_what_was_not_tried_and_why(found, tmp_path):
    untried = {"too <long>": ["lsh, 8 bits"]}
    settings = replace(found.settings, untried=untried, n_items=10**6, n_missing=12)
    html = Comparison(found._options, settings).save(tmp_path).read_text(encoding="utf-8")
    assert "<dt>too &lt;long&gt;</dt><dd>lsh, 8 bits</dd>" in html
    assert "of 1,000,000 items was compared" in html
    assert "12 items have no label" in html


def test_values_are_shares_with_errors(found):
    for row in found.rows:
        for name in found.settings.measures:
            if row.get(name) is not None:
                assert 0 <= row[name] <= 1
                assert 0 <= row[f"{name} error"] <= 0.6
                assert np.isfinite(row[f"{name} fresh"])

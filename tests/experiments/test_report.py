"""A report is whole, the same for the same records, and safe to open."""

import json
import random
import re

import pytest

from hashlearn.experiments.report import examples
from hashlearn.experiments.report.report import PARTS, render
from tests.experiments.fake_records import a_record, draw_nothing, fake_images, whole_run

COMMAND = "hashlearn paper --bits 16,32"


@pytest.fixture(scope="module")
def records():
    return whole_run(("tsh-bre", "tsh-ksh", "itq", "classifier-codes"), ("mnist",))


@pytest.fixture(scope="module")
def report(records):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(examples, "MOST_QUERIES", 1)  # a picture of each image takes long to draw
        return render(records, command=COMMAND, images_of=fake_images, notes=["A & B"])


@pytest.fixture
def words_alone(monkeypatch):
    draw_nothing(monkeypatch)


def test_every_part_has_tables_or_pictures_and_rows(report):
    assert [part for part, rows in report.rows.items() if rows] == list(PARTS)
    assert "Nothing to show" not in report.html


def test_rows_are_json_without_nan(report):
    for part, lines in report.rows.items():
        rows = [json.loads(line, parse_constant=pytest.fail) for line in lines.splitlines()]
        assert {row["part"] for row in rows} <= {part}


def test_page_loads_nothing_from_outside(report):
    sources = re.findall(r'(?:src|href)="([^"]{0,40})', report.html)
    assert sources
    assert all(source.startswith(("data:image/png;base64,", "#")) for source in sources)
    assert not re.search(r"<script|<link|@import|url\(", report.html)


def test_contents_lead_to_headings(report):
    ids = re.findall(r'id="([^"]+)"', report.html)
    assert len(set(ids)) == len(ids)
    assert set(re.findall(r'href="#([^"]+)"', report.html)) == set(ids)


def test_every_picture_is_in_the_page_and_linked_from_markdown(report):
    assert report.html.count("<img ") == len(report.figures)
    links = re.findall(r"\]\(figures/([^)]+)\.png\)", report.markdown)
    assert sorted(links) == sorted(report.figures)


def test_page_and_markdown_say_how_it_was_run(report):
    for text in (report.html, report.markdown):
        for words in (COMMAND, "numpy 2.1.0", "68,000", "18,000 to 18,300", "kernel-features"):
            assert words in text


def test_each_measure_is_explained_once(report):
    assert report.html.count("the share of right items among the first 300") == 1
    assert report.markdown.count("the share of right items among the first 300") == 1


def test_plots_are_small(report):
    plots = [content for name, content in report.figures.items() if "examples" not in name]
    assert max(map(len, plots)) < 120_000


def test_same_records_in_any_order_give_the_same_bytes(records):
    parts = ["unseen"]
    shuffled = random.Random(0).sample(records, len(records))
    assert render(records, parts, command=COMMAND) == render(shuffled, parts, command=COMMAND)


def test_only_the_parts_asked_for_appear(records, words_alone):
    report = render(records, ["2"], command=COMMAND)
    assert list(report.rows) == ["measures", "2", "runs"]
    assert "Table 2" in report.html
    assert "Table 1" not in report.html
    assert all(name.startswith("table-2") for name in report.figures)


@pytest.mark.parametrize("part", PARTS)
def test_a_part_without_results_says_what_it_needs(part):
    report = render([], [part], command=COMMAND)
    assert f"This part needs {PARTS[part].needs}" in report.html
    assert not any(report.rows.values())
    assert report.figures == {}


def test_text_from_records_is_escaped(words_alone):
    nasty = "<script>alert('x')</script>|`*"
    record = a_record(
        "tsh-<b>", dataset=nasty, fingerprint="<i>", hash_function="<u>"
    ) | {"versions": {"<p>": "<q>"}}  # fmt: skip
    report = render([record], ["1", "2"], command=nasty, notes=[nasty])
    for text in (nasty, "<b>", "<i>", "<u>", "<q>", "<B>"):
        assert text not in report.html
    assert "<script>" not in report.markdown.replace(f"```\n{nasty}\n```", "")
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in report.figures)


def test_data_sets_with_similar_names_have_pictures_of_their_own(words_alone):
    records = [a_record("lsh", dataset=name) for name in ("a/b.npz", "a_b.npz")]
    figures = render(records, ["1"], command=COMMAND).figures
    assert sorted(figures) == ["table-1-a-b-npz-32-bits", "table-1-a-b-npz-32-bits-2"]


def test_missing_numbers_are_na_for_people_and_null_for_machines(words_alone):
    nan = float("nan")
    record = a_record(testing=dict.fromkeys(["pr_area", "mean_average_precision"], nan))
    report = render([record], ["1", "bits"], command=COMMAND)
    assert "n/a" in report.html
    assert not re.search(r"\bnan\b", report.markdown.lower())
    row = json.loads(report.rows["1"].splitlines()[0])
    assert row["testing"]["pr_area"]["mean"] is None


def test_unknown_and_repeated_parts_are_refused_first():
    with pytest.raises(ValueError, match="parts must be some of 'first', '1'"):
        render(iter([None]), ["3"], command=COMMAND)
    with pytest.raises(ValueError, match="parts must be distinct"):
        render(iter([None]), ["1", "1"], command=COMMAND)


def test_examples_need_images(records, words_alone):
    assert render(records, ["examples"], command=COMMAND).figures == {}
    report = render(records, ["examples"], command=COMMAND, images_of=fake_images)
    assert sorted(report.figures) == ["examples-mnist-itq", "examples-mnist-tsh-bre"]


def test_records_with_holes_still_make_a_report(records, words_alone):
    holes = ("training", "selection", "curves", "seconds", "n_encoded", "examples", "versions")
    poor = [record | dict.fromkeys(holes) | {"testing": {}} for record in records]
    report = render(poor, command=COMMAND, images_of=fake_images)
    assert "n/a" in report.html
    assert all(json.loads(line) for rows in report.rows.values() for line in rows.splitlines())

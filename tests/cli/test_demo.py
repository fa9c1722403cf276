"""The demo measures, searches, and writes one whole report."""

import os
import re
import signal
import sys
from html.parser import HTMLParser

import pytest
from typer.testing import CliRunner

from hashlearn.cli.app import app
from hashlearn.cli.demo import _page as demo_page
from hashlearn.cli.demo import _work as demo_work
from hashlearn.experiments import digits
from hashlearn.methods import LSHHasher
from tests.processes import Program

MEASURES = ["area under PR", "MAP", "precision at 100", "precision within 2"]


def invoke(*arguments):
    return CliRunner().invoke(app, ["demo", *map(str, arguments)], env={"COLUMNS": "120"})


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Run the demo once, with few training items and pictures; return result and report."""
    path = tmp_path_factory.mktemp("demo") / "a <report>.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(digits, "N_TRAINING", 300)
        patch.setattr(demo_page, "N_NEIGHBOURS", 2)
        result = invoke("--output", path, "--seed", 1, "--no-progress")
    assert result.exit_code == 0, result.output
    return result, path


def measures(output, method):
    """Return the printed measures of a method."""
    (line,) = (line for line in output.splitlines() if line.strip().startswith(method))
    return [float(number) for number in re.findall(r"\d\.\d{3}", line)]


def test_four_measures_of_both_methods_are_printed(run):
    result, _ = run
    for title in MEASURES:
        assert title in result.stdout
    assert len(measures(result.stdout, "random projections")) == 4


def test_learned_codes_beat_random_ones_in_every_measure(run):
    learned = measures(run[0].stdout, "two-step hashing")
    random = measures(run[0].stdout, "random projections")
    assert all(a > b for a, b in zip(learned, random, strict=True))
    assert learned[1] > 0.9


def test_neighbours_are_printed_with_id_and_distance(run):
    rows = re.findall(r"^ *(\d) \(\d+\)((?: +\d \(\d+, \d+\))+) *$", run[0].stdout, re.MULTILINE)
    assert [digit for digit, _ in rows] == list("01234")
    for _, neighbours in rows:
        distances = [int(d) for d in re.findall(r", (\d+)\)", neighbours)]
        assert distances == sorted(distances)
        assert len(distances) == demo_work.N_PRINTED


class Page(HTMLParser):
    """Collects what the tests ask of a page."""

    VOID = ("meta", "img", "br")

    def __init__(self, text):
        super().__init__()
        self.open, self.sources, self.words = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag not in self.VOID:
            self.open.append(tag)
        self.sources += [value for name, value in attributes if name == "src"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def test_report_is_one_whole_self_contained_page(run):
    text = run[1].read_text(encoding="utf-8")
    page = Page(text)
    assert page.open == []
    assert len(page.sources) == 4  # the curves, neighbours by either method, the worst queries
    assert all(source.startswith("data:image/") for source in page.sources)
    assert not re.search(r"url\(|@import|<script|<link", text)
    assert "prefers-color-scheme: dark" in text


def test_report_tells_measures_summary_versions_and_command(run):
    words = " ".join(Page(run[1].read_text(encoding="utf-8")).words)
    for expected in [*MEASURES, "hashlearn 0.", "scikit-learn", "--bits 32 --seed 1"]:
        assert expected in words
    assert "a <report>.html" in words  # escaped in the page, whole to the reader


def test_only_the_report_is_left_in_the_folder(run):
    assert [path.name for path in run[1].parent.iterdir()] == [run[1].name]


def take_little():
    demo_work.METHODS = {"random projections": LSHHasher}
    demo_page.N_NEIGHBOURS = demo_page.N_WORST = 1


@pytest.mark.parametrize("prepare", [take_little, pytest.param(None, marks=pytest.mark.slow)])
def test_command_runs_as_a_program(tmp_path, prepare):
    code, out, err = Program(
        "demo", "--bits", 9, "--progress", folder=tmp_path, prepare=prepare
    ).finish()
    assert code == 0, err
    assert "9-bit codes" in out
    assert "9 bits (2 bytes)" in (tmp_path / "hashlearn-demo.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("step", ["split_digits", "retrieve", "demo_page"])
def test_interrupt_leaves_no_file_and_the_old_report(tmp_path, monkeypatch, step):
    path = tmp_path / "report.html"
    path.write_text("old")
    monkeypatch.setattr(demo_work, step, lambda *_, **__: signal.raise_signal(signal.SIGINT))
    monkeypatch.setattr(demo_work, "METHODS", {"nothing": lambda **_: None})
    if step == "demo_page":
        monkeypatch.setattr(demo_work, "retrieve", lambda *_: None)
    result = invoke("--output", path)
    assert result.exit_code == 130
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_missing_folder_is_told_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setattr(demo_work, "split_digits", None)
    result = invoke("--output", tmp_path / "no" / "report.html")
    assert result.exit_code == 2
    assert "No such file or directory" in result.stderr
    assert str(tmp_path / "no") in result.stderr


def test_a_pipe_is_refused_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setattr(demo_work, "split_digits", None)
    os.mkfifo(tmp_path / "pipe")
    result = invoke("--output", tmp_path / "pipe")
    assert result.exit_code == 2
    assert "not a regular file" in result.stderr
    assert (tmp_path / "pipe").is_fifo()


def test_missing_matplotlib_is_told_before_any_work(monkeypatch):
    monkeypatch.setattr(demo_work, "split_digits", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    result = invoke()
    assert result.exit_code == 2
    assert "pip install 'hashlearn[plot]'" in result.stderr


@pytest.mark.parametrize("arguments", [("--bits", 0), ("--seed", -1), ("--seed", 2**32)])
def test_impossible_numbers_are_refused(arguments):
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert arguments[0] in result.stderr

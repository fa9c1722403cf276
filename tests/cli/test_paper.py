"""The paper's experiments from the command line: what is asked for is run, once, and reported."""

import json
import random
import re
import shutil
import time

import numpy as np
import pytest
from typer.testing import CliRunner

from hashlearn.cli.app import app
from hashlearn.cli.paper import _work as paper_work
from hashlearn.experiments.report import examples
from hashlearn.experiments.running import Runner
from tests.cli.small_digits import patch_digits
from tests.experiments.fake_records import draw_nothing
from tests.processes import Program

WORDS = ["paper", "--datasets", "digits", "--quick"]
FEW_METHODS = ["--methods", "tsh-bre,mdsh:own,lsh,classifier-codes", "--bits", "16"]
MOST = ["--table", "1,2,bits,hash-functions,unseen,examples", *FEW_METHODS]
SMALL = ["--table", "1", "--methods", "tsh-bre,lsh", "--bits", "16"]


@pytest.fixture(scope="module", autouse=True)
def small_digits():
    """Run on few of the digits."""
    with pytest.MonkeyPatch.context() as patch:
        patch_digits(patch)
        yield


def test_lists_are_put_in_order():
    words = {"output": None, "datasets": None, "methods": "lsh", "seeds": 1, "quick": False}
    rest = {"report_only": False, "data_home": None, "jobs": -1}
    asked = paper_work.Request(table="bits, 1,", bits="32,8,8", **words, **rest).settings()
    assert (asked.parts, asked.bits) == (("1", "bits"), (8, 32))


def take_small_digits():
    patch_digits(pytest.MonkeyPatch())


def invoke(*arguments, **options):
    return CliRunner().invoke(app, ["paper", *map(str, arguments)], **options)


def cells(folder):
    """Return the cells of a folder: when each was written, and what it holds."""
    return {
        path.name: (path.stat().st_mtime_ns, json.loads(path.read_text()))
        for path in (folder / "cells").glob("*.json")
    }


def timeless(value):
    """Return a record without the seconds, which differ from run to run."""
    if isinstance(value, dict):
        left_out = ("seconds", "versions")
        return {name: timeless(part) for name, part in value.items() if name not in left_out}
    return value


def rows(folder, part):
    return [json.loads(line) for line in (folder / "data" / f"{part}.jsonl").open()]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Run every part on digits once, but the slowest."""
    folder = tmp_path_factory.mktemp("whole") / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(examples, "MOST_QUERIES", 1)  # a picture of each image takes long to draw
        result = invoke(*WORDS[1:], *MOST, "--output", folder)
    assert result.exit_code == 0, result.output
    return folder, result


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Run two cells once; `start_from` copies them."""
    folder = tmp_path_factory.mktemp("small") / "out"
    with pytest.MonkeyPatch.context() as patch:
        draw_nothing(patch)
        assert invoke(*WORDS[1:], *SMALL, "--output", folder).exit_code == 0
    return folder


def start_from(finished, folder):
    """Copy a finished run, with the times of its files; return the copy."""
    return shutil.copytree(finished, folder / "out")


@pytest.fixture
def cells_alone(monkeypatch):
    """Leave out the report, which takes longer than few cells; tests of its own look at it."""
    monkeypatch.setattr(paper_work, "write_report", lambda *_, **__: None)


@pytest.fixture
def words_alone(monkeypatch):
    draw_nothing(monkeypatch)


def test_the_report_is_there_in_every_form(whole):
    folder, result = whole
    assert result.stdout.split() == ["Report:", str(folder / "report.html")]
    page, text = (folder / "report.html").read_text(), (folder / "report.md").read_text()
    for title in ("Table 1", "Table 2", "Hash functions", "Unseen classes"):
        assert title in page
        assert title in text
    assert {row["method"] for row in rows(folder, "1")} >= {"tsh-bre", "lsh", "classifier-codes"}
    assert len(list((folder / "figures").glob("*.png"))) >= 8


def test_nothing_is_computed_twice(whole, cells_alone, monkeypatch):
    folder, _ = whole
    before = cells(folder)
    monkeypatch.setattr(Runner, "compute", None)
    assert invoke(*WORDS[1:], *MOST, "--output", folder).exit_code == 0
    assert cells(folder) == before


def test_the_report_holds_what_was_asked_for_and_no_more(tmp_path, words_alone):
    for bits in ("16", "8"):
        words = [*WORDS[1:], "--table", "1", "--methods", "lsh", "--bits", bits]
        assert invoke(*words, "--output", tmp_path).exit_code == 0
    assert {row["n_bits"] for row in rows(tmp_path, "1")} == {8}
    assert len(cells(tmp_path)) == 2


@pytest.mark.parametrize(
    "changed",
    [
        ["--bits", "24"],
        pytest.param(["--seeds", "2"], marks=pytest.mark.slow),
        ["--methods", "tsh-ksh"],
        pytest.param(["--table", "unseen"], marks=pytest.mark.slow),
    ],
    ids=" ".join,
)
def test_a_changed_setting_is_computed_and_what_is_the_same_is_kept(
    small, cells_alone, tmp_path, changed
):
    folder = start_from(small, tmp_path)
    before = cells(folder)
    assert invoke(*WORDS[1:], *SMALL, "--output", folder, *changed).exit_code == 0
    after = cells(folder)
    assert len(after) > len(before)
    assert {name: after[name] for name in before} == before


def test_changed_data_are_computed_again(cells_alone, tmp_path):
    X = np.random.RandomState(0).normal(size=(600, 5))
    keys = []
    for offset in (0, 1):
        np.savez(tmp_path / "own.npz", x=X + offset, y=np.arange(600) % 5)
        words = ["--datasets", tmp_path / "own.npz", "--quick", "--table", "1", "--methods", "lsh"]
        assert invoke(*words, "--output", tmp_path / "out").exit_code == 0
        keys.append(set(cells(tmp_path / "out")))
    assert keys[0] < keys[1]


def test_files_have_short_names_in_the_report(tmp_path, words_alone):
    X = np.random.RandomState(0).normal(size=(600, 5))
    paths = [tmp_path / name for name in ("banking77.npz", "sub/banking77.npz", "digits.npz")]
    for number, path in enumerate(paths):
        path.parent.mkdir(exist_ok=True)
        np.savez(path, x=X + number, y=np.arange(600) % 5)
    words = ["--quick", "--table", "first,1", "--methods", "tsh,lsh", "--bits", "8"]
    result = invoke("--datasets", ",".join(map(str, paths)), *words, "--output", tmp_path / "out")
    assert result.exit_code == 0, result.output
    names = ["banking77", *map(str, paths[1:])]  # a name that another set has is not taken
    assert {row["dataset"] for row in rows(tmp_path / "out", "1")} == set(names)
    firsts = rows(tmp_path / "out", "first")
    assert {line["dataset"] for line in firsts} == set(names)
    assert all(line["default"] for line in firsts)
    text = (tmp_path / "out" / "report.md").read_text()
    assert "**BANKING77, 8 bits, testing data**" in text
    assert "TSH (default) is first in" in text


def test_a_users_matrix_is_measured_by_distance(tmp_path, words_alone):
    np.save(tmp_path / "own.npy", np.random.RandomState(0).normal(size=(900, 6)))
    words = ["--datasets", tmp_path / "own.npy", "--quick", "--methods", "tsh-bre,lsh"]
    result = invoke(*words, "--bits", "16", "--output", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert {row["protocol"] for row in rows(tmp_path / "out", "large")} == {"l2"}


def test_without_data_the_digits_are_taken_and_the_rest_is_named(
    tmp_path, monkeypatch, words_alone
):
    def load_set(name, data_home=None):
        if name == "digits":
            return real(name)
        raise FileNotFoundError(f"{name} is not there: put it somewhere.")

    real = paper_work.load_set
    monkeypatch.setattr(paper_work, "load_set", load_set)
    result = invoke("--quick", *SMALL, "--output", tmp_path)
    assert result.exit_code == 0
    assert "mnist was left out. mnist is not there" in result.stderr
    assert "digits were used instead" in result.stderr
    assert "mnist is not there" in (tmp_path / "report.md").read_text()
    assert {row["dataset"] for row in rows(tmp_path, "1")} == {"digits"}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--table", "3"], "--table must be one of first, 1, 2, bits"),
        (["--methods", "tsh-abc"], "got 'tsh-abc'"),
        (["--bits", "x"], "--bits must be numbers from 1 to 4096 such as 16,32; got x"),
        (["--bits", "0"], "16,32; got 0."),
        (["--bits", "5000"], "16,32; got 5000."),
        (["--data-home", "/nowhere"], "'/nowhere' does not exist"),
        (["--bits", ","], "16,32; got ,."),
        (["--methods", ","], "--methods must be names separated by commas; got ','"),
        (["--datasets", "minst"], "got 'minst'"),
        (["--jobs", "0"], "--jobs must be a number of threads"),
        (["--seeds", "0"], "--seeds"),
        (
            ["--table", "hash-functions", "--methods", "lsh"],
            "has no experiment for digits",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_done_is_said_before_any_work(tmp_path, words, sentence, monkeypatch):
    monkeypatch.setattr(Runner, "compute", None)
    result = invoke("--datasets", "digits", "--output", tmp_path / "out", *words)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_progress_says_what_runs_and_what_remains(cells_alone, tmp_path):
    result = invoke(*WORDS[1:], *SMALL, "--output", tmp_path, "--progress")
    assert "2 cells, 0 of them finished before" in result.stderr
    assert "[2/2] digits usual: lsh, 16 bits, seed 0" in result.stderr
    assert "2 cells, 2 of them finished before" in (
        invoke(*WORDS[1:], *SMALL, "--output", tmp_path, "--progress").stderr
    )


KILLED_METHODS = ["--methods", "tsh-bre,mdsh:own,lsh", "--bits", "16"]
SETTINGS = (
    ["--table", "1,bits", *KILLED_METHODS],
    ["--table", "unseen", *KILLED_METHODS],
)


def kill_in_the_middle(folder, setting, delay):
    """Start a run, and kill it a while after it has begun a cell; return how far it said it was."""
    log = folder.with_suffix(".log")
    words = [*WORDS, *setting, "--output", folder, "--progress"]
    with log.open("w") as stderr:
        program = Program(*words, stderr=stderr.fileno(), prepare=take_small_digits)
    while program.process.is_alive() and "[1/" not in log.read_text():
        time.sleep(0.01)
    time.sleep(delay)
    program.process.kill()
    program.finish()
    return max((int(n) for n in re.findall(r"^\[(\d+)/", log.read_text(), re.MULTILINE)), default=0)


def results(folder):
    """Return the cells without the choices of parameters, which several share."""
    return {name: cell for name, cell in cells(folder).items() if "cell" in cell[1]}


@pytest.mark.slow
@pytest.mark.parametrize("n_kills", [2, 10])
def test_a_killed_run_loses_at_most_the_running_cell(tmp_path, n_kills, whole, cells_alone):
    folder, delays = tmp_path / "out", random.Random(n_kills)
    for kill in range(n_kills):
        before = cells(folder)
        n_before = len(results(folder))
        running = kill_in_the_middle(folder, SETTINGS[kill % 2], delays.uniform(0.1, 0.6))
        after = cells(folder)
        assert len(results(folder)) - n_before >= running - 1  # all but the one that ran
        assert {name: after[name] for name in before} == before  # none was computed again
    for setting in SETTINGS:
        assert invoke(*WORDS[1:], *setting, "--output", folder).exit_code == 0
    last, uninterrupted = cells(folder), cells(whole[0])
    assert {name: last[name] for name in after} == after
    for name, (_, record) in last.items():  # no setting was mixed with another
        assert timeless(record) == timeless(uninterrupted[name][1])


def test_a_method_that_refuses_is_named_and_the_others_go_on(tmp_path, monkeypatch, words_alone):
    real = Runner.compute

    def compute(runner, cell):
        if cell.method == "lsh":
            raise ValueError("n_bits=16 is too much for it.")
        real(runner, cell)

    monkeypatch.setattr(Runner, "compute", compute)
    result = invoke(*WORDS[1:], *SMALL, "--output", tmp_path)
    assert result.exit_code == 2
    assert "1 of 2 cells are not in it. digits usual: lsh, 16 bits" in result.stderr
    assert "too much for it" in (tmp_path / "report.md").read_text()
    assert {row["method"] for row in rows(tmp_path, "1") if row["status"] == "run"} == {"tsh-bre"}


def test_a_report_alone_computes_nothing(small, tmp_path, monkeypatch, words_alone):
    folder = start_from(small, tmp_path)
    (folder / "report.md").unlink()
    monkeypatch.setattr(Runner, "compute", None)
    all_methods = ["--table", "1", "--bits", "16", "--output", folder, "--report-only"]
    result = invoke(*WORDS[1:], *all_methods)
    assert result.exit_code == 0, result.output
    assert "cells are not computed yet" in (folder / "report.md").read_text()
    nothing = invoke(*WORDS[1:], *SMALL, "--output", tmp_path / "empty", "--report-only")
    assert nothing.exit_code == 2
    assert "has no finished cell" in nothing.stderr
    assert not (tmp_path / "empty").exists()

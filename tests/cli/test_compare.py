"""`hashlearn compare`: what the library finds, kept in a folder, and looked at in the explorer."""

import json
import os
import shlex
import signal
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.figure import Figure
from typer.testing import CliRunner

import hashlearn
from hashlearn.cli.app import app
from hashlearn.cli.compare import EXAMPLE
from hashlearn.comparison import _page, _running, read_request
from hashlearn.comparison import request as comparison_request
from hashlearn.comparison.comparison import FILE
from hashlearn.explorer.web import server
from tests.comparison.records import MadeMeasure, timeless
from tests.processes import Program

FEW = ("--methods", "itq-cca,lsh", "--bits", "8")
ALONE = ("--methods", "itq,lsh", "--bits", "8")
SOURCES = [
    ("digits.csv", "--labels", "digit"),
    ("digits.npy", "--labels", "digits-labels.npy"),
    ("digits.npz", "--array", "X", "--labels", "digit"),
    ("digits.parquet", "--labels", "digit"),
]
KEPT = "Stopped; finished measurements are kept, and the same command goes on from them.\n"


@pytest.fixture(scope="module")
def parquet(place):
    pandas, _ = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    pandas.read_csv(place.folder / "digits.csv").to_parquet(place.folder / "digits.parquet")


@pytest.fixture
def compare(place, tmp_path, monkeypatch):
    """Return a function that compares, and returns the exit code, outputs and JSON."""
    monkeypatch.chdir(place.folder)

    def invoke(*words, folder=tmp_path / "out", columns=80, drawn=False, stdin=None):
        words = ["compare", *map(str, words), "--output", str(folder)]
        with pytest.MonkeyPatch.context() as patch:
            if not drawn:  # a picture takes longer than few measurements
                patch.setattr(_page, "draw", lambda *_: Figure((1, 1)))
            result = CliRunner().invoke(app, words, input=stdin, env={"COLUMNS": str(columns)})
        path = folder / FILE
        content = json.loads(path.read_bytes()) if path.exists() else None
        return SimpleNamespace(
            code=result.exit_code,
            out=result.stdout,
            err=result.stderr,
            content=content,
            said=" ".join(result.stdout.split()),
        )

    return invoke


@pytest.fixture
def at_once(monkeypatch):
    """Let all codes be equally good, and be measured at once."""
    made = MadeMeasure(lambda task: 0.5)
    monkeypatch.setattr(_running, "measure", made)
    return made


@pytest.mark.parametrize("words", SOURCES, ids=lambda words: words[0])
def test_rows_are_the_librarys(compare, place, words, request):
    if words[0].endswith("parquet"):
        request.getfixturevalue("parquet")
    found = compare(*words, *FEW)
    assert found.code == 0, found.err
    expected = hashlearn.compare(place.X, place.y, methods=["itq-cca", "lsh"], n_bits=8)
    for ours, theirs in zip(timeless(found.content["rows"]), timeless(expected.rows), strict=True):
        assert ours == pytest.approx(theirs, abs=0.02)
    assert found.content["settings"]["n_items"] == 200


def test_without_labels_neighbours_are_found(compare, place):
    found = compare("digits.npy", *ALONE, "-k", 5, "--metric", "euclidean", "--seed", 2)
    settings = {"k": 5, "metric": "euclidean", "random_state": 2}
    expected = hashlearn.compare(place.X, methods=["itq", "lsh"], n_bits=8, **settings)
    assert timeless(found.content["rows"]) == timeless(expected.rows)
    assert "recall at 5" in found.said


def table(folder, place, labels, n=200):
    """Write digits with other labels as a table."""
    names, columns = list(labels), np.column_stack(list(labels.values()))
    rows = [",".join([*place.names, *names])]
    rows += [
        ",".join([*map(str, x.astype(int)), *map(str, values)])
        for x, values in zip(place.X[:n], columns, strict=True)
    ]
    (folder / "other.csv").write_text("\n".join(rows), encoding="utf-8")
    return folder / "other.csv"


def test_several_labels_are_columns(compare, place, tmp_path, at_once):
    path = table(tmp_path, place, {"small": (place.y < 5) * 1, "large": (place.y > 3) * 1})
    found = compare(path, "--labels", "small,large", *ALONE)
    assert found.code == 0, found.err
    assert found.content["settings"]["measures"][:3] == ["precision@10", "map", "ndcg@10"]


def test_labels_may_be_words_and_may_be_missing(compare, place, tmp_path):
    names = np.array(["nül", "one", "two, or 2", "three", *"456789"])[place.y]
    words = [f'"{name}"' for name in names]
    words[::4], words[1::8] = [""] * 50, ["?"] * 25
    path = table(tmp_path, place, {"name": words})
    found = compare(path, "--labels", "name", "--unlabelled", "?", *FEW)
    assert found.code == 0, found.err
    assert found.content["settings"]["n_missing"] == 75
    assert "--unlabelled" in found.content["recommendation"]["command"]
    y = np.where((np.arange(200) % 4 == 0) | (np.arange(200) % 8 == 1), -1, place.y)
    expected = hashlearn.compare(place.X, y, methods=["itq-cca", "lsh"], n_bits=8)
    for ours, theirs in zip(timeless(found.content["rows"]), timeless(expected.rows), strict=True):
        assert ours == pytest.approx(theirs, abs=0.02)


def test_json_is_that_of_the_folder(compare):
    found = compare("digits.npy", *ALONE, "--json")
    assert json.loads(found.out) == found.content
    assert found.err == ""


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("words", [ALONE, ("--labels", "digits-labels.npy", *FEW)])
def test_what_is_printed_is_as_wide_as_the_terminal(compare, columns, words, at_once):
    found = compare("digits.npy", *words, columns=columns)
    prose = found.out.partition("hashlearn fit")[0]
    assert max(map(len, prose.splitlines())) <= columns
    assert "…" not in prose
    assert " ".join(found.content["recommendation"]["sentence"].split()) in found.said


def test_a_page_is_written_and_says_how_it_was_made(compare, tmp_path, at_once):
    found = compare("digits.csv", "--labels", "digit", *FEW, "--time", 30, drawn=True)
    (page,) = tmp_path.glob("out/*.html")
    html = page.read_text(encoding="utf-8")
    command = shlex.join(["hashlearn", "compare", "digits.csv", "--labels", "digit"])
    assert command in html
    assert "Codes for digits.csv" in html
    assert str(page) in found.said.replace(" ", "") or str(page) in found.out
    assert f"hashlearn explore --comparison {tmp_path / 'out'}" in found.out


def test_the_example_of_the_help_runs(compare, at_once):
    program, command, *words = shlex.split(EXAMPLE)
    assert (program, command) == ("hashlearn", "compare")
    assert compare(*words).code == 0


@pytest.mark.parametrize(("at_least", "code"), [("0.3", 0), ("0.9", 1)])
def test_the_exit_status_tells_whether_the_target_is_reached(compare, at_once, at_least, code):
    found = compare("digits.npy", *ALONE, "--target", f"recall@10={at_least}")
    assert found.code == code
    assert found.err == ""
    assert ("Nothing that was measured is certain to reach" in found.said) == bool(code)
    assert found.content["recommendation"]["reached"] == (not code)
    words = compare("digits.npy", *ALONE, "--target", f"recall@10={at_least}", "--json")
    assert words.code == code


def test_without_a_target_the_exit_status_is_0(compare, at_once):
    assert compare("digits.npy", *ALONE).code == 0


SPLIT = ("--target", "recall@10=0.95")  # out of reach, but for candidates that vectors put in order


@pytest.mark.parametrize(
    "words",
    [
        ("digits.csv", "--labels", "digit", "--ignore", "pixel_0_0", "--methods", "itq-cca"),
        ("digits.csv", "--labels", "digit", "--methods", "itq"),
        ("digits.npy", "--labels", "digits-labels.npy", "--methods", "sdh", "--seed", "3"),
        ("digits.npy", "--methods", "bae", "--metric", "euclidean", "-k", "5"),
        ("two.NPZ", "--array", "X", "--labels", "digit", "--methods", "itq"),
        ("two.NPZ", "--array", "X", "--methods", "lsh", *SPLIT),
        ("digits.parquet", "--labels", "digit", "--methods", "itq-cca"),
        ("colon.csv", "--delimiter", ":", "--labels", "digit", "--methods", "itq"),
        ("colon.csv", "--delimiter", ":", "--ignore", "digit", "--methods", "lsh", *SPLIT),
        ("rare.csv", "--labels", "digit", "--unlabelled", "?", "--methods", "itq-cca"),
    ],
    ids=" ".join,
)
def test_printed_commands_make_the_codes(compare, run, place, words, request):
    if words[0].endswith("parquet"):
        request.getfixturevalue("parquet")
    table = (place.folder / "digits.csv").read_text()
    (place.folder / "colon.csv").write_text(table.replace(",", ":"))
    rows = table.splitlines()
    rows[1::3] = [row.rpartition(",")[0] + ",?" for row in rows[1::3]]
    (place.folder / "rare.csv").write_text("\n".join(rows))
    np.savez(place.folder / "two.npz", X=place.X, digit=place.y, other=place.X)
    (place.folder / "two.npz").rename(place.folder / "two.NPZ")
    found = compare(*words, "--bits", 8)
    assert found.code in (0, 1), found.err
    said = found.content["recommendation"]
    assert bool(said["rescored_command"]) == ("--labels" not in words)
    for commands in filter(None, (said["command"], said["rescored_command"])):
        for command in commands.splitlines():
            assert command in found.out
            outputs = run(*shlex.split(command.replace("QUERIES", words[0]))[1:])
        assert outputs.stdout
        if "--rescore" not in commands:
            model = hashlearn.load(f"{words[0].partition('.')[0]}.hashlearn")
            expected = hashlearn.make_hasher(said["method"], n_bits=8)
            assert (type(model), model.n_bits) == (type(expected), 8)


@pytest.mark.parametrize("name", ["digits.csv", "digits.npz"])
def test_standard_input_is_named_as_a_file_to_save_it_in(
    compare, opened, place, tmp_path, at_once, name
):
    words = ("--array", "X") if name.endswith("npz") else ()
    stdin = (place.folder / name).read_bytes()
    found = compare("-", "--labels", "digit", *ALONE, *words, stdin=stdin)
    assert found.code == 0, found.err
    saved = f"items{name[-4:]}"
    assert f"Save the input as {saved} for these commands:" in found.out
    assert found.out.count(f"hashlearn fit {saved} ") == 1
    assert ("--ignore digit" in found.out) == name.endswith("csv")
    assert "hashlearn explore" not in found.out
    (place.folder / saved).write_bytes(stdin)  # other items may be in a file of that name
    assert "is not a file" in opened(tmp_path / "out", code=2)
    (place.folder / saved).unlink()


def test_without_matplotlib_all_but_the_picture_is_there(compare, tmp_path, at_once, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    found = compare("digits.npy", *ALONE, drawn=True)
    assert found.code == 0, found.err
    (page,) = tmp_path.glob("out/*.html")
    html = page.read_text(encoding="utf-8")
    assert "Pictures need matplotlib: pip install" in html
    assert found.content["recommendation"]["sentence"] in html


def test_progress_is_a_line_for_each_measurement(compare):
    found = compare("digits.npy", *ALONE, "--progress")
    assert "the vectors, fold 1" in found.err
    assert "lsh, 8 bits, fold 1" in found.err


def test_a_second_run_measures_nothing_and_says_the_same(compare, at_once):
    first = compare("digits.npy", *ALONE)
    tasks = list(at_once.tasks)
    second = compare("digits.npy", *ALONE)
    assert at_once.tasks == tasks
    assert second.out == first.out
    more = compare("digits.npy", "--methods", "itq,lsh", "--bits", "8,16")
    assert more.code == 0
    assert {task.n_bits for task in at_once.tasks[len(tasks) :]} == {16}


def test_more_items_than_fit_are_a_sample_and_the_page_says_so(
    compare, tmp_path, at_once, monkeypatch
):
    monkeypatch.setattr(comparison_request, "PROGRAM_BYTES", 0)
    monkeypatch.setattr(comparison_request, "TRAINING_BYTES", 1)
    found = compare("digits.npy", *ALONE, "--memory", "150KB")
    n_sampled = read_request(max_memory="150KB").rows_that_fit(4 * 64)
    assert found.content["settings"]["n_sampled"] == n_sampled < 200
    assert found.content["settings"]["n_items"] == 200
    (page,) = tmp_path.glob("out/*.html")
    assert f"{n_sampled} of 200 items was compared" in page.read_text(encoding="utf-8")


def test_items_without_a_label_are_counted_beyond_the_sample(
    compare, place, tmp_path, at_once, monkeypatch
):
    monkeypatch.setattr(comparison_request, "PROGRAM_BYTES", 0)
    monkeypatch.setattr(comparison_request, "TRAINING_BYTES", 1)
    labels = tmp_path / "labels.npy"
    np.save(labels, np.where(np.arange(200) % 2, -1, place.y))
    found = compare("digits.npy", "--labels", labels, *FEW, "--memory", "140KB")
    assert found.code == 0, found.err
    settings = found.content["settings"]
    assert 100 < settings["n_sampled"] < 200
    assert (settings["n_items"], settings["n_missing"]) == (200, 100)


def test_a_stop_keeps_what_is_measured_and_says_so(compare, tmp_path, monkeypatch, at_once):
    def stop(task, *args):
        if len(at_once.tasks) == 2:
            raise KeyboardInterrupt
        return at_once(task, *args)

    monkeypatch.setattr(_running, "measure", stop)
    stopped = compare("digits.npy", *ALONE)
    assert (stopped.code, stopped.out, stopped.err) == (130, "", f"hashlearn: {KEPT}")
    assert len(list(tmp_path.glob("out/records/*"))) == 2
    monkeypatch.setattr(_running, "measure", at_once)
    found = compare("digits.npy", *ALONE)
    assert found.code == 0
    assert len(set(at_once.tasks)) == len(at_once.tasks)


def be_slow():
    measure = _running.measure

    def slowly(task, *args):
        if task.method != "vectors":
            time.sleep(60)
        return measure(task, *args)

    _running.measure = slowly


@pytest.mark.parametrize(
    ("stop", "result"), [(signal.SIGINT, (130, f"hashlearn: {KEPT}")), (signal.SIGTERM, (143, ""))]
)
def test_a_program_that_is_stopped_leaves_whole_records(place, tmp_path, stop, result):
    words = ["compare", "digits.npy", *ALONE, "--output", tmp_path]
    program = Program(*words, folder=place.folder, prepare=be_slow)
    while not list(tmp_path.glob("records/*.json")):
        assert program.process.is_alive()
        time.sleep(0.02)
    program.send_signal(stop)
    code, out, said = program.finish()
    assert (code, said) == result
    assert out == ""
    (record,) = (tmp_path / "records").iterdir()
    assert json.loads(record.read_bytes())["task"]["method"] == "vectors"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("missing.npy", "No such file or directory: 'missing.npy'"),
        ("digits.npy --bits x", "--bits must be numbers such as 32,64; got x."),
        ("digits.npy --bits 0", "must be an integer from 1 to 4096; got 0"),
        ("digits.npy --methods itqq", "got 'itqq'"),
        ("digits.npy --methods sdh", "'sdh' learns from labels"),
        ("digits.npy --target recall", "such as recall@10=0.95; got 'recall'"),
        ("digits.npy --target map=0.5", "the measures of these data are recall@10"),
        ("digits.npy --target recall@10=0.5 -k 5", "leave out k"),
        ("digits.npy -k 0", "-k"),
        ("digits.npy -k 1000", "k must be at most"),
        ("digits.npy --metric manhattan", "got 'manhattan'"),
        ("digits.npy --memory 500MB", "--memory must be at least 740MB"),
        ("digits.npy --time inf", "--time must be"),
        ("digits.npy --memory big", "--memory must be a size such as 512MB or 2GB; got big"),
        ("digits.npy --time -1", "--time"),
        ("digits.csv --labels cat", "--labels cat is not a file, and"),
        ("digits.npy --labels queries-labels.npy", "has 60 values for 200 items"),
        ("few.npy", "at least 50 items are needed"),
        ("digits.npy --labels zeros.npy", "at least two classes"),
        ("digits.npy --labels ids.npy", "Are the labels ids?"),
    ],
)
def test_what_does_not_fit_is_told_in_one_sentence(files, fail, words, sentence, tmp_path):
    assert sentence in fail("compare", *words.split(), "--output", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.fixture(scope="module")
def files(place):
    """Write inputs that cannot be compared on."""
    np.save(place.folder / "few.npy", place.X[:5])
    np.save(place.folder / "zeros.npy", np.zeros(200, dtype=int))
    np.save(place.folder / "ids.npy", np.arange(200))


def test_an_unknown_option_is_one_sentence(fail):
    assert "--bit" in fail("compare", "digits.npy", "--bit", "8")


@pytest.fixture
def opened(compare, monkeypatch):
    """Return a function that explores a folder, and returns what would have been served."""

    def explore(folder, *words, code=0):
        served = {}

        def serve(collection, listening, hosts, on_ready):
            served.update(collection=collection)
            on_ready()

        monkeypatch.setattr(server, "serve", serve)
        words = ["explore", "--no-open", "--port", "0", "--comparison", str(folder), *words]
        result = CliRunner().invoke(app, words)
        assert result.exit_code == code, result.output
        explore.said, explore.address = " ".join(result.stderr.split()), result.stdout.strip()
        return served["collection"] if code == 0 else result.stderr

    return explore


@pytest.mark.parametrize("words", [*SOURCES[:3], ("digits.npy",)], ids=" ".join)
def test_the_explorer_opens_the_best_two(compare, opened, place, tmp_path, words, monkeypatch):
    labelled = len(words) > 1
    found = compare(*words, *(FEW if labelled else ALONE))
    assert found.code == 0, found.err
    monkeypatch.chdir(tmp_path)  # away from the items
    collection = opened(tmp_path / "out")
    said = found.content["recommendation"]
    names = [said["method"], said["runner_up"][0]]
    assert list(collection.methods) == names
    assert opened.address.endswith(f"/?methods={names[0]}&methods={names[1]}")
    assert collection.n_items == 200
    assert (collection.labels is not None) == labelled
    for coded in collection.methods.values():
        y = (place.y,) if coded.hasher.supervised else ()
        expected = hashlearn.make_hasher(said["method"], n_bits=8, random_state=0)
        if type(coded.hasher) is type(expected):
            expected.fit(place.X.astype(float), *y)
            codes = hashlearn.unpack_codes(coded.packed, 8)
            np.testing.assert_array_equal(codes, expected.transform(place.X.astype(float)))


def test_models_are_learned_once_and_again_if_the_comparison_is_another(compare, opened, tmp_path):
    folder = tmp_path / "out"
    compare("digits.npy", *ALONE)
    opened(folder)
    times = {path: path.stat().st_mtime_ns for path in folder.glob("*.hashlearn")}
    assert len(times) == 2
    opened(folder)
    assert {path: path.stat().st_mtime_ns for path in folder.glob("*.hashlearn")} == times
    compare("digits.npy", *ALONE, "--seed", 5)
    hashers = [coded.hasher for coded in opened(folder).methods.values()]
    assert {hasher.random_state for hasher in hashers} == {5}


def test_models_are_learned_again_if_the_items_changed(compare, opened, place, tmp_path):
    X, path = np.load("digits.npy"), tmp_path / "items.npy"
    np.save(path, X)
    compare(path, *ALONE)
    old = [coded.hasher.fingerprint() for coded in opened(tmp_path / "out").methods.values()]
    np.save(path, X[::-1] + 1)
    later = path.stat().st_mtime + 10
    os.utime(path, (later, later))
    new = [coded.hasher.fingerprint() for coded in opened(tmp_path / "out").methods.values()]
    assert set(new) != set(old)
    assert "items.npy' was changed after it was compared" in opened.said


@pytest.mark.parametrize("kind", ["text", "number"])
def test_the_explorer_knows_what_no_label_is(compare, opened, place, tmp_path, kind, at_once):
    """Items without a label were once a class '?', or '-1', of items that are right."""
    missing = np.arange(200) % 4 == 0
    words = ["--unlabelled", "?"] * (kind == "text")
    if kind == "text":
        y = np.where(missing, "?", place.y.astype("U9"))
        (tmp_path / "labels.csv").write_text("\n".join(["label", *y]))
        labels = tmp_path / "labels.csv"
    else:
        labels = tmp_path / "labels.npy"
        np.save(labels, np.where(missing, -1, place.y))
    found = compare("digits.npy", "--labels", labels, *words, *FEW)
    assert found.content["settings"]["n_missing"] == 50
    shown = opened(tmp_path / "out").labels
    assert shown.names == tuple("0123456789")
    assert [bool(shown.of(i)) for i in range(200)] == (~missing).tolist()


def test_the_explorer_reads_the_file_as_it_was_compared(compare, opened, place, at_once, tmp_path):
    table = (place.folder / "digits.csv").read_text().replace(",", ":")
    (tmp_path / "colon.csv").write_text(table)
    words = ("--delimiter", ":", "--labels", "digit")
    assert compare(tmp_path / "colon.csv", *words, *FEW).code == 0
    assert opened(tmp_path / "out").n_items == 200


def test_models_are_learned_again_if_the_labels_changed(compare, opened, place, tmp_path, at_once):
    labels = tmp_path / "labels.npy"
    np.save(labels, place.y)
    compare("digits.npy", "--labels", labels, *FEW)
    old = {coded.hasher.fingerprint() for coded in opened(tmp_path / "out").methods.values()}
    np.save(labels, place.y[::-1])
    later = labels.stat().st_mtime + 10
    os.utime(labels, (later, later))
    new = {coded.hasher.fingerprint() for coded in opened(tmp_path / "out").methods.values()}
    assert new != old
    assert "labels.npy' was changed after it was compared" in opened.said


def test_the_explorer_says_which_folder_has_no_comparison(opened, tmp_path):
    assert "has no comparison: 'hashlearn compare' writes one there" in opened(tmp_path, code=2)
    (tmp_path / FILE).write_text('{"items": null}')
    assert "has no comparison" in opened(tmp_path, code=2)
    assert "does not exist" in opened(tmp_path / "missing", code=2)


def test_the_explorer_says_where_it_looks_for_missing_items(compare, opened, tmp_path, at_once):
    compare("digits.npy", *ALONE)
    content = json.loads((tmp_path / "out" / FILE).read_bytes())
    content["items"]["path"] = "gone.npy"
    (tmp_path / "out" / FILE).write_text(json.dumps(content))
    assert "gone.npy', which" in opened(tmp_path / "out", code=2)


@pytest.mark.parametrize("words", [("--model", "plain.hashlearn"), ("--items", "digits.npy")])
def test_a_comparison_excludes_other_models_and_items(compare, opened, tmp_path, at_once, words):
    compare("digits.npy", *ALONE)
    said = opened(tmp_path / "out", *words, code=2)
    assert "--comparison excludes --model, --index and --items" in said

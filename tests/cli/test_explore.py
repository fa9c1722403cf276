"""`hashlearn explore`: what it opens and what it refuses."""

import shlex
import shutil
import socket
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from hashlearn import HammingIndex, make_hasher, unpack_codes
from hashlearn.cli.explore import EXAMPLE, _collection, _serving
from hashlearn.explorer.web import server


@pytest.fixture(scope="module")
def place(place, tmp_path_factory):
    """Return a copy of the folder with indexes, ids, pictures and texts."""
    folder, n = tmp_path_factory.mktemp("explore") / "place", len(place.X)
    shutil.copytree(place.folder, folder)
    shutil.copy(folder / "named.hashlearn", folder / "digits.hashlearn")
    ids = 1000 + 3 * np.arange(n)
    backwards = ids[::-1]
    itq = make_hasher("itq", n_bits=16, random_state=0).fit(place.X)
    itq.save(folder / "itq.hashlearn")
    packed = {"plain": place.hasher.encode(place.X), "itq": itq.encode(place.X[::-1])}
    for name, order in {"plain": ids, "itq": backwards}.items():
        index = HammingIndex({"plain": place.hasher.n_bits, "itq": 16}[name])
        index.add(packed[name], ids=order)
        index.save(folder / f"{name}.index")
    fewer = HammingIndex(16)
    fewer.add(packed["itq"][1:], ids=backwards[1:])
    fewer.save(folder / "fewer.index")
    np.save(folder / "ids.npy", ids)
    np.save(folder / "images.npy", place.X.reshape(n, 8, 8))
    (folder / "lines.txt").write_text("".join(f"item {i}\n" for i in range(n)))
    table = np.column_stack([place.X[:, :4], ids, place.y < 5, place.y > 3])
    np.savetxt(
        folder / "several.csv", table, "%d", ",", header="a,b,c,d,id,small,large", comments=""
    )
    make_hasher("lsh", n_bits=6, random_state=0).fit(place.X[:, :4]).save(folder / "four.hashlearn")
    return SimpleNamespace(**{**vars(place), "folder": folder})


@pytest.fixture
def opened(run, monkeypatch):
    """Return a function that runs the command, and returns what it would have served."""

    def open_collection(*words):
        served = {}

        def serve(collection, listening, hosts, on_ready):
            served.update(collection=collection, hosts=hosts)
            on_ready()

        monkeypatch.setattr(server, "serve", serve)
        result = run("explore", "--no-open", "--port", "0", *words)
        address = result.stdout.strip()
        assert address.startswith("http://127.0.0.1:")
        open_collection.said, open_collection.hosts = result.stderr, served["hosts"]
        return served["collection"]

    return open_collection


def codes_of(collection, name):
    coded = collection.methods[name]
    return unpack_codes(coded.packed, coded.n_bits)


def test_without_options_it_opens_the_digits(opened, monkeypatch):
    monkeypatch.setattr(_collection, "digits_collection", lambda: "the digits")
    assert opened() == "the digits"


def test_the_example_of_the_help_runs(opened):
    program, command, *words = shlex.split(EXAMPLE)
    assert (program, command) == ("hashlearn", "explore")
    assert opened(*words).n_items == 200


def test_a_model_and_its_index_with_labels_and_pictures(opened, place):
    collection = opened(
        *("--model", "plain.hashlearn", "--index", "plain.index"),
        *("--labels", "digits-labels.npy", "--images", "images.npy"),
    )
    assert collection.name == "plain"
    assert collection.ids.tolist() == (1000 + 3 * np.arange(len(place.X))).tolist()
    assert collection.labels.of(7) == (str(place.y[7]),)
    assert np.array_equal(codes_of(collection, "lsh"), place.hasher.transform(place.X))
    assert collection.reader is not None
    assert collection.display.kind == "image"


def test_a_second_index_is_put_in_the_order_of_the_first(opened, place):
    collection = opened(
        *("--model", "plain.hashlearn", "--index", "plain.index"),
        *("--model", "itq.hashlearn", "--index", "itq.index"),
    )
    hasher = collection.methods["itq"].hasher
    assert np.array_equal(codes_of(collection, "itq"), hasher.transform(place.X))


def test_indexes_without_models_are_called_as_their_files(opened):
    collection = opened("--index", "itq.index", "--index", "plain.index", "--text", "lines.txt")
    assert list(collection.methods) == ["itq", "plain"]
    assert not any(coded.hasher for coded in collection.methods.values())
    assert collection.display.text(0) == "item 0"


def test_items_are_encoded_by_every_model(opened, place):
    collection = opened(
        *("--model", "named.hashlearn", "--model", "itq.hashlearn", "--items", "digits.csv"),
        *("--labels", "digit", "--images", "items"),
    )
    assert list(collection.methods) == ["lsh", "itq"]
    assert np.array_equal(codes_of(collection, "lsh"), place.hasher.transform(place.X))
    assert collection.labels.of(3) == (str(place.y[3]),)
    assert np.array_equal(collection.display.images, place.X.reshape(-1, 8, 8))
    assert collection.reader is not None


def test_ids_and_several_labels_are_columns_beside_the_features(opened, place):
    collection = opened(
        *("--model", "four.hashlearn", "--items", "several.csv"),
        *("--ids", "id", "--labels", "small,large"),
    )
    assert collection.ids[1] == 1003
    assert collection.labels.names == ("small", "large")
    expected = [name for name, has in (("small", place.y[4] < 5), ("large", place.y[4] > 3)) if has]
    assert collection.labels.of(4) == tuple(expected)


def test_an_index_takes_columns_of_zeros_and_ones_as_labels(opened, place):
    labels = opened("--index", "plain.index", "--labels", "several.csv:small,large").labels
    assert labels.names == ("small", "large")
    assert labels.members("large").tolist() == np.flatnonzero(place.y > 3).tolist()


def test_models_given_in_another_order_than_indexes_are_warned_of(opened, place):
    for seed in (1, 2):
        hasher = make_hasher("lsh", n_bits=16, random_state=seed).fit(place.X)
        hasher.save(f"{seed}.hashlearn")
        index = HammingIndex(16)
        index.add(np.asarray(hasher.encode(place.X)))  # of a model that the index does not know
        index.save(f"{seed}.index")
    pairs = [f"--model {one}.hashlearn --index {two}.index" for one, two in ((1, 2), (2, 1))]
    opened(*" ".join(pairs).split(), "--images", "images.npy")
    warning = next(line for line in opened.said.splitlines() if "warning" in line)
    assert "images other codes than" in warning
    assert "are given in the same order" in warning


def test_a_model_that_did_not_make_the_codes_is_refused(fail, place):
    for seed in (1, 2):
        hasher = make_hasher("lsh", n_bits=16, random_state=seed).fit(place.X)
        hasher.save(f"{seed}.hashlearn")
        index = HammingIndex(16)
        index.add(hasher.encode(place.X))
        index.save(f"{seed}.index")
    said = fail("explore", "--no-open", "--model", "1.hashlearn", "--index", "2.index")
    assert f"are of model {index.model}, but its hasher is model " in said


def test_why_no_picture_can_be_dropped_is_said(opened):
    opened("--index", "plain.index", "--images", "images.npy")
    assert "cannot be uploaded: reading pixels needs a model" in opened.said


def test_names_that_are_allowed_need_no_port(opened):
    opened("--index", "plain.index", "--allow-host", "Lab:8000", "--allow-host", "[fe80::1]")
    assert opened.hosts[-2:] == ("lab", "fe80::1")


def test_ids_and_labels_may_be_files_of_their_own(opened):
    collection = opened(
        *("--model", "plain.hashlearn", "--items", "digits.npy"),
        *("--ids", "ids.npy", "--labels", "digits-labels.npy"),
    )
    assert collection.ids[2] == 1006


def test_two_models_of_one_method_are_told_apart_by_their_files(opened):
    collection = opened(
        "--model", "plain.hashlearn", "--model", "named.hashlearn", "--items", "digits.npy"
    )
    assert list(collection.methods) == ["plain", "named"]
    assert "plain.hashlearn" in collection.methods["plain"].title


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--labels digits-labels.npy", "give --index, or --items and --model"),
        ("--model plain.hashlearn", "give --index, or --items and --model"),
        ("--items digits.npy", "--items needs --model"),
        ("--items digits.npy --index plain.index", "exclude each other"),
        (
            "--index plain.index --index itq.index --model itq.hashlearn",
            "--model is given 1 times and --index 2 times",
        ),
        ("--index plain.index --ids ids.npy", "--ids and --array go with --items"),
        ("--index plain.index --images items", "an index holds codes only"),
        ("--index plain.index --index fewer.index", "'fewer.index' has no item 1597, which"),
        ("--index fewer.index --index plain.index", "'fewer.index' has no item 1597, which"),
        (
            "--index plain.index --model itq.hashlearn",
            "must give 20 bits, as its codes",
        ),
        ("--index plain.index --labels missing.npy", "--labels missing.npy is not a file: with"),
        ("--index plain.index --labels several.csv", "as in --labels several.csv:b"),
        ("--index plain.index --text .", "'.' cannot be read: Is a directory."),
        ("--index plain.index --text missing.txt", "'missing.txt' cannot be read: No such file"),
        ("--index plain.index --images missing.npy", "'missing.npy' cannot be read: No such file"),
        ("--index missing.index", "'missing.index' cannot be read: No such file"),
        ("--items digits.npy --model missing", "'missing' cannot be read: No such file"),
        ("--allow-host http://lab", "--allow-host 'http://lab' is not a host name"),
        ("--allow-host lab/page", "--allow-host 'lab/page' is not a host name"),
        ("--index plain.index --labels queries-labels.npy", "labels must have 200 entries"),
        ("--index plain.index --text lines.txt --images images.npy", "images and text cannot be"),
        ("--index plain.index --images missing", "missing"),
        ("--index plain.index --features gist", "needs images of the items"),
        ("--index codes.npy", "codes.npy"),
        ("--items digits.npy --model four.hashlearn", "has 64 features, but 4 are needed"),
        ("--items digits.csv --model plain.hashlearn --labels cat", "--labels cat is not a file"),
        ("--items several.csv --model four.hashlearn --images items", "features, but 4 are needed"),
        ("--port 99999", "Invalid value for '--port'"),
        ("--host no.such.host.invalid", "is not an address of this machine"),
    ],
)
def test_what_cannot_be_opened_is_one_sentence(fail, words, sentence):
    given = words.split()
    port = [] if "--port" in given else ["--port", "0"]
    assert sentence in fail("explore", "--no-open", *port, *given)


def test_a_taken_port_is_one_sentence(fail):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = fail("explore", "--no-open", "--port", taken.getsockname()[1])
    assert "is in use by another program" in said


def test_without_the_extra_it_is_named(fail, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert "pip install 'hashlearn[explorer]'" in fail("explore", "--no-open")


def test_a_browser_is_opened_when_asked_for_and_never_in_a_script(run, monkeypatch):
    opened = []
    monkeypatch.setattr(server, "serve", lambda *parts: parts[-1]())
    monkeypatch.setattr(_serving.webbrowser, "open", opened.append)
    monkeypatch.setattr(_serving, "Thread", Now)
    run("explore", "--port", "0", "--index", "plain.index")
    assert opened == []
    said = run("explore", "--port", "0", "--index", "plain.index", "--open").stdout
    assert opened == [said.strip()]


@pytest.mark.parametrize(("host", "is_told"), [("127.0.0.1", False), ("0.0.0.0", True)])
def test_who_lets_others_in_is_told(run, monkeypatch, host, is_told):
    monkeypatch.setattr(server, "serve", lambda *parts: parts[-1]())
    result = run("explore", "--no-open", "--port", "0", "--host", host, "--index", "plain.index")
    assert ("without a password" in result.stderr) == is_told


class Now:
    """A thread that does its work at once."""

    def __init__(self, target, args, daemon):
        self.start = lambda: target(*args)

"""What the pages of docs/extending claim holds; tests/test_docs_run.py runs their blocks."""

import os
import re
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits
from typer.testing import CliRunner

import hashlearn
from hashlearn import TwoStepHasher, make_hasher
from hashlearn._registry import Registry
from hashlearn.affinity import LabelAffinity, NeighborAffinity
from hashlearn.base import BaseHasher, Card
from hashlearn.cli.app import app
from hashlearn.files import ModelFileError
from hashlearn.hash_functions import HashFunction, LinearSVMHash
from hashlearn.inference import CoordinateDescent, Inference, Solver, as_inference
from hashlearn.losses import Loss, as_loss, loss_table
from hashlearn.stores import STORES, Store

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "extending"
MODULES = {
    "contrastive": "loss.md",
    "ridge": "hash-function.md",
    "restarts": "inference.md",
    "hadamard_codes": "inference.md",
    "pcah": "method.md",
    "memory_store": "store.md",
}
SUITE = re.compile(r"^```text\n(python -m pytest .+)\n```$", flags=re.MULTILINE)
EMPTY_CARD = Card(hash_function="", cost="", use="")
X, y = load_digits(return_X_y=True)
X, y = X[:400], y[:400]


def source_of(name):
    """Return the module that a page tells its reader to save."""
    page = (PAGES / MODULES[name]).read_text()
    return page.split(f"Save this as `{name}.py`:\n\n```python\n")[1].split("```")[0]


@pytest.fixture
def registries(monkeypatch):
    """Let what a test registers be forgotten after it."""
    for registry in (*Registry.known(), STORES):
        monkeypatch.setattr(registry, "_entries", dict(registry._entries))


@pytest.fixture
def parts(registries):
    """Return the modules of the pages, as a reader's program has them."""
    modules = {name: ModuleType(name) for name in MODULES}
    for name, module in modules.items():
        exec(compile(source_of(name), name, "exec"), module.__dict__)
    return modules


def codes_of(inference, affinity, n_bits, loss="bre", **params):
    loss = as_loss(loss)
    return as_inference(inference, loss).infer(
        affinity, loss, n_bits, random_state=np.random.RandomState(0), **params
    )


def loss_of(step_one, affinity, loss, weights=1.0):
    """Sum a loss over ordered pairs of different items, each as often as its weights say."""
    Z = 2 * step_one.codes.astype(int) - 1
    m, Y = Z.shape[1], affinity.block(slice(None))
    w = np.broadcast_to(weights, len(Z))
    return (loss_table(as_loss(loss), m)[Y + 1, Z @ Z.T + m] * np.outer(w, w)).sum()


@pytest.mark.parametrize("n_bits", [8, 12])
@pytest.mark.parametrize("kind", ["labels", "neighbours"])
def test_codes_of_the_example_loss_cost_less_of_it_than_those_of_bre(kind, n_bits, parts):
    labels = LabelAffinity(y)
    affinity = labels if kind == "labels" else NeighborAffinity.from_data(X, n_neighbors=10)
    own, bre = (codes_of("auto", affinity, n_bits, loss) for loss in ("contrastive", "bre"))
    value = loss_of(own, affinity, "contrastive")
    assert own.objective[-1] == pytest.approx(value)
    assert value < loss_of(bre, affinity, "contrastive")


def test_the_example_solver_ends_below_the_papers_way(parts):
    affinity = NeighborAffinity.from_data(X[:200], n_neighbors=10)
    own, paper = (codes_of(name, affinity, 12) for name in ("restarts", "spectral-lbfgsb"))
    assert own.objective[-1] < paper.objective[-1]


def test_the_objective_of_the_example_inference_is_the_loss_of_its_codes(parts):
    affinity, loss = LabelAffinity(y), "splh"
    step_one = codes_of("hadamard", affinity, 16, loss)
    assert step_one.objective[-1] == pytest.approx(loss_of(step_one, affinity, loss))
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    weighted = codes_of("hadamard", affinity, 16, loss, sample_weight=weights)
    copies = affinity[np.repeat(np.arange(len(y)), weights)]
    repeated = weighted._replace(codes=np.repeat(weighted.codes, weights, axis=0))
    assert weighted.objective[-1] == pytest.approx(loss_of(repeated, copies, loss))


def test_weights_are_copies_for_the_example_hash_function(parts):
    codes = np.random.default_rng(0).integers(0, 2, (len(X), 6))
    weights = np.random.default_rng(1).integers(0, 3, len(X))
    rows = np.repeat(np.arange(len(X)), weights)
    ridge = parts["ridge"].RidgeHash(alpha=3.0)
    weighted = clone(ridge).fit(X, codes, sample_weight=weights.astype(float))
    repeated = clone(ridge).fit(X[rows], codes[rows])
    margins = (part.decision_function(X) for part in (weighted, repeated))
    np.testing.assert_allclose(*margins, rtol=1e-6, atol=1e-8)


def example_hashers(parts):
    """Return a hasher with each example part, given as an instance, and what its file names."""
    settings = {
        "loss:contrastive": {"loss": parts["contrastive"].ContrastiveLoss(0.4)},
        "hash_function:ridge": {"hash_function": parts["ridge"].RidgeHash()},
        "solver:restarts": {"inference": CoordinateDescent(parts["restarts"].Restarts(2))},
        "inference:hadamard": {"inference": parts["hadamard_codes"].HadamardCodes()},
    }
    linear = {"hash_function": LinearSVMHash(C=1.0), "random_state": 0}
    hashers = {name: TwoStepHasher(8, **linear | given) for name, given in settings.items()}
    return hashers | {"method:pcah": make_hasher("pcah", n_bits=8)}


def test_example_parts_come_back_from_files_where_they_are_registered_only(
    parts, tmp_path, monkeypatch
):
    hashers = example_hashers(parts)
    for i, hasher in enumerate(hashers.values()):
        hasher.fit(X, y).save(tmp_path / str(i))
        loaded = hashlearn.load(tmp_path / str(i))
        assert str(loaded) == str(hasher)
        np.testing.assert_array_equal(loaded.encode(X), hasher.encode(X))
    for registry in Registry.known():  # as in a program that imports none of them
        known = {k: v for k, v in registry._entries.items() if v.__module__.startswith("hashlearn")}
        monkeypatch.setattr(registry, "_entries", known)
    for i, name in enumerate(hashers):
        sentence = f"it needs '{name}', which is not registered here; import the module that"
        with pytest.raises(ModelFileError, match=sentence):
            hashlearn.load(tmp_path / str(i))


@pytest.mark.parametrize(
    "options",
    [
        ["--method", "tsh-contrastive", "--set", "hash_function=linear-svm"],
        ["--set", "hash_function=ridge"],
        ["--set", "inference=restarts", "--set", "hash_function=ridge"],
        ["--set", "inference=hadamard", "--set", "hash_function=ridge"],
        ["--method", "pcah"],
    ],
    ids=" ".join,
)
def test_names_of_example_parts_work_on_the_command_line(options, parts, tmp_path):
    np.savez(tmp_path / "digits.npz", x=X, y=y)
    output = tmp_path / "model"
    command = ["fit", str(tmp_path / "digits.npz"), "--array", "x", "--labels", "y", "--bits", "8"]
    result = CliRunner().invoke(app, [*command, *options, "--output", str(output)])
    assert result.exit_code == 0, result.output
    assert hashlearn.load(output).encode(X).shape == (len(X), 1)


def test_names_of_example_parts_are_unknown_without_their_modules():
    with pytest.raises(ValueError, match=r"loss must be one of .*; got 'contrastive'"):
        make_hasher("tsh-contrastive").fit(X, y)
    with pytest.raises(ValueError, match=r"method must be one of .*; got 'pcah'"):
        make_hasher("pcah")


def tables(page):
    """Yield the rows of a page's tables, without heads and rules."""
    for line in (PAGES / page).read_text().splitlines():
        if line.startswith("| `"):
            yield [cell.strip() for cell in line.strip("|").split(" | ")]


def test_the_table_of_attributes_says_what_the_classes_say():
    bases = {"loss": Loss, "solver": Solver, "hash function": HashFunction, "method": BaseHasher}
    bases |= {"store": Store, "inference": Inference}
    told = {part: set() for part in bases}
    for names, part, _, default in (row for row in tables("index.md") if len(row) == 4):
        for name in re.findall(r"`(\w+)`", names):
            value = getattr(bases[part], name)
            assert default.strip("`") == ("empty" if value == EMPTY_CARD else str(value)), name
            told[part].add(name)
    for part, base in bases.items():
        declared = {name for name, value in vars(base).items() if isinstance(value, bool)}
        assert declared <= told[part], part


def test_every_decorator_that_is_named_registers():
    page = (PAGES / "index.md").read_text()
    named = re.findall(r"^\| [^|]+ \| `(hashlearn\.[\w.]+)` \|$", page, flags=re.MULTILINE)
    assert len(named) == 10
    for path in named:
        room, _, name = path.rpartition(".")
        register = getattr(import_module(room), name)
        assert callable(register("a name that is free")), path


def test_files_that_pages_name_are_there():
    for page in PAGES.glob("*.md"):
        for name in re.findall(r"`((?:tests|src)/[\w/.]+)`", page.read_text()):
            assert (ROOT / name).exists() or "contrastive" in name, name


@pytest.fixture(scope="session")
def saved_modules(tmp_path_factory):
    """Return a folder with the modules of the pages, as a reader saves them."""
    folder = tmp_path_factory.mktemp("modules")
    for name in MODULES:
        (folder / f"{name}.py").write_text(source_of(name))
    return folder


def run_shared_tests(folder, words):
    """Run pytest in this repository with a folder of plugins; return what it says."""
    return subprocess.run(
        [sys.executable, *words[1:], "-p", "no:cacheprovider"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_shared_tests_try_a_part_that_is_named_as_a_plugin(saved_modules):
    """One part and one folder, which is quick; the slow test below runs all that pages say."""
    command = "python -m pytest -p contrastive tests/losses -k contrastive"
    result = run_shared_tests(saved_modules, command.split())
    assert result.returncode == 0, result.stdout
    assert re.search(r"^4 passed", result.stdout, flags=re.MULTILINE), result.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [text for page in sorted(PAGES.glob("*.md")) for text in SUITE.findall(page.read_text())],
)
def test_shared_tests_run_as_pages_say(command, saved_modules):
    result = run_shared_tests(saved_modules, shlex.split(command))
    assert result.returncode == 0, result.stdout
    assert re.search(r"^[1-9]\d* passed", result.stdout, flags=re.MULTILINE), result.stdout

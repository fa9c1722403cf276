"""With --scheduler a command gives what it gives without."""

import json
import signal
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from hashlearn.cli._shared.cluster import ClusterCodes
from hashlearn.cli.app import app
from hashlearn.distributed import encoding
from hashlearn.items import open_items
from hashlearn.methods import LSHHasher
from tests.cli.clusters import LABELS, OPTIONS, make_blocks_small

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def workers():
    """Start two workers, which are threads that talk by TCP, and yield their cluster."""
    options = {**OPTIONS, "processes": False, "protocol": "tcp"}
    with distributed.LocalCluster(**options) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def scheduler(workers):
    return ("--scheduler", workers.scheduler_address)


@pytest.fixture
def small_blocks(monkeypatch):
    make_blocks_small(monkeypatch)


@pytest.mark.parametrize(
    "words",
    [
        ("plain.hashlearn", "digits.npy"),
        ("named.hashlearn", "digits.csv"),
        ("plain.hashlearn", "digits.npz", "--array", "X"),
    ],
)
def test_the_file_of_codes_is_the_same(run, scheduler, small_blocks, tmp_path, words):
    here, there = tmp_path / "here.npy", tmp_path / "there.npy"
    run("encode", *words, "-o", here)
    result = run("encode", *words, "-o", there, *scheduler, "--progress")
    assert there.read_bytes() == here.read_bytes()
    assert "200 of " in result.stderr
    assert "warning" not in result.stderr


def test_no_items_make_an_empty_array(run, scheduler, tmp_path):
    np.save(tmp_path / "none.npy", np.empty((0, 64), dtype=np.float32))
    run("encode", "plain.hashlearn", tmp_path / "none.npy", "-o", tmp_path / "c.npy", *scheduler)
    assert np.load(tmp_path / "c.npy").shape == (0, 3)


@pytest.mark.parametrize("ties", ["expected", "neutral", "insertion"])
@pytest.mark.parametrize(
    "words",
    [
        ("plain.hashlearn", "queries.npy", "digits.npy", *LABELS),
        ("named.hashlearn", "queries.csv", "digits.csv", "--labels", "digit"),
    ],
)
def test_measures_are_the_same(run, scheduler, small_blocks, words, ties):
    words = ("evaluate", *words, "-k", 30, "--cutoff", 90, "--ties", ties, "--json")
    check_same(run, words, scheduler)


def check_same(run, words, scheduler):
    """Check measures of a cluster, which does not look for queries in the database."""
    here, there = json.loads(run(*words).stdout), json.loads(run(*words, *scheduler).stdout)
    assert (here.pop("n_known"), there.pop("n_known")) == (0, None)
    assert here == there


def test_measures_of_several_labels_are_the_same(run, scheduler, place, tmp_path):
    for name, labels in {"q": place.query_labels, "d": place.y}.items():
        np.save(tmp_path / f"{name}.npy", np.stack([labels % 2, labels > 4], axis=1).astype(int))
    files = ("--query-labels", tmp_path / "q.npy", "--database-labels", tmp_path / "d.npy")
    words = ("evaluate", "plain.hashlearn", "queries.npy", "digits.npy", *files, "--json")
    check_same(run, words, scheduler)


def test_the_model_does_not_travel_with_every_block(workers, place, small_blocks, monkeypatch):
    arrivals = []

    def receive(self, state):
        arrivals.append(self)
        vars(self).update(state)

    with distributed.Client(workers) as client:
        codes = ClusterCodes(open_items(place.folder / "digits.npy"), place.hasher, client)
        monkeypatch.setattr(LSHHasher, "__setstate__", receive, raising=False)
        assert len(list(codes.blocks())) > 20
    # a light copy, the scheduler that is here, and two workers: twice where Dask moves a task
    assert len(arrivals) <= 6


def test_no_warning_speaks_of_large_tasks(run, scheduler, tmp_path):
    dask = pytest.importorskip("dask")
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": 1}):
        words = ("plain.hashlearn", "queries.npy", "-o", tmp_path / "codes.npy")
        assert run("encode", *words, *scheduler).stderr.startswith("Encoded 60 items")


def test_a_cluster_without_workers_is_told_of(run, place, tmp_path, monkeypatch):
    options = {"processes": False, "dashboard_address": ":0"}
    with distributed.LocalCluster(n_workers=0, **options) as cluster:

        def warn(*args, **kwargs):
            warnings.warn(*args, **kwargs)
            cluster.scale(1)

        monkeypatch.setattr(
            encoding, "warnings", SimpleNamespace(**{**vars(warnings), "warn": warn})
        )
        words = ("plain.hashlearn", "queries.npy", "-o", tmp_path / "codes.npy")
        result = run("encode", *words, "--scheduler", cluster.scheduler_address)
    assert "warning: the cluster has no workers yet" in result.stderr
    np.testing.assert_array_equal(
        np.load(tmp_path / "codes.npy"), place.hasher.encode(place.queries)
    )


def test_an_interrupt_cancels_what_is_under_way(
    run, scheduler, small_blocks, tmp_path, monkeypatch
):
    cancelled = []
    cancel = distributed.Client.cancel

    def keep(self, futures, **options):
        cancelled.extend(futures)
        return cancel(self, futures, **options)

    monkeypatch.setattr(distributed.Client, "cancel", keep)
    monkeypatch.setattr(encoding, "gather", lambda *_: signal.raise_signal(signal.SIGINT))
    with pytest.raises(AssertionError, match="Stopped"):
        run("encode", "plain.hashlearn", "digits.npy", "-o", tmp_path / "codes.npy", *scheduler)
    assert len(cancelled) == 3  # of four under way one was being waited for
    assert not list(tmp_path.iterdir())


def test_an_item_that_is_no_number_is_told_with_its_row(fail, scheduler, place, tmp_path):
    X = place.queries.copy()
    X[41, 3] = np.nan
    np.save(tmp_path / "x.npy", X)
    words = ("plain.hashlearn", tmp_path / "x.npy", "-o", tmp_path / "codes.npy")
    assert "has nan in column 3 of row 41 (from 0)" in fail("encode", *words, *scheduler)
    assert [path.name for path in tmp_path.iterdir()] == ["x.npy"]


@pytest.mark.parametrize("command", ["encode", "evaluate"])
def test_help_names_the_option(command):
    text = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "300"}).stdout
    assert "--scheduler" in text
    assert "tcp://host:8786" in text

"""The page about Dask runs as it stands."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "distributed.md"


def test_the_examples_run_and_give_what_one_machine_gives(capsys):
    dask = pytest.importorskip("dask")
    pytest.importorskip("distributed")
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    names = {}
    try:
        with dask.config.set({"distributed.scheduler.dashboard.enabled": False}):
            for block in blocks:
                exec(compile(block, PAGE.name, "exec"), names)
        check_same_as_here(names)
    finally:
        names["client"].close()
    workers, evaluation = capsys.readouterr().out.splitlines()
    assert workers == "2 workers"
    assert evaluation == str(evaluate_here(names))


def check_same_as_here(names):
    from hashlearn import HammingIndex

    local = HammingIndex(32)
    local.add(names["hasher"].encode(names["items"]))
    queries = names["hasher"].encode(names["items"][:5])
    distances, ids = local.search(queries, k=10)
    assert (names["distances"] == distances).all()
    assert (names["ids"] == ids).all()
    hits = local.radius_search(queries, radius=2)
    assert all((a == b).all() for a, b in zip(names["hits"], hits, strict=True))


def evaluate_here(names):
    from hashlearn.metrics import evaluate, relevance_from_labels

    codes, labels = names["hasher"].encode(names["items"]), names["labels"]
    return evaluate(codes[:100], codes, relevance_from_labels(labels[:100], labels))

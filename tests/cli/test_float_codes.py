"""Codes made for float queries, from a fit on the command line to a search in a store."""

import json

import numpy as np
import pytest

from hashlearn import HammingIndex, load


@pytest.fixture(scope="module")
def model(place):
    return place.folder / "floats.hashlearn"


def lines(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_binary_autoencoder_goes_through_all_commands(run, place, model, tmp_path):
    pytest.importorskip("sqlite_vec")
    words = ("--method", "bae", "--bits", 16, "--set", "metric=euclidean", "--set", "n_iter=2")
    run("fit", "digits.npy", *words, "--checkpoint", tmp_path / "parts", "-o", model)
    hasher = load(model)
    assert hasher.metric == "euclidean"
    run("encode", model, "digits.npy", "-o", tmp_path / "codes.npy")
    run("index", tmp_path / "codes.npy", "--bits", 16, "-o", tmp_path / "index")
    queries = hasher.encode_queries(place.queries)
    index = HammingIndex(16)
    index.add(np.load(tmp_path / "codes.npy"))
    expected = index.search(queries, 4)
    asked = ("queries.npy", "--model", model, "-k", 4, "--json")
    found = lines(run("search", tmp_path / "index", *asked))
    assert [line["ids"] for line in found] == expected.ids.tolist()
    assert [line["distances"] for line in found] == expected.distances.tolist()
    labels = ("--query-labels", "queries-labels.npy", "--database-labels", "digits-labels.npy")
    measured = run("evaluate", model, "queries.npy", "digits.npy", *labels, "--json")
    assert json.loads(measured.stdout)["asymmetric"] is True
    address = f"sqlite:{tmp_path / 'codes.db'}"
    run("store", "push", "digits.npy", "--model", model, "--to", address)
    found = lines(
        run("store", "search", address, *asked, "--oversample", 50, "--rescore", "margins")
    )
    assert [line["scores"] for line in found] == expected.distances.tolist()
    by_default = lines(run("store", "search", address, *asked))
    assert {"scores"} <= by_default[0].keys()

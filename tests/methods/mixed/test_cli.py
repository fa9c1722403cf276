"""Mixed codes on the command line: -1 in a column of labels, shares, and what `info` says."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import hashlearn
from hashlearn.cli.app import app
from tests.methods.mixed.small import digits, half_known

X, y = digits()
KNOWN = half_known(y)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Stay in a folder with a table whose last column, `digit`, has -1 in it."""
    monkeypatch.chdir(tmp_path)
    header = ",".join([*(f"pixel{i}" for i in range(64)), "digit"])
    table = np.column_stack([X * 16, KNOWN])
    np.savetxt("digits.csv", table, fmt="%d", delimiter=",", header=header, comments="")
    np.save("digits.npy", X.astype(np.float32))
    np.save("labels.npy", KNOWN)
    return tmp_path


def run(*words, exit_code=0):
    result = CliRunner().invoke(app, list(map(str, words)), env={"COLUMNS": "200"})
    assert result.exit_code == exit_code, result.output
    return result


def fit(*words):
    run("fit", *words, "--method", "mixed", "--bits", 8, "--output", "model")
    return hashlearn.load("model")


PARTS = ("--set", "label_hasher=itq-cca", "--set", "unlabelled=spread")


@pytest.mark.parametrize(
    "words", [("digits.csv", "--labels", "digit"), ("digits.npy", "--labels", "labels.npy")]
)
def test_minus_one_in_a_column_of_labels_is_an_unlabelled_item(folder, words):
    model = fit(*words, *PARTS, "--set", "share=0.5")
    assert model.n_label_bits_ == 4
    assert "of 100 taught label bits: as given" in model.decisions_[1]


def test_words_and_minus_one_are_labels_and_unlabelled_items(folder):
    names = np.array(list("abcdefghij"))
    rows = [
        f"{a:.3f},{b:.3f},{names[k] if k >= 0 else -1}"
        for (a, b), k in zip(X[:, 20:22], KNOWN, strict=True)
    ]
    (folder / "words.csv").write_text("\n".join(["left,right,name", *rows]))
    model = fit("words.csv", "--labels", "name", *PARTS, "--set", "share=1")
    assert "of 100 taught label bits" in model.decisions_[1]


def test_the_share_is_chosen_where_none_is_given(folder):
    model = fit("digits.csv", "--labels", "digit", *PARTS)
    assert model.share == "auto"
    assert model.share_results_ is not None


def test_a_wrong_share_is_told_in_one_sentence(folder):
    result = run(
        "fit",
        "digits.csv",
        "--labels",
        "digit",
        "--method",
        "mixed",
        "--set",
        "share=2",
        "--output",
        "model",
        exit_code=2,
    )
    assert "share must be" in result.stderr.splitlines()[-1]


def test_info_says_what_was_decided(folder):
    model = fit("digits.csv", "--labels", "digit", *PARTS)
    text = run("info", "model").stdout
    for decision in model.decisions_:
        assert " ".join(decision.split()) in " ".join(text.split())
    facts = json.loads(run("info", "model", "--json").stdout)
    assert (facts["method"], facts["bits"], facts["training_items"]) == ("mixed", 8, 200)
    assert facts["parameters"]["share"] == "auto"
    assert facts["summary"]["decisions"] == model.decisions_


def test_codes_of_the_command_line_are_the_models(folder):
    model = fit("digits.npy", "--labels", "labels.npy", *PARTS, "--set", "share=0.25")
    run("encode", "model", "digits.npy", "--output", "codes.npy")
    np.testing.assert_array_equal(np.load("codes.npy"), model.encode(X.astype(np.float32)))

"""Fitting learns what the library learns, from any kind of file, or says in a sentence why not."""

import numpy as np
import pytest

import hashlearn
from hashlearn import make_hasher
from hashlearn.base import METHODS
from hashlearn.cli.fit import _learning
from hashlearn.hash_functions import LinearSVMHash

LINEAR = ("--set", "hash_function=linear-svm", "--bits", "8")
SOURCES = [
    ("digits.csv", "digit"),
    ("digits.npz", "digit"),
    ("digits.npy", "digits-labels.npy"),
    ("digits.npz", "digits-labels.npy"),
    ("digits.csv", "digits-labels.npy"),
]


@pytest.fixture
def fit(run, tmp_path):
    """Fit, and return the model with what was said of it."""

    def fit_model(*words):
        result = run("fit", *words, "--output", tmp_path / "model")
        assert result.stdout == ""
        return hashlearn.load(tmp_path / "model"), result.stderr

    return fit_model


@pytest.fixture
def unread(monkeypatch):
    """Let no command read items."""
    monkeypatch.setattr(_learning, "sample_items", None)


@pytest.mark.filterwarnings("error::UserWarning")  # arrays without names are as good
@pytest.mark.parametrize(("input", "labels"), SOURCES)
def test_the_model_is_the_librarys(fit, place, input, labels):
    ignored = ("--ignore", "digit") if (input, labels) == SOURCES[-1] else ()
    model, said = fit(input, "--labels", labels, *ignored, *LINEAR)
    hasher = make_hasher("tsh", n_bits=8, hash_function="linear-svm", random_state=0)
    X = place.X.astype(np.float64) if input.endswith("csv") else place.X
    np.testing.assert_array_equal(model.encode(X), hasher.fit(X, place.y).encode(X))
    np.testing.assert_array_equal(model.encode(place.queries), hasher.encode(place.queries))
    assert "Learned from 200 of 200 items" in said


def test_a_sample_is_as_large_as_asked_and_says_so(fit):
    model, said = fit("digits.csv", "--labels", "digit", "--sample", 40, "--method", "lsh")
    assert model.summary().n_items == 40
    assert "Learned from 40 of 200 items" in said


def test_the_seed_decides_the_file_and_progress_does_not(run, tmp_path):
    files = {}
    for name, seed, shown in [("a", 1, "--no-progress"), ("b", 1, "--progress"), ("c", 2, None)]:
        words = ("digits.csv", "--labels", "digit", "--sample", 50, *LINEAR, "--seed", seed)
        run("fit", *words, "-o", tmp_path / name, *([shown] if shown else []))
        files[name] = (tmp_path / name).read_bytes()
    assert files["a"] == files["b"] != files["c"]


def test_names_of_features_are_kept_without_labels_and_ignored_columns(fit, place):
    left_out = place.names[3]
    model, _ = fit("digits.csv", "--labels", "digit", "--ignore", left_out, "--method", "lsh")
    assert list(model.feature_names_in_) == [name for name in place.names if name != left_out]


@pytest.mark.parametrize(("n_features", "method"), [(64, "itq"), (5, "klsh")])
@pytest.mark.filterwarnings("ignore:n_landmarks")
def test_without_labels_the_default_is_the_librarys_and_is_named(
    fit, place, tmp_path, n_features, method
):
    np.save(tmp_path / "items.npy", place.X[:, :n_features])
    model, said = fit(tmp_path / "items.npy")
    assert METHODS.name_of(model) == method
    assert f"No labels: learning with {method}; --method names another.\n" in said


def test_a_loss_and_parameters_go_by_name(fit):
    words = ("--set", "group=false", "--set", "n_jobs=1", "--sample", 60)
    model, _ = fit("digits.csv", "--labels", "digit", "--method", "tsh-ksh", *LINEAR, *words)
    assert (model.loss, model.group, model.n_jobs) == ("ksh", False, 1)


def test_several_columns_are_an_indicator(fit, tmp_path):
    table = tmp_path / "table.csv"
    rows = [f"{i % 7},{i % 5},{i % 2},{(i // 2) % 2}" for i in range(40)]
    table.write_text("\n".join(["x,y,cat,dog", *rows]))
    model, _ = fit(table, "--labels", "cat,dog", *LINEAR)
    assert list(model.feature_names_in_) == ["x", "y"]
    # One group per label set; the ten items without any label stay alone.
    assert model.summary().n_groups == 3 + 10


def test_a_column_may_have_a_comma_in_its_name(fit, tmp_path):
    (tmp_path / "table.csv").write_text('x,"cat, dog"\n' + "1,0\n9,1\n" * 9)
    model, _ = fit(tmp_path / "table.csv", "--labels", "cat, dog", *LINEAR)
    assert list(model.feature_names_in_) == ["x"]


def test_labels_may_be_text(fit, tmp_path):
    table = tmp_path / "table.csv"
    rows = [f"{i % 7},{'cat' if i % 7 > 3 else 'dog'}" for i in range(40)]
    table.write_text("\n".join(["x,pet", *rows]))
    model, _ = fit(table, "--labels", "pet", *LINEAR)
    assert model.summary().n_groups == 2


def test_a_stopped_fit_goes_on_to_the_same_model(fit, run, tmp_path, monkeypatch):
    words = ("digits.npy", "--labels", "digits-labels.npy", *LINEAR)
    model, _ = fit(*words)
    kept = tmp_path / "kept"

    def stop(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(LinearSVMHash, "_fit_machines", stop)
        with pytest.raises(AssertionError):
            fit(*words, "--checkpoint", kept)
    assert list(kept.glob("*.steps"))
    resumed, _ = fit(*words, "--checkpoint", kept)
    np.testing.assert_array_equal(resumed.hash_function_.coef_, model.hash_function_.coef_)
    assert not kept.exists()


def test_progress_goes_to_standard_error(fit):
    _, said = fit("digits.csv", "--labels", "digit", *LINEAR, "--progress")
    assert "200 of about 200" in said
    assert "Step 2" in said


def test_a_warning_is_one_line(fit, tmp_path):
    np.save(tmp_path / "y.npy", np.arange(200) % 2)
    _, said = fit(
        "digits.npy", "--labels", tmp_path / "y.npy", *LINEAR, "--method", "tsh-laplacian"
    )
    (warning, _) = said.splitlines()
    assert warning.startswith("hashlearn: warning: ")
    assert "7 of 8 bits carry no similarity" in warning


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--method", "best"), "method must be one of 'agh'"),
        (("--method", "sdh"), "--method sdh learns from labels alone: name them with"),
        (("--method", "tsh-best"), "loss must be one of 'bre'"),
        (
            ("--method", "tsh", "--labels", "digit", "--set", "speed=3"),
            "speed=... is not known; the parameters of 'tsh' are correct, group",
        ),
        (("--method", "tsh-ksh", "--set", "loss=bre"), "--set loss=... is not known"),
        (("--method", "tsh", "--set", "n_bits=3"), "--set n_bits=... is not known"),
        (("--method", "tsh", "--set", "loss"), "--set must be KEY=VALUE; got loss"),
        (
            ("--method", "tsh", "--labels", "digit", "--set", "hash_function=svm"),
            "hash_function must be one of 'auto'",
        ),
        (
            ("--method", "tsh", "--labels", "digit", "--set", "inference=luck"),
            "inference='luck' is not known",
        ),
        (("--bits", 0), "--bits"),
        (("--sample", 1), "--sample"),
        (("--method", "lsh", "--output", "no/model"), "No such file or directory: "),
        (("--method", "lsh", "--checkpoint", "kept"), "--checkpoint does not go with LSHHasher("),
        (
            ("--method", "fasthash", "--checkpoint", "kept"),
            "does not go with FastHash",
        ),
        (("--method", "tsh", "--checkpoint", "no/such/folder"), "No such file or directory: "),
    ],
)
def test_wrong_words_are_told_before_reading(fail, unread, words, sentence):
    assert sentence in fail("fit", "digits.csv", "--output", "model", *words)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("missing.csv",), "No such file or directory: 'missing.csv'"),
        (("named.hashlearn",), "'named.hashlearn' ends in '.hashlearn'"),
        (("digits.csv", "--labels", "cat"), "--labels cat is not a file, and 'digits.csv' has no"),
        (("digits.npy", "--labels", "cat"), "--labels cat is not a file, and 'digits.npy' is one"),
        (("digits.npy", "--labels", "queries-labels.npy"), "has 60 values for 200 items"),
        (("digits.csv", "--labels", "queries-labels.npy"), "has 60 values for 200 items"),
        (("digits.csv", "--ignore", "cat"), "has no column 'cat'"),
        (("digits.npz", "--array", "Y"), "has no array 'Y'"),
        (("digits.csv", "--labels", "digit", "--set", "speed=3"), "speed=... is not known"),
    ],
)
def test_a_wrong_input_is_told_in_one_sentence(fail, words, sentence):
    assert sentence in fail("fit", "--output", "model", *words)


@pytest.mark.parametrize(
    ("cell", "sentence"),
    [
        ("nan,1", "has nan in column 'x' of row 1 (from 0)"),
    ],
)
def test_a_missing_value_is_told(fail, tmp_path, cell, sentence):
    path = tmp_path / "table.csv"
    path.write_text(f"x,digit\n1,0\n{cell}\n3,1\n")
    assert sentence in fail("fit", path, "--labels", "digit", "--output", tmp_path / "model")
    assert not (tmp_path / "model").exists()


@pytest.fixture
def partly(place, tmp_path):
    """Return a way to write digits of which every other has a label."""

    def write(missing, name="partly.csv"):
        labels = [missing if i % 2 else str(y) for i, y in enumerate(place.y)]
        rows = [",".join([*map(str, x), y]) for x, y in zip(place.X, labels, strict=True)]
        path = tmp_path / name
        path.write_text("\n".join([",".join([*place.names, "digit"]), *rows]))
        return path

    return write


@pytest.mark.parametrize("missing", ["", "-1"])
def test_a_missing_label_means_not_labelled(fit, partly, missing):
    model, said = fit(partly(missing), "--labels", "digit", "--bits", "8")
    assert METHODS.name_of(model) == "mixed"
    assert "100 of 200 items have no label; mixed learns from all." in said


def test_another_value_may_mean_not_labelled(fit, partly):
    words = (partly("?"), "--labels", "digit", *LINEAR, "--method", "tsh")
    model, said = fit(*words, "--unlabelled", "?")
    assert "100 of 200 items have no label and are left out; --method mixed learns" in said
    assert "Learned from 100 of 200 items" in said
    assert model.summary().n_items == 100


def test_minus_1_beside_1_is_a_class_for_every_method(fit, place, tmp_path):
    path = tmp_path / "signs.npy"
    np.save(path, np.where(place.y % 2, 1, -1))
    model, said = fit("digits.npy", "--labels", path, "--method", "mixed", "--bits", "8")
    assert "have no label" not in said
    assert model.n_features_in_ == place.X.shape[1]


def test_no_label_at_all_is_told(fail, tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,\n2,\n4,\n")
    words = ("fit", tmp_path / "x.csv", "--labels", "b", "--output", tmp_path / "model")
    assert "no item has a label; leave out --labels" in fail(*words)


def test_labels_of_no_use_are_told(fit):
    model, said = fit("digits.csv", "--labels", "digit", "--method", "itq", "--bits", "8")
    assert "--method itq does not learn from labels: --labels digit is not used." in said
    assert "digit" not in model.feature_names_in_


def test_features_are_chosen_by_name_range_or_list(fit, place, tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = {
        "id": [f"item-{i}" for i in range(len(place.X))],
        "text": ["words"] * len(place.X),
        "digit": place.y,
        "embedding": list(place.X),
    }
    pq.write_table(pa.table(columns), tmp_path / "x.parquet")
    itq = ("--method", "itq", "--bits", "8")
    expected = make_hasher("itq", n_bits=8, random_state=0).fit(place.X).encode(place.X)
    for words in (("--features", "embedding"), ("--ignore", "id,text,digit")):
        model, _ = fit(tmp_path / "x.parquet", *words, *itq)
        np.testing.assert_array_equal(model.encode(place.X), expected)
    first, last = place.names[3], place.names[9]
    model, _ = fit("digits.csv", "--features", f"{first}:{last}", *itq[:-1], "4")
    assert model.feature_names_in_.tolist() == list(place.names[3:10])

"""Bad input of every kind ends in one sentence that says what is wrong, and nothing is written."""

import numpy as np
import pytest

from hashlearn import HammingIndex

OUT = ("-o", "out.hashlearn")
MODEL = ("-m", "plain.hashlearn")


@pytest.fixture(scope="module")
def bad(place, tmp_path_factory):
    """Files that are wrong in one way each, beside the good ones."""
    folder = place.folder
    (folder / "empty.csv").write_text("")
    (folder / "header.csv").write_text("a,b\n")
    (folder / "ragged.csv").write_text("a,b\n1,2\n3\n4,5\n")
    (folder / "latin.csv").write_bytes("größe,b\n1,2\n3,4\n".encode("latin-1"))
    (folder / "twice.csv").write_text("a,a\n1,2\n3,4\n")
    (folder / "words.csv").write_text("a,b\n1,cat\n2,dog\n")
    (folder / "text.txt").write_text("not a model")
    (folder / "text.npz").write_text("not an archive")
    (folder / "folder.npy").mkdir()
    np.save(folder / "objects.npy", np.array([{}, {}], dtype=object), allow_pickle=True)
    np.save(folder / "cube.npy", np.zeros((3, 4, 5)))
    np.save(folder / "complex.npy", np.zeros((3, 4), dtype=complex))
    np.save(folder / "numbers.npy", np.arange(200))
    np.save(folder / "floats.npy", np.arange(200) + 0.5)
    np.save(folder / "same.npy", np.zeros(200, dtype=int))
    np.save(folder / "few.npy", np.arange(7))
    np.save(folder / "mask.npy", np.ones(7, dtype=bool))
    np.save(folder / "infinite.npy", np.where(np.eye(64)[:3], np.inf, 0))
    np.save(folder / "one.npy", np.zeros((1, 64)))
    whole = (folder / "digits.npy").read_bytes()
    (folder / "cut.npy").write_bytes(whole[: len(whole) // 2])
    (folder / "cut.parquet").write_bytes(b"PAR1 and nothing more")
    made = HammingIndex(24)
    made.add(np.load(folder / "codes.npy"))
    made.save(folder / "some.index")
    whole = (folder / "some.index").read_bytes()
    (folder / "cut.index").write_bytes(whole[:200])
    model = (folder / "plain.hashlearn").read_bytes()
    (folder / "cut.hashlearn").write_bytes(model[: len(model) // 2])
    return folder


CASES = [
    # fit
    (("fit", "nowhere.csv", *OUT), "nowhere.csv"),
    (("fit", "folder.npy", *OUT), "folder.npy"),
    (("fit", "text.txt", *OUT), "must end in one of"),
    (("fit", "empty.csv", *OUT), "'empty.csv'"),
    (("fit", "header.csv", *OUT), "at least 2 items"),
    (("fit", "one.npy", *OUT), "at least 2 items"),
    (("fit", "ragged.csv", *OUT), "'ragged.csv'"),
    (("fit", "latin.csv", *OUT), "UTF-8"),
    (("fit", "twice.csv", *OUT), "several columns of the same name"),
    (("fit", "words.csv", *OUT), "--ignore b"),
    (("fit", "words.csv", "--ignore", "c", *OUT), "has no column 'c'"),
    (("fit", "objects.npy", *OUT), "'objects.npy'"),
    (("fit", "cube.npy", *OUT), "(3, 4, 5)"),
    (("fit", "complex.npy", *OUT), "complex"),
    (("fit", "cut.npy", *OUT), "'cut.npy'"),
    (("fit", "cut.parquet", *OUT), "'cut.parquet'"),
    (("fit", "text.npz", *OUT), "'text.npz'"),
    (("fit", "infinite.npy", *OUT), "row 0"),
    (("fit", "digits.npz", "--array", "Y", *OUT), "Y"),
    (("fit", "digits.npy", "--features", "a", *OUT), "no names"),
    (("fit", "digits.csv", "--features", "pixel_9:pixel_1", *OUT), "pixel"),
    (("fit", "digits.csv", "--delimiter", "ab", *OUT), "delimiter"),
    (("fit", "digits.npy", "--bits", "0", *OUT), "--bits"),
    (("fit", "digits.npy", "--bits", "5000", *OUT), "--bits"),
    (("fit", "digits.npy", "--bits", "many", *OUT), "--bits"),
    (("fit", "digits.npy", "--seed", "-1", *OUT), "--seed"),
    (("fit", "digits.npy", "--sample", "1", *OUT), "--sample"),
    (("fit", "digits.npy", "--set", "loss", *OUT), "--set must be KEY=VALUE"),
    (("fit", "digits.npy", "--method", "tsh", "--set", "loss=best", *OUT), "loss must be one of"),
    (("fit", "digits.npy", "--labels", "few.npy", *OUT), "7 values for 200 items"),
    (("fit", "digits.npy", "--labels", "cube.npy", *OUT), "cube.npy"),
    (("fit", "digits.npy", "--labels", "same.npy", *OUT), "class"),
    (("fit", "digits.npy", "-o", "nowhere/out.hashlearn"), "nowhere"),
    (("fit", "digits.npy", "-o", "folder.npy"), "folder.npy"),
    # encode
    (("encode", "text.txt", "digits.npy", "-o", "out.npy"), "text.txt"),
    (("encode", "cut.hashlearn", "digits.npy", "-o", "out.npy"), "cut.hashlearn"),
    (("encode", "some.index", "digits.npy", "-o", "out.npy"), "index"),
    (("encode", "plain.hashlearn", "one.npy", "-o", "out.txt"), ".npy or .parquet"),
    (("encode", "plain.hashlearn", "codes.npy", "-o", "out.npy"), "64"),
    (
        ("encode", "plain.hashlearn", "digits.npy", "--ids", "numbers.npy", "-o", "out.npy"),
        "--ids needs a .parquet",
    ),
    # index
    (("index", "-o", "out.index"), "Give an INPUT"),
    (("index", "digits.npy", "-o", "out.index"), "give --model"),
    (("index", "digits.csv", "-o", "out.index"), "give --model"),
    (("index", "codes.npy", "--bits", "30", "-o", "out.index"), "30"),
    (("index", "codes.npy", "--ids", "same.npy", "-o", "out.index"), "0 twice"),
    (("index", "codes.npy", "--ids", "floats.npy", "-o", "out.index"), "0.5"),
    (("index", "codes.npy", "--ids", "few.npy", "-o", "out.index"), "7"),
    (("index", "codes.npy", "--append", "-o", "out.index"), "out.index"),
    (("index", "codes.npy", "--append", "-o", "plain.hashlearn"), "model"),
    (("index", "codes.npy", "--remove", "1", "-o", "some.index"), "--append"),
    (("index", "digits.npy", *MODEL, "--append", "-o", "some.index"), "20 bits"),
    # search
    (("search", "plain.hashlearn", "digits.npy", *MODEL), "model"),
    (("search", "cut.index", "digits.npy", *MODEL), "cut.index"),
    (("search", "some.index", "digits.npy", *MODEL), "20 bits"),
    (("search", "some.index", "codes.npy", "-k", "0"), "-k"),
    (("search", "some.index", "codes.npy", "-k", "3", "--radius", "2"), "exclude each other"),
    (("search", "some.index", "codes.npy", "--radius", "-1"), "--radius"),
    (("search", "some.index", "codes.npy", "--among", "mask.npy"), "7"),
    (("search", "some.index", "codes.npy", "--among", "floats.npy"), "0.5"),
    (("search", "some.index", "codes.npy", "--oversample", "2"), "--rescore"),
    (("search", "some.index", "codes.npy", "--rescore", "margins"), "--model"),
    (("search", "some.index", "codes.npy", "--show", "digit"), "--items"),
    (("search", "some.index", "codes.npy", "--where", "digit=3"), "--items"),
    # evaluate, explore, info
    (("evaluate", "plain.hashlearn", "digits.npy", "digits.npy"), "needs labels"),
    (("evaluate", "named.hashlearn", "queries.csv", "digits.csv", "--ties", "best"), "--ties"),
    (("explore", "--labels", "digit"), "nothing to show"),
    (("explore", "--items", "digits.npy"), "--model"),
    (("info", "nowhere.index"), "nowhere.index"),
    (("info", "text.txt"), "must end in one of"),
    # stores
    (("store", "push", "codes.npy", "--to", "oracle:x"), "must begin with"),
    (("store", "push", "codes.npy", "--to", "sqlite:new.db", "--table", "a b"), "table"),
    (("store", "push", "codes.npy", "--to", "sqlite:new.db", "--columns", "a,a"), "once"),
    (("store", "search", "sqlite:nowhere.db", "codes.npy"), "does not exist"),
    (("store", "info", "sqlite:nowhere.db"), "does not exist"),
    (("store", "remove", "sqlite:nowhere.db"), "--ids or --where"),
    (("store", "drop", "sqlite:nowhere.db"), "does not exist"),
    (("serach", "some.index", "codes.npy"), "Did you mean"),
]


@pytest.mark.parametrize(("words", "part"), CASES, ids=[" ".join(words) for words, _ in CASES])
def test_bad_input_is_told_in_one_sentence(fail, bad, words, part):
    sentence = fail(*words)
    assert part in sentence
    assert sentence.endswith(".\n"), sentence
    assert "Errno" not in sentence
    assert "Traceback" not in sentence

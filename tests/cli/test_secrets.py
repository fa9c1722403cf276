"""No command prints a password, whatever it is taken for, also not with --debug."""

import signal
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.main import get_command
from typer.testing import CliRunner

from hashlearn.cli.app import app, main, password_in, without_passwords

ADDRESS = "postgresql://ann:s3cret w@rd@nowhere.invalid:5432/db"
ADDRESSES = [
    ADDRESS,
    "postgresql://ann:s3cret",
    "postgresql://ann:s3cret@",
    "postgersql://ann:s3cret@host.invalid/db?application_name=a@b",
    "postgres:ann:s3cret@h",
    "ann:/s3cret@host.invalid/db",
    "postgresql://ann:a,s3cret:b@host.invalid/db",
    "postgresql://ann:new\nline 's3cret'@host.invalid/db",
    "postgresql://ann:a//s3cret/./b@host.invalid/db",
    "postgresql://host.invalid/db?password=s3cret&sslmode=require",
    "host=h password='a s3cret'",
    "host=h password = 'it\\'s s3cret' user=ann",
    "host=h password=a\\ s3cret",
    "host=h password=a&s3cret",
    "postgresql://ann:p@s3cret",
    "postgresql://ann:5/s3cret@host.invalid/db",
    "lancedb:postgresql://ann:s3cret@host.invalid/db",
    "sqlite:postgresql://ann:s3cret@host.invalid/db",
]
TRACED = [*ADDRESSES[:2], ADDRESSES[7]]  # one with a host, one without, one of several lines
PLACES = {
    "to": ["store", "push", "codes.npy", "--to", "{}"],
    "too many": ["store", "push", "codes.npy", "{}", "--to", "sqlite:a"],
    "store command": ["store", "{}"],
    "command": ["{}"],
    "queries": ["store", "search", "codes.npy", "{}"],
    "k": ["store", "search", "sqlite:a", "codes.npy", "-k", "{}"],
    "option": ["store", "search", "sqlite:a", "codes.npy", "--table{}"],
    "table": ["store", "search", "sqlite:a", "codes.npy", "--table", "{}"],
    "model": ["store", "search", "sqlite:a", "codes.npy", "--model", "{}"],
    "columns": ["store", "push", "digits.csv", "--to", "sqlite:a", "--columns", "{}"],
    "ids": ["store", "push", "codes.npy", "--to", "sqlite:a", "--ids", "{}"],
    "store info": ["store", "info", "{}"],
    "index": ["explore", "--no-open", "--port", "0", "--index", "{}"],
    "labels": ["explore", "--no-open", "--port", "0", "--index", "a.index", "--labels", "{}"],
    "info": ["info", "{}"],
    "search": ["search", "{}", "codes.npy"],
}
COMMAND = get_command(app)  # typer would build it again for every run, which takes most of the time


@pytest.fixture
def printed(place, monkeypatch, capsys):
    """Run the program in the folder; it must fail, and what it printed is returned."""
    monkeypatch.chdir(place.folder)
    monkeypatch.setattr(signal, "signal", lambda *_: None)  # the tests' own signals stay
    monkeypatch.setattr("hashlearn.cli.app.app", COMMAND)
    monkeypatch.setenv("PGCONNECT_TIMEOUT", "2")

    def run_program(*words):
        monkeypatch.setattr(sys, "argv", ["hashlearn", *words])
        with pytest.raises(SystemExit) as stopped:
            main()
        assert stopped.value.code in (1, 2)
        out, err = capsys.readouterr()
        if stopped.value.code == 1:
            assert "--debug" in words
            assert "Traceback" in err
        else:
            assert err.startswith("hashlearn: ")
            assert err.count("\n") == 1
        return out + err

    return run_program


@pytest.mark.parametrize("place_of_it", PLACES)
def test_a_password_is_never_printed(printed, place_of_it):
    for address in ADDRESSES:
        said = printed(*(word.format(address) for word in PLACES[place_of_it]))
        assert "s3cret" not in said, address


@pytest.mark.parametrize("place_of_it", PLACES)
def test_a_traceback_has_no_password(printed, place_of_it):
    for address in TRACED:
        said = printed("--debug", *(word.format(address) for word in PLACES[place_of_it]))
        assert "s3cret" not in said, address


@pytest.mark.parametrize("debug", [[], ["--debug"]], ids=["sentence", "traceback"])
def test_a_password_of_the_environment_is_never_printed(printed, monkeypatch, debug):
    for address in ADDRESSES:
        monkeypatch.setenv("HASHLEARN_STORE", address)
        for words in (["info"], ["search", address]):
            assert "s3cret" not in printed(*debug, "store", *words), address


def test_a_traceback_shows_an_address_without_its_password(printed):
    words = ("--debug", "store", "info", "sqlite:a.db", "--table", ADDRESS)
    assert "postgresql://ann:…" in printed(*words)


def test_a_password_in_a_condition_is_never_printed(printed, tmp_path):
    from hashlearn.stores import open_store

    pytest.importorskip("sqlite_vec")
    with open_store(f"sqlite:{tmp_path / 'a'}") as store:
        store.create(20, {"n": int})
    for condition in (word for address in TRACED for word in (address, f"n={address}")):
        words = ("search", f"sqlite:{tmp_path / 'a'}", "codes.npy", "--where", condition)
        for debug in ([], ["--debug"]):
            assert "s3cret" not in printed(*debug, "store", *words), condition


@pytest.mark.parametrize(
    "word",
    [
        "lancedb:/data/me@home/codes",
        "sqlite:a:b@c",
        "tcp://host:8786",
        "postgresql://ann@items.example/items",
        "postgresql://a:5432,b:5433/items",
        "--where=at=12:30",
        "--to=lancedb:/data/me@home/codes",
    ],
)
def test_words_without_a_password_stay_as_they_are(word):
    assert password_in(word) is None
    assert without_passwords(word, [word]) == word


@given(password=st.text("abcXY09:/,=' %.@", min_size=4), start=st.integers(0), n=st.integers(4))
def test_no_four_characters_of_a_password_are_printed(password, start, n):
    word = f"postgresql://user:{password}@host.invalid/db"
    quoted = password[start % len(password) :][:n]
    printed = without_passwords(f"{quoted!r}, {quoted}, {word!r}", [word])
    assert not any(password[i : i + 4] in printed for i in range(len(password) - 3))


@pytest.mark.parametrize("password", ["a", "no", "one"])
def test_a_short_password_is_hidden_where_the_address_is_quoted(password):
    word = f"--to=postgresql://user:{password}@host.invalid/db"
    assert without_passwords(word, [word]) == "--to=postgresql://user:…host.invalid/db"


def test_the_host_stays_readable():
    word = "postgresql://ann:s3cret@nowhere.invalid:5432/db"
    said = "no answer from postgresql://ann@nowhere.invalid:5432/db"
    assert without_passwords(said, [word]) == said


def test_a_text_like_an_address_is_searched_for(printed, run, tmp_path):
    from hashlearn.stores import open_store

    pytest.importorskip("sqlite_vec")
    with open_store(f"sqlite:{tmp_path / 'a'}") as store:
        store.create(24, {"mail": str}).add(
            np.zeros((1, 3), np.uint8), [7], {"mail": ["mailto:ann@host"]}
        )
    words = ("sqlite:" + str(tmp_path / "a"), "codes.npy", "--where", "mail=mailto:ann@host")
    assert '"ids": [7]' in run("store", "search", *words, "-k", 1, "--json").stdout


def test_help_does_not_show_the_address_of_the_environment(monkeypatch):
    monkeypatch.setenv("HASHLEARN_STORE", ADDRESS)
    for command in ("push", "search", "info", "index"):
        text = CliRunner().invoke(app, ["store", command, "--help"]).stdout
        assert "HASHLEARN_STORE" in text
        assert "s3cret" not in text

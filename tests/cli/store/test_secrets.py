"""No command prints a password, whatever it is taken for, also not with --debug."""

import signal
import sys

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from hashlearn.cli.app import app, main
from hashlearn.cli.store.secrets import without_passwords

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
COMMAND = get_command(app)  # typer would build it anew for every run, which takes most of the time


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
    assert "postgresql://ann:…@nowhere.invalid:5432/db" in printed(*words)


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
    ("text", "given"),
    [
        ("table items in /data/me@home/codes is not there", "lancedb:/data/me@home/codes"),
        ("a word is a word", "postgresql://ann:a@host"),
        ("no scheduler at tcp://host:8786.", "tcp://host:8786"),
        ("items of postgresql://ann@items.example/items", "postgresql://ann:@items.example/items"),
        ("an itemised list", "postgresql://ann:item@host"),
        ("at 12:30", "--where=at=12:30"),
    ],
)
def test_other_words_stay_as_they_are(text, given):
    assert without_passwords(text, [given]) == text


def test_a_short_password_is_hidden_where_it_stands():
    given = "postgresql://ann:a1@host"
    assert without_passwords(f"a1: no {given!r}, no 'ann:a1'", [given]) == (
        "a1: no 'postgresql://ann:…@host', no 'ann:…'"
    )


def test_help_does_not_show_the_address_of_the_environment(monkeypatch):
    monkeypatch.setenv("HASHLEARN_STORE", ADDRESS)
    for command in ("push", "search", "info", "index"):
        text = CliRunner().invoke(app, ["store", command, "--help"]).stdout
        assert "HASHLEARN_STORE" in text
        assert "s3cret" not in text

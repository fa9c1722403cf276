"""Items from standard input."""

import gc
import io
from pathlib import Path

import numpy as np
import pytest

from hashlearn.items import open_items
from tests.items.item_files import KINDS, read, write

X = np.arange(12, dtype=np.float64).reshape(6, 2)


@pytest.fixture
def standard_input(monkeypatch):
    def give(content):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))

    return give


@pytest.mark.parametrize("path", ["-", Path("-")])
@pytest.mark.parametrize("kind", KINDS)
def test_standard_input_is_any_kind_of_file(path, kind, standard_input, tmp_path):
    standard_input(write(tmp_path / f"X{kind}", X).read_bytes())
    np.testing.assert_array_equal(read(open_items(path)).features, X)


def test_the_copy_of_standard_input_goes_with_its_reader(standard_input):
    standard_input(b"a,b\n1,2\n")
    source = open_items("-")
    folder = Path(source.path).parent
    assert folder.is_dir()
    del source
    gc.collect()
    assert not folder.exists()


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY", b"PK\x03\x04", b"PAR1", b"\xff\xfe"])
def test_wrong_standard_input_is_told_by_its_name(content, standard_input):
    standard_input(content)
    with pytest.raises(ValueError, match=r"^(.\w+. of )?standard input "):
        open_items("-")


def test_options_go_with_standard_input(standard_input):
    standard_input(b"a,b;c\n1;2\n")
    assert open_items("-", delimiter=";").columns == ("a,b", "c")
    standard_input(b"a,b;c\n1;2\n")
    with pytest.raises(ValueError, match=r"standard input is a table; array='x' is for \.npz"):
        open_items("-", array="x")


def test_a_terminal_is_not_waited_for(standard_input, monkeypatch):
    standard_input(b"")
    monkeypatch.setattr("sys.stdin.buffer.isatty", lambda: True, raising=False)
    with pytest.raises(ValueError, match="standard input is a terminal"):
        open_items("-")

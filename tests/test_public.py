"""The public names are there, and help is there at once."""

import subprocess
import sys

import pytest

import hashlearn
from hashlearn import _public


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_every_public_name_is_exported():
    assert set(hashlearn.__all__) == {*_public.__all__, "__version__"}
    for name in hashlearn.__all__:
        assert name in dir(hashlearn)
        assert getattr(hashlearn, name) is not None


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="no attribute 'HamingIndex'"):
        _ = hashlearn.HamingIndex


def test_rooms_are_there_without_an_import_of_their_own():
    code = "import hashlearn; print(hashlearn.metrics.evaluate, hashlearn.losses.register)"
    assert "function evaluate" in run(code)


def test_a_file_can_be_loaded_by_a_program_that_imports_nothing_else(tmp_path):
    path = tmp_path / "model"
    hashlearn.make_hasher("lsh", n_bits=2).fit([[1.0], [-2.0]]).save(path)
    assert "LSHHasher" in run(f"import hashlearn; print(hashlearn.load({str(path)!r}))")


def test_help_imports_nothing_heavy():
    code = (
        "import sys\n"
        "from typer.testing import CliRunner\n"
        "from hashlearn.cli.app import app\n"
        "for words in (['--help'], ['--version'], ['fit', '--help']):\n"
        "    assert CliRunner().invoke(app, words).exit_code == 0\n"
        "print([name for name in ('numba', 'sklearn', 'scipy', 'numpy') if name in sys.modules])"
    )
    assert run(code) == "[]"

"""Where files that can be made again are kept."""

from pathlib import Path

import pytest

from hashlearn.files import cache_folder


@pytest.mark.parametrize(
    ("variable", "expected"), [("HASHLEARN_CACHE", "x"), ("XDG_CACHE_HOME", "x/hashlearn")]
)
def test_the_cache_folder_can_be_chosen(monkeypatch, variable, expected):
    monkeypatch.delenv("HASHLEARN_CACHE", raising=False)
    monkeypatch.setenv(variable, "x")
    assert cache_folder() == Path(expected)

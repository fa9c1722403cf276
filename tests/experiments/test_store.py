"""Laws of the store: a record is there whole, or it is computed again."""

import json
import os
import time

import pytest

from hashlearn.experiments.cells import CellStore

RECORD = {"key": "ab", "testing": {"pr_area": 0.25}, "selection": None}


def test_what_was_put_is_got(tmp_path):
    CellStore(tmp_path / "cells").put("ab", RECORD)
    assert CellStore(tmp_path / "cells").get("ab") == RECORD


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b'{"key": "ab"', b"[]", b"null", b'{"key": "cd"}', b"\xff\xfe", b"{}"],
)
def test_a_damaged_or_foreign_file_is_no_record(tmp_path, content):
    store = CellStore(tmp_path)
    (tmp_path / "ab.json").write_bytes(content)
    assert store.get("ab") is None
    store.put("ab", RECORD)
    assert store.get("ab") == RECORD


def test_not_a_number_is_refused_and_leaves_nothing(tmp_path):
    with pytest.raises(ValueError, match="not JSON compliant"):
        CellStore(tmp_path).put("ab", {"key": "ab", "testing": float("nan")})
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_run_left_is_removed_when_it_is_old(tmp_path):
    old, new = tmp_path / ".hashlearn-1.tmp", tmp_path / ".hashlearn-2.tmp"
    for path in (old, new):
        path.write_text(json.dumps(RECORD))
    os.utime(old, (time.time() - 7200,) * 2)
    CellStore(tmp_path)
    assert not old.exists()
    assert new.exists()

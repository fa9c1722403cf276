"""Laws of a folder of records: what is stored is whole, or computed again."""

import pytest

from hashlearn.files import RecordStore

RECORD = {"key": "ab", "testing": {"pr_area": 0.25}, "selection": None}


def test_what_was_put_is_got(tmp_path):
    RecordStore(tmp_path / "records").put("ab", RECORD)
    assert RecordStore(tmp_path / "records").get("ab") == RECORD


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b'{"key": "ab"', b"[]", b"null", b'{"key": "cd"}', b"\xff\xfe", b"{}"],
)
def test_a_damaged_or_foreign_file_is_no_record(tmp_path, content):
    store = RecordStore(tmp_path)
    (tmp_path / "ab.json").write_bytes(content)
    assert store.get("ab") is None
    store.put("ab", RECORD)
    assert store.get("ab") == RECORD


def test_not_a_number_is_refused_and_leaves_nothing(tmp_path):
    with pytest.raises(ValueError, match="not JSON compliant"):
        RecordStore(tmp_path).put("ab", {"key": "ab", "testing": float("nan")})
    assert list(tmp_path.iterdir()) == []

"""Index files: what an index holds comes back, and what no index holds is refused."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hashlearn.files import IndexFileError, ModelFileError, load_model, save_index
from hashlearn.search._file import IndexContent, read_index, write_index
from tests.search.file_parts import random_content

many_files = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cats.index"


@given(
    n=st.integers(0, 50),
    n_bits=st.sampled_from([1, 7, 8, 63, 64, 65, 100, 4096]),
    layout=st.sampled_from(["plain", "bucketed"]),
    own_ids=st.booleans(),
    neutral=st.booleans(),
    mmap=st.booleans(),
    verify=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
@many_files
def test_saved_index_loads_equal(path, n, n_bits, layout, own_ids, neutral, mmap, verify, seed):
    content = random_content(n, n_bits, layout, own_ids=own_ids, neutral=neutral, seed=seed)
    write_index(path, content)
    loaded = read_index(path, mmap=mmap, verify=verify)
    for name in ("n_bits", "next_id", "layout"):
        assert getattr(loaded, name) == getattr(content, name)
    assert (loaded.ids is None) == (content.ids is None)
    assert (loaded.positions is None) == (not neutral)
    assert loaded.arranged.keys() == content.arranged.keys()
    for stored, wanted in zip(arrays_of(loaded), arrays_of(content), strict=True):
        assert isinstance(stored, np.memmap) or not mmap or not stored.size
        np.testing.assert_array_equal(stored, wanted, strict=True)


def arrays_of(content):
    own = [array for array in (content.positions, content.ids) if array is not None]
    return [content.words, *own, *(array for _, array in sorted(content.arranged.items()))]


def test_same_index_gives_the_same_file(tmp_path):
    for name in "ab":
        write_index(tmp_path / name, random_content(20, 40, "bucketed", own_ids=True, seed=0))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def write_fields(path, content, **changes):
    """Write a file as `write_index` does, with other scalars or arrays; None leaves one out."""
    given = {**vars(content), **content.arranged, **changes}
    fields = {name: value for name, value in given.items() if value is not None}
    del fields["arranged"]
    arrays = {name: value for name, value in fields.items() if isinstance(value, np.ndarray)}
    document = {name: value for name, value in fields.items() if name not in arrays}
    save_index(path, document, arrays)


uint64, int64, uint32, uint8 = np.uint64, np.int64, np.uint32, np.uint8
# The ids "a" to "f".
TEXT_IDS = {"ids": None, "id_bytes": np.arange(97, 103, dtype=uint8), "id_offsets": np.arange(7)}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_bits": 0}, "n_bits=0 is not in 1 to 4096"),
        ({"n_bits": 4097}, "n_bits=4097 is not in 1 to 4096"),
        ({"n_bits": 12.0}, r"n_bits=12\.0 is not in"),
        ({"n_bits": True}, "n_bits=True is not in"),
        ({"n_bits": 65}, r"'words' has shape \(1, 6\) instead of \(2, 6\)"),
        ({"n_bits": None}, "document does not describe an index"),
        ({"extra": 1}, "document does not describe an index"),
        ({"next_id": "7"}, "next_id='7' is not an id"),
        ({"next_id": 2**63 + 1}, "next_id=9223372036854775809 is not an id"),
        ({"next_id": 5, "ids": None}, "next_id=5 is taken: it has 6 codes"),
        ({"model": 7}, "model 7 is not a fingerprint"),
        ({"terms": 7, "levels": np.zeros(3, uint8)}, "terms 7 is not a digest"),
        ({"terms": "5f0c"}, "levels and the terms that they are of do not come together"),
        ({"levels": np.zeros(3, uint8)}, "levels and the terms that they are of do not come"),
        ({"terms": "5f0c", "levels": np.zeros(6, uint8)}, r"'levels' has shape \(6,\) instead"),
        ({"terms": "5f0c", "levels": np.zeros(3)}, "'levels' has dtype float64"),
        ({"layout": "tree"}, "layout 'tree' is not known"),
        ({"layout": ["plain"]}, r"layout \['plain'\] is not known"),
        ({"layout": "plain"}, "not those of the plain layout"),
        ({"members": None}, "not those of the bucketed layout"),
        ({"words": None}, "not those of the bucketed layout"),
        ({"junk": np.zeros(1)}, "not those of the bucketed layout"),
        ({"words": np.zeros((1, 6), int64)}, "'words' has dtype int64"),
        ({"words": np.zeros(6, uint64)}, r"'words' has shape \(6,\) instead of \(1, 6\)"),
        ({"words": np.zeros((), uint64)}, r"'words' has shape \(\) instead of \(1, 0\)"),
        ({"words": np.zeros((1, 5), uint64)}, r"'ids' has shape \(6,\) instead of \(5,\)"),
        ({"ids": np.zeros(6, uint64)}, "'ids' has dtype uint64"),
        ({"positions": np.zeros(6, int64)}, "'positions' has dtype int64"),
        ({"id_bytes": np.zeros(6, uint8)}, "not those of the bucketed layout"),
        ({"ids": None, "id_bytes": np.zeros(6, uint8)}, "not those of the bucketed layout"),
        ({"ids": None, "id_offsets": np.arange(7)}, "not those of the bucketed layout"),
        ({**TEXT_IDS, "id_offsets": np.arange(6)}, r"'id_offsets' has shape \(6,\) instead of"),
        ({**TEXT_IDS, "id_offsets": np.arange(7.0)}, "'id_offsets' has dtype float64"),
        ({**TEXT_IDS, "id_bytes": np.zeros(6, int64)}, "'id_bytes' has dtype int64"),
        ({**TEXT_IDS, "id_bytes": np.zeros((1, 6), uint8)}, r"'id_bytes' has shape \(1, 6\)"),
        ({**TEXT_IDS, "id_bytes": np.zeros(5, uint8)}, "ids reach from byte 0 to 6 of 5"),
        ({**TEXT_IDS, "id_offsets": np.arange(7) + 1}, "ids reach from byte 1 to 7 of 6"),
        ({"positions": np.zeros(7, uint32)}, r"'positions' has shape \(7,\) instead of \(6,\)"),
        ({"distinct": np.zeros((1, 2), uint64)}, r"'distinct' has shape \(1, 2\) instead of"),
        ({"distinct": np.zeros((2, 3), uint64)}, r"'distinct' has shape \(2, 3\) instead of"),
        ({"offsets": np.array([[0, 2, 3, 6]])}, r"'offsets' has shape \(1, 4\) instead of"),
        ({"offsets": np.zeros(0, int64)}, r"'distinct' has shape \(1, 3\) instead of \(1, -1\)"),
        ({"offsets": np.array([1, 2, 3, 6])}, "buckets reach from 1 to 6 of 6"),
        ({"offsets": np.array([0, 2, 3, 7])}, "buckets reach from 0 to 7 of 6"),
        ({"members": np.zeros(7, uint32)}, r"'members' has shape \(7,\) instead of \(6,\)"),
        (
            {"distinct": np.zeros((1, 7), uint64), "offsets": np.arange(8)},
            "7 distinct codes of 6",
        ),
        (
            {"distinct": np.zeros((1, 0), uint64), "offsets": np.zeros(1, int64)},
            "0 distinct codes of 6",
        ),
    ],
)
def test_sizes_are_checked_without_verifying(path, changes, message):
    write_fields(path, SIX, **changes)
    with pytest.raises(IndexFileError, match=rf"^'.*cats\.index' .*{message}.*\.$"):
        read_index(path, mmap=True, verify=False)


# The codes a, b, a, c, c, c.
SIX = IndexContent(
    n_bits=12,
    next_id=60,
    layout="bucketed",
    words=np.array([[1, 2, 1, 3, 3, 3]], uint64),
    ids=np.array([50, 10, 20, 30, 0, 40]),
    arranged={
        "distinct": np.array([[1, 2, 3]], uint64),
        "offsets": np.array([0, 2, 3, 6]),
        "members": np.array([0, 2, 1, 3, 4, 5], uint32),
    },
)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_bits": 6}, "bits set after n_bits=6"),
        ({"ids": np.array([50, 10, 20, 30, 50, 40])}, "ids are not unique"),
        ({"ids": np.array([50, 10, 20, 30, -1, 40])}, "ids hold -1"),
        ({"next_id": 50}, "next_id=50 is taken"),
        ({**TEXT_IDS, "id_bytes": np.full(6, 97, uint8)}, "ids are not unique"),
        ({**TEXT_IDS, "id_bytes": np.full(6, 255, uint8)}, "ids are not text: .*invalid start"),
        ({**TEXT_IDS, "id_offsets": np.array([0, 3, 2, 4, 4, 5, 6])}, "ids are not text: offsets"),
        ({"positions": np.array([0, 1, 2, 3, 4, 4], uint32)}, "positions are not those of all"),
        ({"positions": np.array([0, 1, 2, 3, 4, 6], uint32)}, "positions are not those of all"),
        ({"positions": np.arange(6, dtype=uint32)}, "not in the order of their ties"),
        ({"offsets": np.array([0, 3, 3, 6])}, "every code once"),
        ({"offsets": np.array([0, 9, 3, 6])}, "every code once"),
        ({"offsets": np.array([0, -1, 3, 6])}, "every code once"),
        ({"offsets": np.array([0, 2**62, -(2**62), 6])}, "every code once"),
        ({"members": np.array([0, 0, 1, 3, 4, 5], uint32)}, "every code once"),
        ({"members": np.array([0, 2, 1, 3, 4, 6], uint32)}, "every code once"),
        ({"members": np.array([2, 0, 1, 3, 4, 5], uint32)}, "every code once"),
        ({"members": np.array([1, 2, 0, 3, 4, 5], uint32)}, "every code once"),
        ({"members": np.array([0, 3, 1, 2, 4, 5], uint32)}, "codes that differ"),
        ({"distinct": np.array([[1, 2, 4]], uint64)}, "codes that differ"),
    ],
)
def test_numbers_in_arrays_are_checked_when_verifying(path, changes, message):
    write_fields(path, SIX)
    read_index(path, mmap=True, verify=True)
    write_fields(path, SIX, **changes)
    read_index(path, mmap=True, verify=False)
    with pytest.raises(IndexFileError, match=message):
        read_index(path, mmap=True, verify=True)


def test_index_is_not_taken_for_a_model(path):
    write_index(path, SIX)
    with pytest.raises(ModelFileError, match=r"HammingIndex\.load reads it"):
        load_model(path)


def test_missing_file_is_a_file_not_found_error(path):
    with pytest.raises(FileNotFoundError, match="cats"):
        read_index(path, mmap=True, verify=False)

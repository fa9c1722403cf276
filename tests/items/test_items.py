"""Laws of every kind of file."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.items import SUFFIXES, base, csv, open_items, read_column
from tests.items.item_files import KINDS, TABLES, read, write
from tests.processes import alone, peak_memory

seeds = st.integers(0, 2**32 - 1)


def items(n, n_features, seed, dtype=np.float64):
    return (100 * np.random.default_rng(seed).normal(size=(n, n_features))).astype(dtype)


def outcome(path):
    """Return what is said of a file that cannot be read, or None of one that can."""
    try:
        read(open_items(path))
    except ValueError as error:
        return str(error)
    return None


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(base, "BLOCK_BYTES", 64)
    monkeypatch.setattr(csv, "BLOCK_CHARACTERS", 64)


def test_every_registered_kind_is_tested():
    assert set(SUFFIXES.names()) == set(KINDS)


@pytest.mark.parametrize("kind", [".npz", *TABLES])
def test_values_beside_the_features_are_text_unless_a_file_has_types(kind, tmp_path):
    source = open_items(
        write(tmp_path / f"a{kind}", np.ones((3, 2)), year=np.arange(3)),
        "X" if kind == ".npz" else None,
    )
    held = read(source, others=("year",)).others["year"].dtype.kind
    assert (held == "i") == source.has_types
    assert held in "iU"


@pytest.mark.parametrize("kind", KINDS)
@given(n=st.integers(0, 40), n_features=st.integers(1, 9), seed=seeds)
def test_blocks_joined_are_the_items(kind, n, n_features, seed, tmp_path_factory):
    X = items(n, n_features, seed)
    path = write(tmp_path_factory.mktemp("items") / f"X{kind}", X)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(base, "BLOCK_BYTES", 200)
        patch.setattr(csv, "BLOCK_CHARACTERS", 200)
        source = open_items(path)
        blocks = list(source.blocks())
    assert source.n_items in (n, None)
    assert source.n_features() == n_features
    assert all(0 < len(block.features) <= max(1, 200 // (8 * n_features)) for block in blocks)
    np.testing.assert_array_equal(source.join(blocks).features, X)


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_are_contiguous_and_of_the_caller(kind, tmp_path, small_blocks):
    source = open_items(write(tmp_path / f"X{kind}", items(20, 3, 0)))
    for block in source.blocks():
        assert block.features.flags.c_contiguous
        assert block.features.flags.writeable


@pytest.mark.parametrize("kind", [".npy", ".npz", ".parquet"])
@pytest.mark.parametrize(
    ("stored", "given_out"),
    [
        ("f4", "f4"),
        ("f8", "f8"),
        ("u1", "u1"),
        ("f2", "f4"),
        ("i8", "f4"),
        ("u2", "f4"),
        ("?", "f4"),
    ],
)
def test_floats_and_bytes_keep_their_type_and_other_numbers_become_float32(
    kind, stored, given_out, tmp_path
):
    X = np.array([[0, 1, 7], [1, 0, 200]]).astype(stored)
    features = read(open_items(write(tmp_path / f"X{kind}", X))).features
    assert features.dtype == given_out
    np.testing.assert_array_equal(features, X.astype(given_out))


@pytest.mark.parametrize("kind", [".npz", *TABLES])
def test_labels_and_ids_come_with_their_items(kind, tmp_path, small_blocks):
    X = items(30, 2, 0)
    label = np.array(["cat", "elephant", "dog"])[np.arange(30) % 3]
    path = write(tmp_path / f"X{kind}", X, label=label, id=np.arange(30))
    block = read(open_items(path), others=("id", "label"))
    np.testing.assert_array_equal(block.features, X)
    np.testing.assert_array_equal(block.others["label"], label)
    np.testing.assert_array_equal(block.others["id"].astype(int), np.arange(30))
    np.testing.assert_array_equal(read_column(path, "label"), label)
    assert read_column(path, "id").dtype == np.int64


@pytest.mark.parametrize("kind", TABLES)
def test_features_are_chosen_by_name_in_the_order_asked_for(kind, tmp_path):
    X = items(5, 4, 0)
    source = open_items(write(tmp_path / f"X{kind}", X, note=["a"] * 5))
    assert source.columns == ("x0", "x1", "x2", "x3", "note")
    names = np.array(["x3", "x1"], dtype=object)
    assert source.feature_names(names) == ("x3", "x1")
    np.testing.assert_array_equal(read(source, features=names).features, X[:, [3, 1]])


@pytest.mark.parametrize("kind", TABLES)
def test_missing_columns_are_named_before_reading(kind, tmp_path):
    source = open_items(write(tmp_path / f"X{kind}", items(5, 2, 0)))
    with pytest.raises(ValueError, match=r"X\.\w+' has no column 'y', 'z'; it has 'x0', 'x1'\.$"):
        source.blocks(features=("x0", "y", "z"))
    with pytest.raises(ValueError, match="has no column 'label'"):
        source.blocks(others=("label",))


@pytest.mark.parametrize("kind", TABLES)
def test_text_among_the_features_is_refused_with_its_column(kind, tmp_path):
    source = open_items(write(tmp_path / f"X{kind}", items(5, 2, 0), note=["a"] * 5))
    with pytest.raises(ValueError, match="column 'note'"):
        list(source.blocks())


@pytest.mark.parametrize("kind", [".npy", ".npz"])
def test_arrays_have_no_names_to_choose_by(kind, tmp_path):
    source = open_items(write(tmp_path / f"X{kind}", items(5, 2, 0)))
    assert source.columns is None
    assert source.feature_names() is None
    with pytest.raises(ValueError, match="no names to choose by"):
        source.blocks(features=("x0",))
    with pytest.raises(ValueError, match="label"):
        source.blocks(others=("label",))


@pytest.mark.parametrize("kind", [".npy", ".npz", ".parquet"])
def test_only_separated_text_takes_a_delimiter(kind, tmp_path):
    with pytest.raises(ValueError, match=r"delimiter is for \.csv files; got ';'"):
        open_items(write(tmp_path / f"X{kind}", items(5, 2, 0)), delimiter=";")


@pytest.mark.parametrize("kind", [".npy", *TABLES])
def test_only_archives_take_the_name_of_an_array(kind, tmp_path):
    with pytest.raises(ValueError, match=r"array='X' is for \.npz"):
        open_items(write(tmp_path / f"X{kind}", items(5, 2, 0)), array="X")


def test_unknown_suffix_is_named_with_those_taken(tmp_path):
    path = tmp_path / "X.txt"
    path.touch()
    with pytest.raises(ValueError, match=r"ends in '\.txt'.*\.csv, \.npy, \.npz, \.parquet, \.tsv"):
        open_items(path)


@pytest.mark.parametrize("kind", KINDS)
def test_suffixes_may_be_upper_case(kind, tmp_path):
    path = write(tmp_path / f"X{kind}", items(5, 2, 0)).rename(tmp_path / f"X{kind.upper()}")
    assert open_items(path).n_features() == 2


@pytest.mark.parametrize("kind", [*KINDS, ".txt"])
def test_missing_file_is_the_error_of_the_system(kind, tmp_path):
    with pytest.raises(FileNotFoundError):
        open_items(tmp_path / f"X{kind}")
    with pytest.raises(FileNotFoundError):
        read_column(tmp_path / f"X{kind}")


@pytest.mark.parametrize("kind", KINDS)
def test_folder_is_the_error_of_the_system(kind, tmp_path):
    folder = tmp_path / f"X{kind}"
    folder.mkdir()
    with pytest.raises(IsADirectoryError):
        open_items(folder)


@pytest.mark.parametrize("kind", KINDS)
def test_file_cut_anywhere_is_refused_in_one_sentence(kind, tmp_path):
    """Only a .csv may be cut unseen, between two rows or inside of a last number."""
    X = items(20, 3, 0)
    path = write(tmp_path / f"X{kind}", X)
    whole = path.read_bytes()
    for size in np.unique(np.linspace(0, len(whole) - 1, 60, dtype=int)):
        path.write_bytes(whole[:size])
        message = outcome(path)
        if message is None:
            assert kind in (".csv", ".tsv")
        else:
            assert repr(str(path)) in message
            assert "\n" not in message


def peaks_of_reading(folder):
    """Return the peak memory of reading, for every kind of file of 1.6 megabytes of numbers."""
    base.BLOCK_BYTES = csv.BLOCK_CHARACTERS = 2**15
    peaks = {}
    for kind in KINDS:
        source = open_items(write(folder / f"X{kind}", items(10_000, 20, 0), row_group_size=1000))
        next(iter(source.blocks()))  # what is imported and remembered does not count
        peaks[kind] = peak_memory(lambda source=source: [None for _ in source.blocks()])
    return peaks


def test_memory_is_that_of_a_few_blocks(tmp_path):
    peaks = alone(peaks_of_reading, tmp_path)
    assert max(peaks.values()) < 8 * 10_000 * 20 / 4, peaks


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "content", [b"", b"\x00" * 100, b"\xff\xfe\x80" * 50, b"PK\x03\x04abc"], ids=len
)
def test_foreign_file_is_refused_with_its_path(kind, content, tmp_path):
    path = tmp_path / f"X{kind}"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"X\.\w+'"):
        read(open_items(path))


@pytest.mark.parametrize("kind", [".npy", ".npz", ".csv"])
@given(seed=seeds)
def test_flipped_bytes_end_in_one_sentence_or_in_numbers(kind, seed, tmp_path_factory):
    random = np.random.default_rng(seed)
    path = write(tmp_path_factory.mktemp("items") / f"X{kind}", items(6, 3, 0))
    content = bytearray(path.read_bytes())
    for position in random.integers(min(len(content), 160), size=random.integers(1, 4)):
        content[position] = random.integers(256)
    path.write_bytes(content)
    message = outcome(path)
    assert message is None or str(path) in message

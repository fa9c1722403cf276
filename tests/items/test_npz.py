"""Items in .npz archives."""

import zipfile

import numpy as np
import pytest

from hashlearn.items import base, npz, open_items, read_column
from tests.items.item_files import read

X = np.arange(60.0).reshape(20, 3)
Y = (np.arange(40).reshape(20, 2) % 3 == 0).astype(np.uint8)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "X.npz"


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_of_any_order_are_read_in_step(save, path, monkeypatch):
    monkeypatch.setattr(base, "BLOCK_BYTES", 100)
    save(path, X=np.asfortranarray(X), Y=Y, ids=np.arange(20))
    source = open_items(path, "X")
    assert len(list(source.blocks())) > 1
    block = read(source, others=("Y", "ids"))
    np.testing.assert_array_equal(block.features, X)
    np.testing.assert_array_equal(block.others["Y"], Y)
    np.testing.assert_array_equal(block.others["ids"], np.arange(20))


def test_items_can_be_read_beside_themselves(path):
    np.savez(path, X=X)
    np.testing.assert_array_equal(read(open_items(path), others=("X",)).others["X"], X)


def test_only_table_needs_no_name_and_several_do(path):
    np.savez(path, X=X, label=np.arange(20))
    np.testing.assert_array_equal(read(open_items(path)).features, X)
    np.savez(path, X=X, Y=Y)
    with pytest.raises(
        ValueError, match=r"several arrays .*, 'X', 'Y'; name one of them \(--array X\)"
    ):
        open_items(path)
    np.testing.assert_array_equal(read(open_items(path, "Y")).features, Y)


def test_what_is_not_there_is_named_with_what_is(path):
    np.savez(path, label=np.arange(20))
    with pytest.raises(ValueError, match="holds no 2-D array of numbers; it has 'label'"):
        open_items(path)
    with pytest.raises(ValueError, match="has no array 'Z'; it has 'label'"):
        open_items(path, "Z")
    with pytest.raises(ValueError, match="has no array 'Z'; it has 'label'"):
        read_column(path, "Z")


def test_others_of_another_length_are_refused(path):
    np.savez(path, X=X, label=np.arange(19))
    with pytest.raises(ValueError, match="19 rows in 'label' and 20 items in 'X'"):
        open_items(path).blocks(others=("label",))


@pytest.mark.parametrize("array", [np.zeros((2, 2), dtype=complex), np.zeros((1, 1, 1)), "text"])
def test_arrays_that_are_not_items_are_refused(array, path):
    np.savez(path, X=array)
    with pytest.raises(ValueError, match=r"'X' of '.*' has the (type|shape)"):
        open_items(path, "X")


def test_archive_with_python_objects_is_refused(path):
    np.savez(path, X=np.array([[None]], dtype=object))
    with pytest.raises(ValueError, match=r"'X' of .* holds Python objects"):
        open_items(path)


def test_large_array_in_fortran_order_is_refused_before_reading(path, monkeypatch):
    monkeypatch.setattr(npz, "WHOLE_BYTES", 100)
    np.savez(path, X=np.asfortranarray(X))
    with pytest.raises(ValueError, match=r"Fortran order and too large .* \(480 bytes\)"):
        open_items(path)


def test_damage_inside_is_found_by_its_sum(path):
    np.savez(path, X=X)
    content = bytearray(path.read_bytes())
    content[content.index(X.tobytes()) + 100] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"not a whole \.npz archive: Bad CRC"):
        read(open_items(path))


def test_zip_file_of_something_else_is_refused(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X.npy", "not an array")
    with pytest.raises(ValueError, match=r"'X' of .* is not a whole array"):
        open_items(path)


def test_column_is_an_array_and_an_only_one_needs_no_name(path):
    np.savez(path, label=["cat", "dog"])
    np.testing.assert_array_equal(read_column(path), ["cat", "dog"])
    np.savez(path, X=X, Y=np.asfortranarray(Y))
    np.testing.assert_array_equal(read_column(path, "Y"), Y)
    with pytest.raises(ValueError, match="has several arrays; name one of 'X', 'Y'"):
        read_column(path)

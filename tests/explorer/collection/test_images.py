"""Pictures of items: arrays in every type, folders in every order, nothing outside."""

import io
import os

import numpy as np
import pytest
from PIL import Image

from hashlearn.explorer.collection.decoding import ImageError, encode_png
from hashlearn.explorer.collection.images import ImageArray, ImageFolder


def pixels_of(png):
    return np.asarray(Image.open(io.BytesIO(png)))


def write(path, shade, size=(4, 4)):
    path.write_bytes(encode_png(Image.new("L", size, shade)))


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    return folder


@pytest.mark.parametrize(
    ("dtype", "high"),
    [(np.uint8, 255), (np.float32, 1), (np.float64, 16), (np.int64, 16), (np.float32, 255)],
)
@pytest.mark.parametrize("shape", [(3, 5, 4), (3, 5, 4, 3), (3, 5, 4, 1)])
def test_a_picture_shows_its_values(dtype, high, shape):
    levels = np.random.default_rng(0).integers(0, 17, size=shape) / 16
    levels[0, 0, 0], levels[0, 0, 1] = 0, 1
    array = ImageArray((levels * high).astype(dtype))
    shown = pixels_of(array.image(1)).reshape(shape[1:])
    assert np.abs(shown / 255 - (levels * high).astype(dtype)[1] / high).max() <= 0.51 / 255


def test_true_and_false_are_white_and_black():
    assert np.unique(pixels_of(ImageArray(np.eye(4, dtype=bool)[None]).image(0))).tolist() == [
        0,
        255,
    ]


def test_values_below_zero_stretch_the_range():
    assert pixels_of(ImageArray(np.array([[[-1.0, 0.0, 1.0]]])).image(0)).tolist() == [
        [0, 128, 255]
    ]


def test_values_that_are_not_finite_are_black():
    assert pixels_of(ImageArray(np.array([[[np.nan, np.inf, 1.0]]])).image(0))[0, 0] == 0


def test_an_array_stays_in_its_file(tmp_path):
    np.save(tmp_path / "images.npy", np.full((5, 4, 4), 7, dtype=np.uint8))
    array = ImageArray(np.load(tmp_path / "images.npy", mmap_mode="r"))
    assert isinstance(array.images, np.memmap)
    assert pixels_of(array.image(3)).max() == 7


@pytest.mark.parametrize(
    "images",
    [np.zeros((4, 4)), np.zeros((2, 4, 4, 2)), np.zeros((2, 0, 4)), np.array([[["a"]]])],
)
def test_what_is_no_array_of_pictures_is_refused(images):
    with pytest.raises(ValueError, match=r"images must (have the shape|be real)"):
        ImageArray(images)


def test_files_named_by_ids_are_found_by_them(folder):
    for number in (3, 20, 100):
        write(folder / f"{number}.png", number)
    (folder / "labels.csv").write_text("not a picture")
    (folder / ".hidden.png").write_bytes(b"")
    pictures = ImageFolder(folder, np.array([100, 3]))
    assert [pixels_of(pictures.image(i))[0, 0] for i in range(2)] == [100, 3]


def test_files_named_by_text_ids_are_found_by_them(folder):
    for shade, name in enumerate(["b.png", "a.png", "7.png"]):
        write(folder / name, 50 * shade)
    assert ImageFolder(folder, np.array(["7", "b"], dtype=object)).names == ["7.png", "b.png"]


def test_other_files_are_taken_in_sorted_order(folder):
    for shade, name in enumerate(["b.png", "a.jpg", "c.GIF"]):
        write(folder / name, 50 * shade)
    assert ImageFolder(folder, np.array([7, 8, 9])).names == ["a.jpg", "b.png", "c.GIF"]


def test_zeros_in_front_of_a_number_do_not_matter(folder):
    for number in (1, 2, 10):
        write(folder / f"{number:04}.png", number)
    assert ImageFolder(folder, np.array([10, 2, 1])).names == ["0010.png", "0002.png", "0001.png"]


def test_numbers_that_are_not_the_ids_are_refused(folder):
    for number in range(1, 31):
        write(folder / f"{number}.png", 0)
    with pytest.raises(ValueError, match=r"there is no 0\.png for item 0"):
        ImageFolder(folder, np.arange(30))


@pytest.mark.parametrize("other", ["17.jpg", "017.png"])
def test_two_pictures_of_an_item_are_refused(folder, other):
    for name in ("17.png", "18.png", other):
        write(folder / name, 0)
    with pytest.raises(ValueError, match=r"has '.*17\.\w+' and '17\.png'; an item must have one"):
        ImageFolder(folder, np.array([17, 18]))
    assert ImageFolder(folder, np.array([18])).names == ["18.png"]


def test_too_few_files_name_the_id_that_has_none(folder):
    write(folder / "3.png", 0)
    with pytest.raises(ValueError, match=r"for each of 2 items; it has 1, and none named 5\.png"):
        ImageFolder(folder, np.array([3, 5]))


def test_a_large_picture_is_shown_small(folder):
    write(folder / "0.png", 9, size=(1000, 500))
    pictures = ImageFolder(folder, np.array([0]))
    assert pixels_of(pictures.image(0)).shape == (128, 256)
    whole, _ = pictures.sample(np.array([0]))
    assert whole.shape == (500, 1000)


def test_a_link_is_refused_when_a_folder_is_listed(folder, tmp_path):
    write(tmp_path / "secret.png", 0)
    (folder / "0.png").symlink_to(tmp_path / "secret.png")
    with pytest.raises(ValueError, match=r"contains the link '0\.png'; links are not followed"):
        ImageFolder(folder, np.array([0]))


def test_a_link_put_there_later_is_not_followed(folder, tmp_path):
    write(tmp_path / "secret.png", 0)
    write(folder / "0.png", 9)
    pictures = ImageFolder(folder, np.array([0]))
    (folder / "0.png").unlink()
    (folder / "0.png").symlink_to(tmp_path / "secret.png")
    with pytest.raises(ValueError, match=r"'0\.png' cannot be read"):
        pictures.image(0)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_put_there_later_is_not_waited_for(folder):
    write(folder / "0.png", 9)
    pictures = ImageFolder(folder, np.array([0]))
    (folder / "0.png").unlink()
    os.mkfifo(folder / "0.png")
    with pytest.raises(ValueError, match="is not a file"):
        pictures.image(0)


def test_a_file_that_is_gone_or_damaged_is_one_sentence(folder):
    for name in ("0.png", "1.png"):
        write(folder / name, 9)
    pictures = ImageFolder(folder, np.array([0, 1]))
    (folder / "0.png").unlink()
    (folder / "1.png").write_bytes(b"\x89PNG")
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        pictures.image(0)
    with pytest.raises(ImageError):
        pictures.image(1)


def test_a_picture_shown_before_is_not_decoded_again(folder):
    write(folder / "0.png", 9)
    pictures = ImageFolder(folder, np.array([0]))
    shown = pictures.image(0)
    (folder / "0.png").unlink()
    assert pictures.image(0) == shown

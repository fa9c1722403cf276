"""A picture is read as the models learned it, or not at all."""

import numpy as np
import pytest
from PIL import Image

from hashlearn.explorer import CodedItems
from hashlearn.explorer.collection.decoding import encode_png
from hashlearn.explorer.collection.images import ImageFolder
from hashlearn.explorer.collection.opening import open_collection
from hashlearn.explorer.collection.readers import GistReader, PixelReader
from hashlearn.features import GIST
from tests.explorer.collection.test_opening import N_ITEMS, PIXELS, coded


@pytest.fixture(scope="module")
def of_pixels():
    return coded(PIXELS.reshape(N_ITEMS, -1))


@pytest.fixture
def folder(tmp_path):
    """Return a folder of the digits in grey levels up to 255."""
    for position, pixels in enumerate(PIXELS):
        picture = Image.fromarray(np.rint(pixels / 16 * 255).astype(np.uint8))
        (tmp_path / f"{position}.png").write_bytes(encode_png(picture))
    return tmp_path


def test_an_array_of_pictures_is_read_as_the_model_learned_it(of_pixels):
    collection = open_collection([of_pixels], images=PIXELS)
    assert collection.display.kind == "image"
    assert isinstance(collection.reader, PixelReader)
    assert collection.reader.high == 16


@pytest.mark.parametrize("divisor", [1, 16])
def test_the_scale_that_a_model_learned_from_is_found(divisor):
    # Kernels see scale, unlike signs of centred projections.
    learned = coded(PIXELS.reshape(N_ITEMS, -1) / divisor, "klsh", n_landmarks=60)
    collection = open_collection([learned], images=PIXELS)
    assert collection.reader.high == pytest.approx(16 / divisor)


def test_pictures_that_the_codes_do_not_fit_are_shown_but_not_read(of_pixels):
    with pytest.warns(UserWarning, match=r"other codes than 'itq' has: \d+% of the bits"):
        collection = open_collection([of_pixels], images=PIXELS[::-1])
    assert (collection.display.kind, collection.reader) == ("image", None)
    with pytest.raises(ValueError, match=r"features='pixels' gives .* other codes .*: \d+% of the"):
        open_collection([of_pixels], images=PIXELS[::-1], features="pixels")


@pytest.mark.parametrize("verbose", [0, 1])
def test_models_that_take_other_numbers_leave_pictures_unread(capsys, verbose):
    other = coded(PIXELS.reshape(N_ITEMS, -1)[:, :20])
    assert open_collection([other], images=PIXELS, verbose=verbose).reader is None
    said = capsys.readouterr().err
    assert ("another number of features than the models have" in said) == bool(verbose)


def test_one_model_that_does_not_fit_is_named_and_enough_to_read_nothing(of_pixels):
    other = coded(PIXELS.reshape(N_ITEMS, -1)[:, ::-1], method="lsh")
    with pytest.warns(UserWarning, match=r"'lsh' has: .* in the same order"):
        assert open_collection([of_pixels, other], images=PIXELS).reader is None


def test_models_whose_codes_are_swapped_are_warned_of(of_pixels):
    other = coded(PIXELS.reshape(N_ITEMS, -1), method="lsh")
    swapped = [
        CodedItems(one.name, one.title, two.packed, 8, one.hasher)
        for one, two in ((of_pixels, other), (other, of_pixels))
    ]
    with pytest.warns(UserWarning, match="models, indexes and images are given in the same"):
        open_collection(swapped, images=PIXELS)


def test_codes_without_a_model_do_not_matter_for_reading(of_pixels):
    alone = CodedItems("alone", "Codes", of_pixels.packed, 8)
    assert open_collection([of_pixels, alone], images=PIXELS).reader is not None
    assert open_collection([alone], images=PIXELS).reader is None


def test_gist_features_are_found_to_be_such():
    pixels = np.random.default_rng(0).integers(0, 256, (20, 16, 16, 3)).astype(np.uint8)
    learned = coded(GIST().fit_transform(pixels).astype(np.float32))
    collection = open_collection([learned], images=pixels, features="gist")
    assert isinstance(collection.reader, GistReader)
    with pytest.raises(ValueError, match=r"features='gist' gives .* other codes"):
        open_collection([learned], images=pixels[::-1], features="gist")


def test_gist_needs_as_many_features_as_it_gives(of_pixels):
    with pytest.raises(
        ValueError, match="n_features must be 320 or 512 for GIST; the model has 64"
    ):
        open_collection([of_pixels], images=PIXELS, features="gist")


def test_a_folder_of_pictures_is_shown_and_read(of_pixels, folder):
    learned = coded(PIXELS.reshape(N_ITEMS, -1) / 16)
    collection = open_collection([learned], images=folder)
    assert isinstance(collection.display, ImageFolder)
    file = collection.display.file(7)
    assert np.array_equal(learned.encode(collection.reader.read(file)), learned.packed[7:8])


def test_pictures_of_many_sizes_are_shown_but_not_read(folder, of_pixels):
    (folder / "0.png").write_bytes(encode_png(Image.new("L", (9, 9))))
    assert open_collection([of_pixels], images=folder).reader is None
    with pytest.raises(ValueError, match="images of one size"):
        open_collection([of_pixels], images=folder, features="pixels")

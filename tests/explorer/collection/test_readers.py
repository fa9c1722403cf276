"""An uploaded picture becomes the vector that an item of its look would have."""

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont
from sklearn.datasets import load_digits
from sklearn.svm import SVC

from hashlearn.explorer.collection import readers as reading
from hashlearn.explorer.collection.decoding import ImageError, decode_image, encode_png
from hashlearn.explorer.collection.images import ImageArray
from hashlearn.explorer.collection.readers import GistReader, PixelReader
from hashlearn.features import GIST
from tests.explorer.collection.test_images import pixels_of


@pytest.fixture(scope="module")
def digits():
    return ImageArray((load_digits().images / 16).astype(np.float32))


def photograph(digit, ink=40, paper=230, size=(320, 420)):
    """Return a digit written large on paper, with the noise of a camera."""
    picture = Image.new("L", size, paper)
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(180)
    draw.text((90, 90), str(digit), font=font, fill=ink, stroke_width=6, stroke_fill=ink)
    noise = np.random.default_rng(0).normal(0, 6, (size[1], size[0]))
    return Image.fromarray((np.asarray(picture) + noise).clip(0, 255).astype(np.uint8))


def test_an_items_own_picture_gives_its_vector(digits):
    reader = PixelReader.like(digits)
    for position in (0, 10, 500):
        png = digits.image(position)
        vector = reader.read(png)
        assert (vector.shape, vector.dtype) == ((1, 64), np.float32)
        assert np.abs(vector - digits.images[position].reshape(1, -1)).max() <= 0.51 / 255
        assert np.array_equal(pixels_of(reader.see(png).image), pixels_of(png))


def test_the_reader_of_digits_knows_that_they_are_light_on_dark_and_fill_their_square(digits):
    reader = PixelReader.like(digits)
    assert (reader.invert, reader.shape, reader.low, reader.high) == (True, (8, 8), 0, 1)
    assert reader.fill > 0.9
    assert "inverted if it is dark on light" in reader.hint


def test_ink_on_paper_is_seen_as_an_item_of_its_digit(digits):
    classifier = SVC().fit(digits.images.reshape(-1, 64), load_digits().target)
    reader = PixelReader.like(digits)
    seen = {
        digit: classifier.predict(reader.read(encode_png(photograph(digit))))[0]
        for digit in range(10)
    }
    # They are printed, not handwritten: most are recognised all the same.
    assert sum(digit == found for digit, found in seen.items()) >= 6, seen


def test_light_on_dark_and_dark_on_light_are_seen_alike(digits):
    reader = PixelReader.like(digits)
    dark = reader.read(encode_png(photograph(3)))
    light = reader.read(encode_png(photograph(3, ink=215, paper=25)))
    assert np.abs(dark - light).mean() < 0.05


def test_ink_is_cut_out_and_centred(digits):
    reader = PixelReader.like(digits)
    picture = Image.new("L", (200, 100), 255)
    ImageDraw.Draw(picture).rectangle((150, 10, 169, 49), fill=0)  # upright, far from the middle
    seen = reader.read(encode_png(picture)).reshape(8, 8)
    assert seen[:, 2:6].min() > 0.9
    assert seen[:, [0, 1, 6, 7]].max() < 0.1


@pytest.mark.parametrize("shade", [0, 128, 255])
def test_an_empty_picture_is_dark(digits, shade):
    reader = PixelReader.like(digits)
    assert reader.read(encode_png(Image.new("L", (50, 50), shade))).max() == 0


def test_photographs_are_scaled_and_their_middle_is_taken():
    reader = PixelReader((4, 4, 3), low=-1, high=1)
    picture = Image.new("RGB", (300, 100), "red")
    picture.paste("blue", (100, 0, 200, 100))
    vector = reader.read(encode_png(picture)).reshape(4, 4, 3)
    assert (vector[..., 2] == 1).all()
    assert (vector[..., 0] == -1).all()
    assert "inverted" not in reader.hint


@pytest.mark.parametrize(("n_features", "orientations"), [(320, (8, 8, 4)), (512, (8, 8, 8, 8))])
def test_gist_of_a_picture_is_that_of_its_pixels(n_features, orientations):
    pixels = np.random.default_rng(0).integers(0, 256, (32, 32, 3)).astype(np.uint8)
    reader = GistReader((32, 32, 3), n_features)
    vector, picture = reader.see(encode_png(Image.fromarray(pixels)))
    assert vector == pytest.approx(GIST(orientations).fit_transform(pixels[None]), abs=1e-6)
    assert np.array_equal(pixels_of(picture), pixels)


def test_gist_has_known_sizes_only():
    with pytest.raises(
        ValueError, match="n_features must be 320 or 512 for GIST; the model has 100"
    ):
        GistReader((32, 32), 100)


@pytest.mark.parametrize(
    "reader", [PixelReader((8, 8)), PixelReader((8, 8), invert=True), GistReader((8, 8))]
)
def test_no_reader_takes_what_is_no_picture(reader):
    for question in (reader.read, reader.see):
        with pytest.raises(ImageError):
            question(b"no picture")


@pytest.mark.parametrize(
    "reader", [PixelReader((8, 8)), PixelReader((8, 8), invert=True), GistReader((8, 8))]
)
def test_a_picture_is_decoded_once_for_its_vector_and_its_look(reader, monkeypatch):
    decoded = []

    def count(data, **options):
        decoded.append(data)
        return decode_image(data, **options)

    monkeypatch.setattr(reading, "decode_image", count)
    png = encode_png(photograph(3))
    seen = reader.see(png)
    assert decoded == [png]
    assert np.array_equal(seen.vector, reader.read(png))


@pytest.mark.parametrize("size", [(1, 1), (1, 500), (500, 1), (2, 3)])
def test_pictures_of_odd_sizes_are_read(digits, size):
    for reader in (PixelReader.like(digits), PixelReader((8, 8, 3)), GistReader((8, 8))):
        assert np.isfinite(reader.read(encode_png(Image.new("L", size, 7)))).all()

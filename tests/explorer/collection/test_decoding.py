"""Pictures from outside are decoded within limits, or refused in one sentence."""

import io
import struct
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from hashlearn.explorer.collection.decoding import (
    FORMATS,
    MAX_PIXELS,
    MAX_SCANS,
    ImageError,
    decode_image,
)


def saved(picture, kind="PNG", **options):
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()


def gradient(mode="L", size=(40, 30)):
    pixels = np.add.outer(np.arange(size[1]) * 4, np.arange(size[0]) * 3).astype(np.uint8)
    return Image.fromarray(pixels).convert(mode)


def png_of_size(width, height):
    """Return a PNG whose header promises a size, and whose data is short."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    data = zlib.compress(bytes(1000))
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("mode", ["L", "RGB"])
def test_every_format_is_decoded(kind, mode):
    decoded = decode_image(saved(gradient(mode), kind))
    difference = np.asarray(decoded.convert("L")).astype(int) - np.asarray(gradient())
    assert decoded.size == (40, 30)
    assert np.abs(difference).mean() < 8  # GIF has 256 colours, JPEG and WEBP blur


@pytest.mark.parametrize("mode", ["1", "L", "LA", "I;16", "P", "RGB", "RGBA"])
def test_every_mode_becomes_grey_or_coloured(mode):
    expected = "L" if mode in ("1", "L", "LA", "I;16") else "RGB"
    assert decode_image(saved(gradient(mode))).mode == expected


def test_colours_of_print_become_colours_of_screens():
    assert decode_image(saved(gradient("RGB").convert("CMYK"), "JPEG")).mode == "RGB"


def test_sixteen_bits_keep_their_shades():
    deep = Image.fromarray(np.array([[0, 32768, 65535]], dtype=np.uint16))
    assert np.asarray(decode_image(saved(deep))).tolist() == [[0, 128, 255]]


def test_transparent_places_are_white():
    clear = Image.new("RGBA", (5, 5), (0, 0, 0, 0))
    assert np.asarray(decode_image(saved(clear))).min() == 255


def test_a_picture_lies_as_its_camera_was_held():
    picture = gradient("RGB", (40, 20))
    exif = picture.getexif()
    exif[0x0112] = 6  # a quarter turn
    assert decode_image(saved(picture, "JPEG", exif=exif)).size == (20, 40)


def test_of_moving_pictures_the_first_is_taken():
    frames = [Image.new("L", (8, 8), shade) for shade in (200, 10)]
    data = saved(frames[0], "GIF", save_all=True, append_images=frames[1:])
    assert np.asarray(decode_image(data).convert("L")).min() == 200


def test_a_larger_picture_is_scaled_down_and_a_smaller_one_is_not_scaled_up():
    assert decode_image(saved(gradient(size=(400, 100))), side=40).size == (40, 10)
    assert decode_image(saved(gradient(size=(20, 10))), side=40).size == (20, 10)


@pytest.mark.parametrize("mode", ["1", "P", "L"])
def test_thin_lines_of_a_large_picture_stay(mode):
    lines = Image.new("L", (1000, 1000), 255)
    lines.paste(0, (500, 0, 502, 1000))
    shown = np.asarray(decode_image(saved(lines.convert(mode)), side=100).convert("L"))
    assert shown[:, 45:55].min() < 250


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no picture",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"PK\x03\x04" + bytes(100),
        b"%PDF-1.7",
        b"\x89PNG\r\n\x1a\n",
        b"GIF89a" + bytes(20),
        b"\xff\xd8\xff\xe0" + bytes(20),
        b"BM" + bytes(60),
        b"RIFF\x00\x00\x00\x00WEBPVP8 ",
        saved(gradient(), "TIFF"),
        saved(gradient(), "PPM"),
        saved(gradient(), "ICO"),
        png_of_size(1000, 1000),
        png_of_size(0, 10),
    ],
    ids=range(15),
)
def test_what_is_no_picture_is_refused(data):
    with pytest.raises(
        ImageError, match="image is truncated, or is not a PNG, JPEG, GIF, BMP or WEBP file"
    ):
        decode_image(data)


@pytest.mark.parametrize("size", [(6_000, 6_000), (30_000, 30_000), (2**31 - 1, 2**31 - 1)])
def test_a_picture_that_promises_too_many_pixels_is_never_decoded(size, monkeypatch):
    def fail(*_):
        raise AssertionError("decoding has begun")

    monkeypatch.setattr(Image.Image, "load", fail)
    with pytest.raises(ImageError, match=f"at most {MAX_PIXELS:,}"):
        decode_image(png_of_size(*size))


def with_scans(data, n_more):
    """Return a progressive JPEG with more scans, that change nothing, before its end."""
    start = data.rindex(b"\xff\xda")
    return data[:start] + data[start:-2] * (n_more + 1) + data[-2:]


def test_a_jpeg_of_many_scans_is_never_decoded(monkeypatch):
    usual = saved(gradient("RGB"), "JPEG", progressive=True)
    n_scans = usual.count(b"\xff\xda")
    assert 1 < n_scans < MAX_SCANS
    most = with_scans(usual, MAX_SCANS - n_scans)
    assert decode_image(most).size == (40, 30)

    def fail(*_):
        raise AssertionError("decoding has begun")

    monkeypatch.setattr(Image.Image, "load", fail)
    with pytest.raises(ImageError, match="JPEG has 101 scans; at most 100 are allowed"):
        decode_image(with_scans(usual, MAX_SCANS - n_scans + 1))


@pytest.mark.parametrize("kind", FORMATS)
def test_a_cut_picture_is_refused_or_decoded_but_nothing_else(kind):
    whole = saved(gradient("RGB"), kind)
    for length in range(0, len(whole), max(1, len(whole) // 40)):
        with suppress(ImageError):
            assert decode_image(whole[:length]).size == (40, 30)


@pytest.mark.parametrize("kind", FORMATS)
@settings(max_examples=60)
@given(changes=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), min_size=1, max_size=8))
def test_a_damaged_picture_is_refused_or_decoded_but_nothing_else(kind, changes):
    damaged = bytearray(saved(gradient("RGB"), kind))
    for place, value in changes:
        damaged[int(place * (len(damaged) - 1))] = value
    with suppress(ImageError):
        assert decode_image(bytes(damaged)).mode in ("L", "RGB")


def test_threads_decode_side_by_side():
    data = [saved(gradient(size=(width, 9))) for width in range(20, 60)]
    with ThreadPoolExecutor(8) as threads:
        sizes = [picture.size for picture in threads.map(decode_image, data)]
    assert sizes == [(width, 9) for width in range(20, 60)]

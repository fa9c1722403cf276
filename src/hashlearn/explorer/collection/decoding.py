"""Images from outside, decoded within limits or refused in one sentence."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np

from hashlearn.explorer.errors import WrongValueError

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_SCANS = 100  # of a JPEG: each visits all pixels, even one without data; 1 to 12 are usual
MAX_PIXELS = 24_000_000  # a good camera has that many; decoded, they take about 100 MB
# Not TIFF and others: they have many decoders, and browsers do not show them either.
FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP")
KINDS = f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp")
DEEP_MODES = ("I", "I;16", "I;16B")  # 16 bits per pixel
GREY_MODES = ("1", "L", "LA")


class ImageError(WrongValueError):
    """Some bytes are not an image that can be decoded."""


def decode_image(data: bytes, *, side: int | None = None) -> Image:
    """Return the first frame of an image, upright, on white where it is transparent.

    Its mode is "L" if the file is grey, else "RGB"; its longer side has at most `side` pixels. The
    header gives the size and the number of scans: an image with more than `MAX_PIXELS` pixels or
    `MAX_SCANS` scans is not decoded.
    """
    from PIL import Image, ImageOps

    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            _check_size(image.size)
            _check_scans(data)
            return _on_white(ImageOps.exif_transpose(_shrunk(image, side)))
    except ImageError:
        raise
    except Image.DecompressionBombError as error:
        raise ImageError(_too_large("The image")) from error
    except Exception as error:  # on damaged files, decoders raise errors of every kind
        raise ImageError(f"The image is truncated, or is not a {KINDS} file.") from error


def encode_png(image: Image) -> bytes:
    """Return the bytes of a PNG file."""
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=1)  # for a page on this machine speed matters more
    return file.getvalue()


def _check_size(size: tuple[int, int]) -> None:
    width, height = size
    if width * height > MAX_PIXELS:
        raise ImageError(_too_large(f"The image of {width:,} x {height:,}"))


def _check_scans(data: bytes) -> None:
    """Raise for a JPEG of many scans; their marker never occurs inside the data of a scan."""
    n_scans = data.count(b"\xff\xda") if data.startswith(b"\xff\xd8") else 0
    if n_scans > MAX_SCANS:
        raise ImageError(f"The JPEG has {n_scans:,} scans; at most {MAX_SCANS} are allowed.")


def _too_large(what: str) -> str:
    return f"{what} has too many pixels; at most {MAX_PIXELS:,} are allowed."


def _shrunk(image: Image, side: int | None) -> Image:
    """Return an image whose longer side has at most `side` pixels; JPEG is decoded no larger."""
    if side is None or max(image.size) <= side:
        return image
    if image.mode in ("1", "P"):  # Pillow would drop rows instead of averaging colours
        image = image.convert("RGBA" if image.has_transparency_data else "RGB")
    image.thumbnail((side, side))
    return image


def _on_white(image: Image) -> Image:
    """Return an image without transparency, grey or in colour."""
    from PIL import Image

    if image.mode in DEEP_MODES:  # Pillow's own conversion would cut at 255
        return Image.fromarray((np.asarray(image) >> 8).astype(np.uint8))
    mode = "L" if image.mode in GREY_MODES else "RGB"
    if not image.has_transparency_data:
        return image.convert(mode)
    layer = image.convert("RGBA")
    ground = Image.new("RGBA", layer.size, "white")
    return Image.alpha_composite(ground, layer).convert(mode)

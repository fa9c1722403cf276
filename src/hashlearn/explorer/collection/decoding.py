"""Pictures from outside: decoded within limits, or refused in one sentence."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np

from hashlearn.explorer.errors import WrongValueError

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_SCANS = 100  # of a JPEG: each goes over all pixels, even one without data; usual are 1 to 12
MAX_PIXELS = 24_000_000  # a good camera's; decoded it takes about 100 MB
# TIFF and the rest are left out: many decoders, and browsers do not show them either.
FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP")
KINDS = f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp")
DEEP_MODES = ("I", "I;16", "I;16B")  # 16 bits per pixel
GREY_MODES = ("1", "L", "LA")


class PictureError(WrongValueError):
    """Some bytes are no picture that is taken."""


def decode_picture(data: bytes, *, side: int | None = None) -> Image:
    """Return the first frame of a picture, upright, on white where it is transparent.

    The size is read from the header, and a picture that is too large, or that goes over its pixels
    too many times, is never decoded.

    Parameters
    ----------
    data : bytes
        A file of one of `FORMATS`.
    side : int, optional
        A longer side is scaled down to so many pixels.

    Returns
    -------
    picture : PIL.Image.Image
        In mode "L" if the file is grey, else "RGB".

    Raises
    ------
    PictureError
        If it is no whole picture, or has more than `MAX_PIXELS` pixels or `MAX_SCANS` scans.

    """
    from PIL import Image, ImageOps

    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as picture:
            _check_size(picture.size)
            _check_scans(data)
            return _on_white(ImageOps.exif_transpose(_shrunk(picture, side)))
    except PictureError:
        raise
    except Image.DecompressionBombError as error:
        raise PictureError(_too_large("this picture")) from error
    except Exception as error:  # damaged files make decoders raise errors of every kind
        raise PictureError(f"The image is truncated, or is not a {KINDS} file.") from error


def encode_png(picture: Image) -> bytes:
    """Return a picture as the bytes of a PNG file."""
    file = io.BytesIO()
    picture.save(file, "PNG", compress_level=1)  # for a page on this machine speed matters more
    return file.getvalue()


def _check_size(size: tuple[int, int]) -> None:
    width, height = size
    if width * height > MAX_PIXELS:
        raise PictureError(_too_large(f"this picture of {width:,} x {height:,}"))


def _check_scans(data: bytes) -> None:
    """Raise for a JPEG of many scans: in the data of a scan these two bytes never meet."""
    n_scans = data.count(b"\xff\xda") if data.startswith(b"\xff\xd8") else 0
    if n_scans > MAX_SCANS:
        raise PictureError(f"this JPEG has {n_scans:,} scans: at most {MAX_SCANS} are taken.")


def _too_large(what: str) -> str:
    return f"{what} has too many pixels: at most {MAX_PIXELS:,} are taken."


def _shrunk(picture: Image, side: int | None) -> Image:
    """Return a picture whose longer side has at most so many pixels; of JPEG no more is decoded."""
    if side is None or max(picture.size) <= side:
        return picture
    if picture.mode in ("1", "P"):  # Pillow would drop lines instead of averaging colours
        picture = picture.convert("RGBA" if picture.has_transparency_data else "RGB")
    picture.thumbnail((side, side))
    return picture


def _on_white(picture: Image) -> Image:
    """Return a picture without transparency, grey or in colours."""
    from PIL import Image

    if picture.mode in DEEP_MODES:  # Pillow's own conversion would cut at 255
        return Image.fromarray((np.asarray(picture) >> 8).astype(np.uint8))
    mode = "L" if picture.mode in GREY_MODES else "RGB"
    if not picture.has_transparency_data:
        return picture.convert(mode)
    layer = picture.convert("RGBA")
    ground = Image.new("RGBA", layer.size, "white")
    return Image.alpha_composite(ground, layer).convert(mode)

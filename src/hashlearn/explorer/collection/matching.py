"""What models make of a picture: found by trying it on pictures whose codes are known."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

import numpy as np

from hashlearn._progress import say
from hashlearn.explorer.collection.coded import CodedItems
from hashlearn.explorer.collection.collection import Reader
from hashlearn.explorer.collection.decoding import PictureError
from hashlearn.explorer.collection.images import ImageArray, ImageFolder
from hashlearn.explorer.collection.readers import GistReader, PixelReader
from hashlearn.search import unpack_codes

FEATURES = ("pixels", "gist")
N_TRIED = 20
ENOUGH = 0.95  # of the bits; rounding to 256 grey levels may change a few
ADVICE = "Check that models, indexes and pictures are given in the same order."

Pictures = ImageArray | ImageFolder


def find_reader(
    pictures: Pictures,
    methods: Sequence[CodedItems],
    features: str | None = None,
    verbose: int = 0,
) -> Reader | None:
    """Return what reads uploaded pictures as the models need them.

    A reader is right if it gives to the items' own pictures the codes that they have. A warning
    says if pixels give other codes: then a model may not be the one that made them.

    Parameters
    ----------
    pictures : ImageArray or ImageFolder
        Of the items.
    methods : sequence of CodedItems
        Those with a hasher are asked.
    features : {"pixels", "gist"}, optional
        What the models were learned from. Unless given, pixels are tried.
    verbose : int, default=0
        Above 0, a line on standard error says why there is no reader.

    Returns
    -------
    reader : Reader or None
        None only if nothing was given and pixels are not it.

    Raises
    ------
    ValueError
        If what was given is not it.
    """
    if features not in (None, *FEATURES):
        raise ValueError(f"features={features!r} is not taken: it takes {' or '.join(FEATURES)}.")
    try:
        return _fitting_reader(pictures, methods, features)
    except NoReaderError as error:
        if features is not None:
            raise ValueError(f"features={features!r} {error}.") from None
        reason = f"Pictures cannot be dropped on the page: reading pixels {error}."
        if isinstance(error, OtherCodesError):
            warnings.warn(f"{reason} {ADVICE}", stacklevel=2)
        else:
            say(reason, verbose)
        return None


class NoReaderError(ValueError):
    """Nothing reads pictures as the models need them; the message says why."""


class OtherCodesError(NoReaderError):
    """A model gives the items' pictures other codes than they have."""


def _fitting_reader(
    pictures: Pictures, methods: Sequence[CodedItems], features: str | None
) -> Reader:
    encoding = [coded for coded in methods if coded.hasher is not None]
    if not encoding:
        raise NoReaderError("needs a model to encode with")
    positions, images, files = _sample(pictures)
    best, agreement, worst = None, -1.0, ""
    for reader in _candidates(images, encoding, features):
        shares = {coded.name: _agreement(reader, files, coded, positions) for coded in encoding}
        name = min(shares, key=shares.__getitem__)
        if shares[name] > agreement:
            best, agreement, worst = reader, shares[name], name
    if best is None:
        raise NoReaderError("gives another number of values than the models take")
    if agreement < ENOUGH:
        raise OtherCodesError(
            f"gives the items' pictures other codes than they have by {worst!r}: "
            f"{agreement:.0%} of the bits agree"
        )
    return best


def _sample(pictures: Pictures) -> tuple[np.ndarray, ImageArray, list[bytes]]:
    """Return some positions, their pictures as one array, and as files."""
    positions = np.unique(np.linspace(0, len(pictures) - 1, N_TRIED).astype(int))
    if isinstance(pictures, ImageArray):
        return positions, pictures, [pictures.image(i) for i in positions]
    try:
        files = [pictures.file(i) for i in positions]
        return positions, ImageArray(np.stack([pictures.pixels(i) for i in positions])), files
    except ValueError as error:  # sizes differ, or a file is no picture
        raise NoReaderError("needs pictures that can be read, all of one size") from error


def _candidates(
    images: ImageArray, methods: list[CodedItems], features: str | None
) -> Iterator[Reader]:
    """Yield the readers that give as many numbers as all models take."""
    widths = {int(coded.hasher.n_features_in_) for coded in methods if coded.hasher is not None}
    if features == "gist":
        if len(widths) == 1:
            yield GistReader(images.shape, *widths)
    elif widths == {int(np.prod(images.shape))}:
        # As stored, or from 0 to 1: what people make of bytes.
        for scale in dict.fromkeys((1.0, 1 / images.high)):
            yield PixelReader.like(images, scale)


def _agreement(
    reader: Reader, files: list[bytes], coded: CodedItems, positions: np.ndarray
) -> float:
    """Return the share of bits that a reader and a model give as they are known."""
    try:
        codes = coded.encode(np.concatenate([reader.read(data) for data in files]))
    except PictureError:
        return 0.0
    known = unpack_codes(coded.packed[positions], coded.n_bits)
    return float(np.mean(unpack_codes(codes, coded.n_bits) == known))

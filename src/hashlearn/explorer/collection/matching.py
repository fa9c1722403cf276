"""Search for the reader of uploaded images: the one that reproduces the codes of the items."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

import numpy as np

from hashlearn._progress import say
from hashlearn.explorer.collection.coded import CodedItems
from hashlearn.explorer.collection.collection import Reader
from hashlearn.explorer.collection.decoding import ImageError
from hashlearn.explorer.collection.images import ImageArray, ImageFolder
from hashlearn.explorer.collection.readers import GistReader, PixelReader
from hashlearn.search import unpack_codes

FEATURES = ("pixels", "gist")
N_TRIED = 20
ENOUGH = 0.95  # share of equal bits; rounding to 256 grey levels may change a few
ADVICE = "Check that models, indexes and images are given in the same order."

Images = ImageArray | ImageFolder


def find_reader(
    images: Images,
    methods: Sequence[CodedItems],
    features: str | None = None,
    verbose: int = 0,
) -> Reader | None:
    """Return the reader that turns uploaded images into the models' input.

    The right reader gives the items' own images the codes that the items have. Without `features`,
    pixels are tried; if they give other codes, a warning says so, and None is returned: then a
    model may not be the one that made the codes.
    """
    if features not in (None, *FEATURES):
        raise ValueError(f"features must be {' or '.join(FEATURES)}; got {features!r}.")
    try:
        return _fitting_reader(images, methods, features)
    except NoReaderError as error:
        if features is not None:
            raise ValueError(f"features={features!r} {error}.") from None
        reason = f"Images cannot be uploaded: reading pixels {error}."
        if isinstance(error, OtherCodesError):
            warnings.warn(f"{reason} {ADVICE}", stacklevel=2)
        else:
            say(reason, verbose)
        return None


class NoReaderError(ValueError):
    """No reader fits; the message says why."""


class OtherCodesError(NoReaderError):
    """A model gives the items' images other codes than they have."""


def _fitting_reader(images: Images, methods: Sequence[CodedItems], features: str | None) -> Reader:
    encoding = [coded for coded in methods if coded.hasher is not None]
    if not encoding:
        raise NoReaderError("needs a model to encode with")
    positions, images, files = _sample(images)
    best, agreement, worst = None, -1.0, ""
    for reader in _candidates(images, encoding, features):
        shares = {coded.name: _agreement(reader, files, coded, positions) for coded in encoding}
        name = min(shares, key=shares.__getitem__)
        if shares[name] > agreement:
            best, agreement, worst = reader, shares[name], name
    if best is None:
        raise NoReaderError("gives another number of features than the models have")
    if agreement < ENOUGH:
        raise OtherCodesError(
            f"gives the items' images other codes than {worst!r} has: "
            f"{agreement:.0%} of the bits agree"
        )
    return best


def _sample(images: Images) -> tuple[np.ndarray, ImageArray, list[bytes]]:
    """Return some positions, and their images as one array and as files."""
    positions = np.unique(np.linspace(0, len(images) - 1, N_TRIED).astype(int))
    try:
        return positions, *images.sample(positions)
    except ValueError as error:  # sizes differ, or a file is not an image
        raise NoReaderError("needs readable images of one size") from error


def _candidates(
    images: ImageArray, methods: list[CodedItems], features: str | None
) -> Iterator[Reader]:
    """Yield the readers that give as many features as all models have."""
    widths = {int(coded.hasher.n_features_in_) for coded in methods if coded.hasher is not None}
    if features == "gist":
        if len(widths) == 1:
            yield GistReader(images.shape, *widths)
    elif widths == {int(np.prod(images.shape))}:
        # As stored, or scaled to [0, 1] as is usual for bytes.
        for scale in dict.fromkeys((1.0, 1 / images.high)):
            yield PixelReader.like(images, scale)


def _agreement(
    reader: Reader, files: list[bytes], coded: CodedItems, positions: np.ndarray
) -> float:
    """Return the share of bits that a reader and a model reproduce."""
    try:
        codes = coded.encode(np.concatenate([reader.read(data) for data in files]))
    except ImageError:
        return 0.0
    known = unpack_codes(coded.packed[positions], coded.n_bits)
    return float(np.mean(unpack_codes(codes, coded.n_bits) == known))

"""Codes, labels, pictures and texts become a collection, if there is one of each per item."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from hashlearn import make_hasher
from hashlearn.explorer import CodedItems
from hashlearn.explorer.collection.opening import open_collection, square_images

N_ITEMS = 60
PIXELS = load_digits().images[:N_ITEMS].astype(np.float32)  # from 0 to 16


def coded(X, method="itq", n_bits=8, **params):
    hasher = make_hasher(method, n_bits=n_bits, random_state=0, **params).fit(X)
    return CodedItems(method, method.upper(), hasher.encode(X), n_bits, hasher)


@pytest.fixture(scope="module")
def of_pixels():
    return coded(PIXELS.reshape(N_ITEMS, -1))


def test_codes_alone_are_a_collection(of_pixels):
    collection = open_collection([of_pixels])
    assert collection.ids.tolist() == list(range(N_ITEMS))
    assert (collection.display.kind, collection.labels, collection.reader) == ("id", None, None)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (
            {"features": "colours", "images": PIXELS},
            "features must be pixels or gist; got 'colours'",
        ),
        ({"features": "pixels"}, "features='pixels' needs images"),
        ({"labels": [1, 2]}, "labels must have 60 entries, one per item; got 2"),
        ({"images": PIXELS[:50]}, "images must have 60 entries, one per item; got 50"),
        ({"text": ["a"]}, "text must have 60 entries, one per item; got 1"),
        ({"text": ["a"], "images": PIXELS}, "images and text cannot be given together"),
        ({"ids": [1, 2]}, "must have 2 items, as many as there are ids; got 60"),
        ({"ids": [1] * 60}, "more than once|twice"),
    ],
)
def test_what_does_not_belong_together_is_refused(of_pixels, parts, words):
    with pytest.raises(ValueError, match=words):
        open_collection([of_pixels], **parts)


@pytest.mark.parametrize("name", ["images.npy", "images.npz"])
def test_arrays_are_read_from_files(tmp_path, of_pixels, name):
    if name.endswith("npz"):
        np.savez(tmp_path / name, images=PIXELS, y=np.arange(N_ITEMS))
    else:
        np.save(tmp_path / name, PIXELS)
    collection = open_collection([of_pixels], images=str(tmp_path / name))
    assert np.array_equal(collection.display.images, PIXELS)


def test_files_that_hold_no_pictures_are_one_sentence(tmp_path, of_pixels):
    np.savez(tmp_path / "two.npz", a=PIXELS, b=PIXELS)
    np.save(tmp_path / "flat.npy", PIXELS.reshape(N_ITEMS, -1))
    np.save(tmp_path / "objects.npy", np.array([{}]), allow_pickle=True)
    np.savez(tmp_path / "objects.npz", a=np.array([{}]))
    (tmp_path / "text.npy").write_text("no array")
    (tmp_path / "text.npz").write_text("no archive")
    for name, words in {
        "two.npz": "must have one array of images, .*; it has 2",
        "flat.npy": "images must have the shape",
        "objects.npy": "holds Python objects",
        "objects.npz": "is truncated, or is not an .npz archive",
        "text.npy": "not a whole array",
        "text.npz": "is truncated, or is not an .npz archive",
    }.items():
        with pytest.raises(ValueError, match=words):
            open_collection([of_pixels], images=tmp_path / name)
    with pytest.raises(FileNotFoundError):
        open_collection([of_pixels], images=tmp_path / "missing.npy")


def test_several_labels_have_names(of_pixels):
    labels = np.eye(3, dtype=int)[np.arange(N_ITEMS) % 3]
    labels[0] = 1
    collection = open_collection([of_pixels], labels=labels, label_names=("a", "b", "c"))
    assert (collection.labels.of(0), collection.labels.of(1)) == (("a", "b", "c"), ("b",))


def test_vectors_that_are_no_squares_are_refused():
    with pytest.raises(ValueError, match="Items of 65 numbers are not square images"):
        square_images(np.zeros((2, 65)))

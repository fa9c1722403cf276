"""Data of the benchmarks: real sets if they are found, otherwise generated ones of their shape."""

import gzip
import os
import sys
from pathlib import Path

import numpy as np

DATA = Path(os.environ.get("HASHLEARN_DATA", Path(__file__).parents[2] / "shared" / "data"))


def mnist():
    """Return the 70,000 images, uint8 of shape (70000, 784), and their labels."""
    folder = DATA / "mnist"
    if not folder.is_dir():
        print(
            f"no MNIST: HASHLEARN_DATA is not set or {folder} is missing; generated data of the "
            f"same shape instead",
            file=sys.stderr,
        )
        return generated()
    images = [idx(folder / f"{part}-images-idx3-ubyte.gz", 16) for part in ("train", "t10k")]
    labels = [idx(folder / f"{part}-labels-idx1-ubyte.gz", 8) for part in ("train", "t10k")]
    return np.concatenate(images).reshape(-1, 784), np.concatenate(labels)


def tmc2007():
    """Return the 28,596 reports, 0/1 of shape (28596, 500), and their 22 labels as 0/1."""
    path = DATA / "tmc2007_500.npz"
    if path.is_file():
        with np.load(path) as arrays:
            return arrays["x"], arrays["y"]
    print(f"no TMC2007: {path} is missing; generated data of the same shape", file=sys.stderr)
    random = np.random.default_rng(0)
    y = (random.random((28_596, 22)) < random.uniform(0.02, 0.3, 22)).astype(np.uint8)
    X = (y @ random.random((22, 500)) + random.normal(size=(28_596, 500)) > 3).astype(np.uint8)
    return X, y


def cifar10():
    """Return the 60,000 images, uint8 of shape (60000, 3072), and their labels."""
    folder = DATA / "cifar10"
    try:
        from PIL import Image
    except ImportError:
        missing = "pillow is not installed (pip install pillow)"
    else:
        missing = "" if folder.is_dir() else f"HASHLEARN_DATA is not set or {folder} is missing"
    if missing:
        print(f"no CIFAR-10: {missing}; generated data of the same shape instead", file=sys.stderr)
        return generated(n=60_000, n_features=3072)
    tiles = [mosaic_tiles(Image.open(path)) for path in sorted(folder.glob("mosaic_*.webp"))]
    return np.concatenate(tiles).reshape(-1, 3072), np.load(folder / "labels.npy")


def text_embeddings(name):
    """Return sentence embeddings, float32 of length 1 in 384 dimensions, and labels as strings.

    `name` is "wordnet", or "banking77" or "clinc150" followed by "_train" or "_test".
    """
    parts = [np.load(path) for path in sorted((DATA / "embeddings").glob(f"{name}_minilm384*.npz"))]
    X = np.concatenate([part["x"] for part in parts]).astype(np.float32) * parts[0]["scale"]
    with gzip.open(DATA / "text" / f"{name}.tsv.gz", "rt", encoding="utf8") as lines:
        labels = np.array([line.partition("\t")[0] for line in lines])
    return X / np.linalg.norm(X, axis=1, keepdims=True), labels


def image_embeddings():
    """Return EfficientNet features of CIFAR-10, float32 of shape (60000, 1280), and labels."""
    paths = sorted((DATA / "embeddings").glob("cifar10_efficientnet1280.*.npz"))
    X = np.concatenate([np.load(path)["x"] for path in paths]).astype(np.float32)
    return (X / 255) ** 2 * 6, np.load(DATA / "cifar10" / "labels.npy")


def mosaic_tiles(mosaic, rows=25, columns=40, side=32):
    """Return the images that a mosaic shows, row by row."""
    pixels = np.asarray(mosaic.convert("RGB")).reshape(rows, side, columns, side, 3)
    return pixels.transpose(0, 2, 1, 3, 4).reshape(-1, side, side, 3)


def idx(path, header):
    """Return the bytes of an idx file after its header."""
    with gzip.open(path) as file:
        return np.frombuffer(file.read(), dtype=np.uint8, offset=header)


def generated(n=70_000, n_features=784, n_classes=10, seed=0):
    """Return ten overlapping classes of bytes, mostly dark like digits."""
    random = np.random.default_rng(seed)
    y = random.integers(n_classes, size=n).astype(np.uint8)
    styles = random.normal(size=(n_classes, 20, n_features)).astype(np.float32)
    weights = random.dirichlet(np.ones(20), size=n).astype(np.float32)
    X = np.empty((n, n_features), dtype=np.uint8)
    for label in range(n_classes):
        of_class = np.flatnonzero(y == label)
        X[of_class] = np.clip(weights[of_class] @ styles[label] * 400, 0, 255)
    return X, y

"""Files of deep features for `hashlearn paper`: BANKING77, CLINC150, CIFAR-10 by EfficientNet.

    python benchmarks/embedding_files.py FOLDER

writes FOLDER/banking77.npz and FOLDER/clinc150.npz, sentence embeddings of customers' questions
with their intents (the official training and test parts together, in this order), and
FOLDER/cifar10-efficientnet.npz, features of the 60,000 images with their classes. The arrays are
`x`, float32, and `y`, the labels as numbers in the order of their names.
"""

import argparse
from pathlib import Path

import numpy as np

from data import DATA, image_embeddings, text_embeddings


def questions(name):
    """Return all embeddings of a set of questions, and their labels."""
    parts = [text_embeddings(f"{name}_{part}") for part in ("train", "test")]
    X, y = zip(*parts, strict=True)
    return np.concatenate(X), np.concatenate(y)


SETS = {
    "banking77": lambda: questions("banking77"),
    "clinc150": lambda: questions("clinc150"),
    "cifar10-efficientnet": image_embeddings,
}


def write(folder):
    """Write every set into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, load in SETS.items():
        X, y = load()
        _, labels = np.unique(y, return_inverse=True)
        np.savez(folder / f"{name}.npz", x=X.astype(np.float32, copy=False), y=labels)
        print(f"{folder / name}.npz: {X.shape[0]:,} x {X.shape[1]:,}, {labels.max() + 1} labels")


# Not a benchmark, and without the lines by which `make bench` knows one.
parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("folder", type=Path)
arguments = parser.parse_args()
if not (DATA / "embeddings").is_dir():
    parser.error(f"HASHLEARN_DATA is not set or {DATA / 'embeddings'} is missing")
write(arguments.folder)

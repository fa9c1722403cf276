"""Image retrieval: GIST features, codes of 4 bytes, and pictures of the results.

The images are generated: shapes of random position, size, rotation and brightness, with noise.
Codes are learned from most of them; the others are queries. The output shows mean average
precision and precision at 10, for pixels and for GIST features, with codes learned without labels
(ITQ) and from the names of the shapes (two-step hashing). Two pictures, neighbours-itq.png and
neighbours-tsh.png, show queries and their nearest images by codes of GIST, wrong ones boxed in
red. With codes learned from labels, the neighbours of a query mostly have one shape, right or
wrong; with ITQ they are mixed.

    python examples/image_retrieval.py [--quick]  (needs matplotlib: pip install 'hashlearn[plot]')
"""

import itertools
import sys

import numpy as np

from hashlearn import make_hasher
from hashlearn.experiments import plot_neighbours
from hashlearn.features import GIST
from hashlearn.metrics import mean_average_precision, precision_at_k, relevance_from_labels
from hashlearn.search import nearest_codes

QUICK = "--quick" in sys.argv
N_IMAGES, N_QUERIES = (200, 50) if QUICK else (1300, 300)
SIDE, N_BITS = 24 if QUICK else 32, 32
SHAPES = {  # of coordinates around the middle of the shape
    "disc": lambda u, v: np.hypot(u, v) < 0.9,
    "half": lambda u, v: (np.hypot(u, v) < 1) & (u < 0),
    "ring": lambda u, v: abs(np.hypot(u, v) - 0.75) < 0.25,
    "pair": lambda u, v: np.hypot(abs(u) - 0.65, v) < 0.45,
    "star": lambda u, v: np.hypot(u, v) < 0.7 + 0.4 * np.cos(5 * np.arctan2(u, v)),
    "bar": lambda u, v: (abs(u) < 0.25) & (abs(v) < 1.1),
    "cross": lambda u, v: (np.minimum(abs(u), abs(v)) < 0.25) & (np.maximum(abs(u), abs(v)) < 1),
    "square": lambda u, v: np.maximum(abs(u), abs(v)) < 0.8,
    "frame": lambda u, v: abs(np.maximum(abs(u), abs(v)) - 0.65) < 0.2,
    "triangle": lambda u, v: (v < 0.6) & (2 * abs(u) < v + 1),
}


def draw(shape, random):
    """Return an image of a shape: grey values from 0 to 1."""
    x, y = np.meshgrid(*[np.linspace(-1, 1, SIDE)] * 2) - random.uniform(-0.3, 0.3, (2, 1, 1))
    turned = (x + 1j * y) * np.exp(2j * np.pi * random.uniform()) / random.uniform(0.4, 0.7)
    image = random.uniform(0.4, 0.9) * SHAPES[shape](turned.real, turned.imag)
    return np.clip(image + random.normal(scale=0.12, size=image.shape), 0, 1)


random = np.random.default_rng(0)
names = random.choice(list(SHAPES), N_IMAGES)
images = np.stack([draw(name, random) for name in names])
features = {"pixels": images.reshape(N_IMAGES, -1), "GIST": GIST().fit_transform(images)}

wanted, labels = names[:N_QUERIES], names[N_QUERIES:]
relevance = relevance_from_labels(wanted, labels)
shown = np.unique(wanted, return_index=True)[1][: 2 if QUICK else None]  # the first of each shape
print(f"{len(labels)} images of {len(SHAPES)} shapes, {N_QUERIES} queries, codes of {N_BITS} bits")
print(f"\n{'':14}MAP    precision at 10")
for method, kind in itertools.product(("itq", "tsh"), features):
    X = features[kind]
    hasher = make_hasher(method, n_bits=N_BITS, random_state=0).fit(X[N_QUERIES:], labels)
    queries, database = hasher.encode(X[:N_QUERIES]), hasher.encode(X[N_QUERIES:])
    score = mean_average_precision(queries, database, relevance)
    precision = precision_at_k(queries, database, relevance, k=10).mean()
    print(f"{method}, {kind:9}{score:.3f}  {precision:.3f}")
    if kind == "GIST":
        _, found = nearest_codes(queries[shown], database, k=12)
        wrong = labels[found] != wanted[shown, None]
        figure = plot_neighbours(images[shown], images[N_QUERIES:][found], wrong)
        figure.savefig(f"neighbours-{method}.png", dpi=100)

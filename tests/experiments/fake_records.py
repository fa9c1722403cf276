"""Records of runs that never were: what reports are made from, with numbers that look real."""

import hashlib
import io

import numpy as np
from PIL import Image

from hashlearn._report import writing

TSH_LOSSES = ("tsh-ksh", "tsh-bre", "tsh-splh", "tsh-ee", "tsh-exph")
FEW = ("tsh-bre", "tsh-ksh", "ksh", "itq-cca", "itq", "lsh", "classifier-codes")
MANY = (
    *TSH_LOSSES,
    *("sths", "sths-rbf", "ksh", "bres", "splh", "mlh", "itq-cca", "mdsh", "spher", "itq", "agh"),
    *("sth", "bre", "lsh", "classifier-codes"),
)
FUNCTIONS = ("rbf-svm", "kernel-features", "linear-svm", "boosted-stumps")
SIZES = {"n_queries": 2000, "n_training": 2000, "n_database": None, "n_anchors": None}
DRAWN = {"n_queries": 2000, "n_training": 2000, "n_database": 68000}


def a_record(method="tsh-bre", seed=0, *, testing=None, n_examples=0, drawn=None, **cell):
    """Return one record; everything about it can be set."""
    cell = {
        "dataset": "mnist",
        "protocol": "usual",
        "method": method,
        "hash_function": "rbf-svm" if method.startswith("tsh-") else None,
        "n_bits": 32,
        "seed": seed,
        **SIZES,
        "fingerprint": "0123456789abcdef",
    } | cell
    key = hashlib.sha256(repr(sorted(cell.items(), key=str)).encode()).hexdigest()
    random = np.random.default_rng(int(key[:8], 16))
    level = _level(cell) * (1 - 0.01 * random.random())
    n_bits = cell["n_bits"]
    recall = np.linspace(0.02, 1, n_bits + 1) ** 2
    k = [1, 10, 50, *range(100, 1001, 100)]
    measures = {
        "pr_area": level * 0.9,
        "mean_average_precision": level,
        "precision_at_k": level * 0.98,
        "precision_within_radius": level * max(0.1, 1 - n_bits / 100),
        "empty_share": 0.1,
    }
    is_slow = cell["hash_function"] in ("rbf-svm", None)
    return {
        "key": key,
        "cell": cell,
        "sizes": DRAWN | (drawn or {}),
        "selection": {"t": 0.7, "sigma": 3.1, "C": 5.0 + seed, "seconds": 9.2}
        if cell["hash_function"]
        else None,
        "training": {name: min(1.0, 1.1 * value) for name, value in measures.items()},
        "testing": measures | {"full_mean_average_precision": level * 0.95} | (testing or {}),
        "curves": {
            "k": k,
            "precision_at_k": [level * (1 - i / 5000) for i in k],
            "recall": recall.tolist(),
            "precision": (0.1 + (level - 0.1) * (1 - recall**3)).tolist(),
        },
        "seconds": {
            "fit": 1.3 + random.random(),
            "step_one": 0.004 if method.startswith("tsh-") else None,
            "encode": 2.1 if is_slow else 0.2,
        },
        "n_encoded": 70000,
        "examples": _examples(random, n_examples) if n_examples else None,
        "versions": {"hashlearn": "0.1.0", "python": "3.11.2", "numpy": "2.1.0"},
    }


def many_records(methods=FEW, datasets=("mnist",), bits=(32,), seeds=(0, 1, 2), **cell):
    """Return a record for every combination."""
    return [
        a_record(method, seed, dataset=dataset, n_bits=n_bits, **cell)
        for method in methods
        for dataset in datasets
        for n_bits in bits
        for seed in seeds
    ]


def whole_run(
    methods=FEW, datasets=("mnist", "cifar10"), bits=(16, 32), seeds=(0, 1), n_examples=1
):
    """Return records for every part of the report."""
    records = many_records(methods, datasets, bits, seeds, n_examples=n_examples)
    records += many_records(methods, datasets, bits, seeds, protocol="l2")
    for seed in seeds:
        drawn = {"n_training": 1400, "n_database": 18000 + 300 * seed}
        records += many_records(methods, datasets, (32,), (seed,), protocol="unseen", drawn=drawn)
    for function in FUNCTIONS[1:]:
        other = {"hash_function": function}
        records += many_records(("tsh-bre",), datasets, (32,), seeds, **other)
    other = {"hash_function": "kernel-features", "n_anchors": 3000, "protocol": "all-labels"}
    records += many_records(("tsh-bre",), datasets, (32,), seeds, **other)
    return list({record["key"]: record for record in records}.values())


def fake_images(dataset):
    """Return images for every item number in `whole_run`; none for other sets than MNIST."""
    if dataset not in ("mnist", "cifar10"):
        return None
    shape = (28, 28) if dataset == "mnist" else (32, 32, 3)
    return np.random.default_rng(0).integers(0, 256, (500, *shape), dtype=np.uint8)


def draw_nothing(patch):
    """Let every picture of a report be one pixel: drawing takes most of the time."""
    pixel = io.BytesIO()
    Image.new("RGB", (1, 1)).save(pixel, "png")
    patch.setattr(writing, "figure_to_bytes", lambda *_, **__: pixel.getvalue())


def _level(cell):
    """Return a MAP that depends on the method, its data set, protocol and bits."""
    place = MANY.index(cell["method"]) if cell["method"] in MANY else len(MANY)
    best = {"mnist": 0.93, "cifar10": 0.48}.get(cell["dataset"], 0.6)
    fall = 0.7 if cell["protocol"] == "unseen" and place < 12 else 1
    function = FUNCTIONS.index(cell["hash_function"]) if cell["hash_function"] in FUNCTIONS else 0
    return best * fall * (1 - 0.028 * place - 0.05 * function) * (1 - 1 / cell["n_bits"])


def _examples(random, n_queries):
    return {
        "queries": random.integers(0, 500, n_queries).tolist(),
        "neighbours": random.integers(0, 500, (n_queries, 30)).tolist(),
        "wrong": (random.random((n_queries, 30)) < 0.1).tolist(),
    }

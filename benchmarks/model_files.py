"""Sizes of model files: after few and many items, and with what `partial_fit` needs.

    python benchmarks/model_files.py

Generated items of 384 features in 20 classes, 32 bits.
"""

import tempfile
from pathlib import Path

import numpy as np

from hashlearn import TwoStepHasher
from hashlearn.hash_functions import KernelFeaturesHash, LinearSVMHash
from hashlearn.methods import LSHHasher

LINEAR = LinearSVMHash(C=1.0, tol=1e-2)
HASHERS = {
    "lsh": (LSHHasher(32, random_state=0), (1_000, 60_000)),
    "tsh, linear-svm": (TwoStepHasher(32, hash_function=LINEAR, random_state=0), (1_000, 60_000)),
    **{
        f"tsh, kernel-features, {n_anchors:,} anchors": (
            TwoStepHasher(
                32,
                hash_function=KernelFeaturesHash(n_anchors, C=1.0, sigma=20.0, tol=1e-2),
                random_state=0,
            ),
            (4_000,),
        )
        for n_anchors in (1_000, 3_000)
    },
}


def generated(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 20, n)
    X = rng.normal(size=(20, 384))[y] + rng.normal(size=(n, 384))
    return X.astype(np.float32), y


def size(hasher: object, path: Path, **options: bool) -> str:
    hasher.save(path, **options)  # type: ignore[attr-defined]
    return f"{path.stat().st_size / 1e6:.2f} MB"


def main() -> None:
    X, y = generated(60_000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        for name, (hasher, counts) in HASHERS.items():
            for n in counts:
                hasher.fit(X[:n], y[:n])
                updates = {"partial_fit": True} if hasattr(hasher, "partial_fit") else {}
                print(
                    f"{name}, {n:,} items: {size(hasher, path)}, with codes "
                    f"{size(hasher, path, codes=True)}, with what partial_fit needs "
                    f"{size(hasher, path, **updates) if updates else '-'}",
                    flush=True,
                )


if __name__ == "__main__":
    main()

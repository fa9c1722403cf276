"""Every method with parameters for fast fits."""

from hashlearn import make_hasher

FEW: dict[str, dict[str, object]] = {
    "agh": {"n_anchors": 40},
    "cghash": {"n_triplets": 2000},
    "fasthash": {"n_rounds": 4, "max_depth": 3},
    "imh": {"n_anchors": 40, "embedding": "eigenmap"},  # t-SNE turns rounding into other bits
    "klsh": {"n_landmarks": 40, "subset_size": 10},
    "ksh": {"n_anchors": 60},
    "mixed": {"share": 0.5},  # tests/methods/mixed has the laws of "auto"
    "mlh": {"n_pairs": 2000, "n_rounds": 2},
    "sdh": {"n_anchors": 100},
    "tsh": {"hash_function": "linear-svm"},  # tests/test_sklearn.py has all of them
}


def quick(name, n_bits, random_state=0):
    """Return an unfitted hasher that learns fast, if less well."""
    return make_hasher(name, n_bits=n_bits, random_state=random_state, **FEW.get(name, {}))

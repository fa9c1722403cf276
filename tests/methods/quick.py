"""Every method with parameters that fit in a moment."""

from hashlearn import make_hasher

FEW: dict[str, dict[str, object]] = {
    "agh": {"n_anchors": 40},
    "cghash": {"n_triplets": 2000},
    "fasthash": {"n_rounds": 10},
    "imh": {"n_anchors": 40, "embedding": "eigenmap"},  # t-SNE turns rounding into other bits
    "klsh": {"n_landmarks": 40, "subset_size": 10},
    "ksh": {"n_anchors": 60},
    "mlh": {"n_pairs": 5000, "n_rounds": 2},
    "sdh": {"n_anchors": 100},
}


def quick(name, n_bits, random_state=0):
    """Return an unfitted hasher that learns fast, if less well."""
    return make_hasher(name, n_bits=n_bits, random_state=random_state, **FEW.get(name, {}))

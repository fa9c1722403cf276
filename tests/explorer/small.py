"""Small generated collections, and a slow ranking to compare with."""

import numpy as np

from hashlearn import make_hasher, pack_codes, unpack_codes
from hashlearn._numerics.ids import tie_keys
from hashlearn.explorer import CodedItems, Collection, IdDisplay, Labels


def coded_items(bits, name="codes"):
    bits = np.asarray(bits)
    return CodedItems(name, "Some codes", pack_codes(bits), bits.shape[1])


def collection_of(bits, labels=None, **parts):
    """Return a collection of one method, 'codes', with the given rows of 0/1."""
    n_items = len(bits)
    values = None if labels is None else Labels.from_values(labels)
    parts = {"ids": np.arange(n_items), "display": IdDisplay(), **parts}
    return Collection("small", labels=values, methods={"codes": coded_items(bits)}, **parts)


def random_collection(seed, n_items, n_bits, several=False, with_labels=True):
    """Return a collection whose codes repeat, as learned ones do; some items have no label."""
    random = np.random.default_rng(seed)
    distinct = random.integers(0, 2, (max(1, n_items // 3), n_bits))
    bits = distinct[random.integers(len(distinct), size=n_items)]
    labels = random.integers(0, 2, (n_items, 3)) if several else random.integers(0, 3, n_items)
    return collection_of(bits, labels if with_labels else None)


def learned_collection(n_items=200, n_features=16, **parts):
    """Return clusters with codes by two hashers, and codes that have none."""
    random = np.random.default_rng(0)
    labels = random.integers(0, 4, n_items)
    X = 3 * random.normal(size=(4, n_features))[labels] + random.normal(size=(n_items, n_features))
    methods = {"codes": coded_items(random.integers(0, 2, (n_items, 8)))}
    for name, n_bits in (("lsh", 21), ("itq", 12)):
        hasher = make_hasher(name, n_bits=n_bits, random_state=0).fit(X)
        methods[name] = CodedItems(name, name.upper(), hasher.encode(X), n_bits, hasher)
    return Collection(
        name="clusters",
        ids=random.permutation(np.arange(1000, 1000 + 3 * n_items, 3)),
        display=IdDisplay(),
        labels=Labels.from_values(np.array([2, 3, 10, 21])[labels]),
        methods=dict(sorted(methods.items(), reverse=True)),  # lsh, itq, codes
        **parts,
    )


def slow_ranking(collection, position, bits, code=None):
    """Return positions and distances of all others, by distance, then as an index orders ties."""
    coded = collection.methods["codes"]
    rows = unpack_codes(coded.packed, coded.n_bits)[:, :bits]
    query = rows[position] if code is None else np.asarray(code)[:bits]
    distances = [int((row != query).sum()) for row in rows]
    others = [i for i in range(len(rows)) if i != position]
    keys = tie_keys(collection.ids)
    order = sorted(others, key=lambda i: (distances[i], keys[i]))
    return order, [distances[i] for i in order]

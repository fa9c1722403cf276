"""Near duplicates: all texts within a Hamming radius of each other, and how to choose the radius.

The texts are paragraphs of Python's own documentation; a third of them have edited copies, with
words removed, swapped, misspelt or capitalised. There are no classes, so the codes are random
projections (LSH) of TF-IDF vectors, which preserve small angles. The radius is chosen on one half
of the paragraphs and their copies, and evaluated on the other half. The output shows precision and
recall of the pairs, compared with texts that are equal up to capitals; the largest group; and
pairs that count as wrong although they are similar in Python's documentation.

    python examples/near_duplicates.py [--quick]
"""

import re
import sys
from pydoc_data.topics import topics

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.feature_extraction.text import TfidfVectorizer

from hashlearn import HammingIndex, make_hasher

N_TEXTS = 300 if "--quick" in sys.argv else None  # None: all of them
N_BITS, LARGEST_RADIUS = 128, 32
random = np.random.default_rng(0)


def edited(text):
    """Return a text with one to a tenth of its words changed."""
    words = text.split()
    for _ in range(random.integers(1, 1 + len(words) // 10)):
        i = random.integers(len(words) - 1)
        a, b = words[i : i + 2]
        changes = [b], [b, a], [a[1:] + a[:1], b], [a.upper(), b]
        words[i : i + 2] = changes[random.integers(4)]
    return " ".join(words)


def with_copies(texts):
    """Return texts and edited copies of a third of them, one or two each, and their originals."""
    sources = np.repeat(np.arange(len(texts)), random.choice([0, 0, 0, 0, 1, 2], len(texts)))
    return texts + [edited(texts[i]) for i in sources], np.r_[: len(texts), sources]


def near_pairs(texts):
    """Return the pairs i < j of texts with near codes, and their distances."""
    codes = hasher.encode(vectors.transform(texts))
    index = HammingIndex(N_BITS)
    index.add(codes)
    offsets, j, distances = index.radius_search(codes, radius=LARGEST_RADIUS)
    i = np.repeat(np.arange(len(codes)), np.diff(offsets))
    return i[i < j], j[i < j], distances[i < j]


def quality(is_copy, originals):
    """Return precision, recall and their harmonic mean (F1) of pairs."""
    sizes = np.bincount(originals)
    precision, recall = is_copy.mean(), is_copy.sum() / (sizes * (sizes - 1) // 2).sum()
    return precision, recall, 2 * precision * recall / (precision + recall)


paragraphs = {" ".join(part.split()) for topic in topics.values() for part in topic.split("\n\n")}
paragraphs = [text for text in sorted(paragraphs) if re.match(r"[A-Z][a-z ].{100,500}\.$", text)]
paragraphs = [paragraphs[i] for i in random.permutation(len(paragraphs))][:N_TEXTS]
ours, theirs = paragraphs[::2], paragraphs[1::2]
vectors = TfidfVectorizer().fit(ours)
hasher = make_hasher("lsh", n_bits=N_BITS, random_state=0).fit(vectors.transform(ours))

# The radius, chosen by copies of our texts.
texts, originals = with_copies(ours)
i, j, distances = near_pairs(texts)
is_copy = originals[i] == originals[j]
f1 = [quality(is_copy[distances <= radius], originals)[2] for radius in range(LARGEST_RADIUS + 1)]
radius = int(np.argmax(f1))
print(f"one half: {len(texts)} texts, F1 by radius 0, 4, 8, ...:", *np.round(f1[::4], 2))

# Their texts, looked at once.
texts, originals = with_copies(theirs)
i, j, distances = near_pairs(texts)
i, j = i[distances <= radius], j[distances <= radius]
is_copy = originals[i] == originals[j]
equal = np.array([texts[a].lower() == texts[b].lower() for a, b in zip(i, j, strict=True)])
print(f"other half: {len(texts)} texts\n\n{'':23}precision  recall    F1")
for name, which in {"equal up to capitals": equal, f"within radius {radius}": slice(None)}.items():
    print("{:20}{:12.2f}{:8.2f}{:6.2f}".format(name, *quality(is_copy[which], originals)))

links = coo_array((np.ones(len(i)), (i, j)), shape=(len(texts), len(texts)))
n_groups, groups = connected_components(links)
print(f"\n{n_groups} groups, single texts included; the largest:")
for member in np.flatnonzero(groups == np.bincount(groups).argmax()):
    print(f"  {texts[member][:86]}")
unedited = np.flatnonzero(~is_copy & (j < len(theirs)))
print(f"\n{len(unedited)} pairs that nobody edited" + (":" if len(unedited) else ""))
for pair in unedited[:2]:
    print(f"  {texts[i[pair]][:86]}\n  {texts[j[pair]][:86]}")

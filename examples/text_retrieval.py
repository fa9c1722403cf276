"""Text retrieval: codes of 4 bytes from TF-IDF vectors, to find functions of SciPy.

The texts are the descriptions of functions in SciPy's documentation. The label of a text is the
package of the function. Codes are learned from 70 percent of the texts; the others are queries.
The output compares the mean average precision of functions of the same package with that of random
codes and of the cosine similarity of TF-IDF vectors, neither of which uses the labels. Then it
answers questions in plain words. Codes learned from labels distinguish packages and little else,
so the codes give candidates, which are ordered by their vectors.

    python examples/text_retrieval.py [--quick]
"""

import importlib
import inspect
import re
import sys

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import label_ranking_average_precision_score
from sklearn.model_selection import train_test_split

from hashlearn import HammingIndex, TwoStepHasher, VectorRescoring, make_hasher
from hashlearn.metrics import mean_average_precision, relevance_from_labels

QUICK = "--quick" in sys.argv
PACKAGES = "linalg optimize ndimage special fft integrate interpolate signal sparse spatial stats"
PACKAGES = PACKAGES.split()[: 4 if QUICK else None]
QUESTIONS = (
    "find the minimum of a function",
    "eigenvalues of a symmetric matrix",
    "zeros of Bessel functions",
)


def description(thing):
    """Return what a docstring says before its first heading, without signatures."""
    text = re.split(r"\n.+\n---+\n", inspect.getdoc(thing) or "")[0]
    return re.sub(r"^\w+\(.*\)$", "", text, flags=re.MULTILINE)


functions = {}  # by description: a function that two packages share is one item
for package in PACKAGES:
    module = importlib.import_module(f"scipy.{package}")
    for name in module.__all__:
        functions.setdefault(description(getattr(module, name)), (package, name))
texts = [text for text in functions if len(text.split()) >= 8]
labels, names = np.array([functions[text] for text in texts]).T

parts = train_test_split(texts, labels, names, test_size=0.3, random_state=0, stratify=labels)
texts, query_texts, labels, query_labels, names, _ = parts
words = TfidfVectorizer(min_df=2, stop_words="english", token_pattern="[A-Za-z]{3,}")
X, queries = words.fit_transform(texts), words.transform(query_texts)
print(f"{len(PACKAGES)} packages, {len(texts)} functions to learn from, {len(query_texts)} queries")

print(f"\n{'':30}MAP   bytes per text")
cosine = (queries @ X.T).toarray()
score = label_ranking_average_precision_score(query_labels[:, None] == labels, cosine)
size = (X.data.nbytes + X.indices.nbytes) / len(texts)
print(f"{'cosine similarity of TF-IDF':30}{score:.3f}{size:8.0f}")
relevance = relevance_from_labels(query_labels, labels)
random_bits = make_hasher("lsh", n_bits=32, random_state=0)
hasher = TwoStepHasher(n_bits=32, hash_function="linear-svm", random_state=0)
for title, method in {"random codes (LSH)": random_bits, "two-step hashing": hasher}.items():
    codes = method.fit(X, labels).encode(X)
    score = mean_average_precision(method.encode(queries), codes, relevance)
    print(f"{title:30}{score:.3f}{codes.shape[1]:8}")

index = HammingIndex(n_bits=32)
index.add(codes)
asked = words.transform(QUESTIONS)
by_vectors = VectorRescoring(asked.toarray(), lambda ids: X[ids].toarray())
_, ids = index.search(hasher.encode(asked), k=3, rescore=by_vectors, oversample=30)
for question, found in zip(QUESTIONS, ids, strict=True):
    print(f"\n{question}?")
    for i in found:
        print(f"  {labels[i]}.{names[i]}: {texts[i].strip().splitlines()[0]}")

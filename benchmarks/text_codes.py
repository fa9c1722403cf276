"""Hash functions on texts with many classes: sentence embeddings and words.

    python benchmarks/text_codes.py [--sets banking77,clinc150] [--training 5000]

Two-step hashing learns 32 bits from 5,000 random questions of the training part (0: all of it),
with each hash function; "auto" is `rbf-svm` up to 5,000 items, then `kernel-ridge`.
Embeddings have 384 dimensions; words are TF-IDF features, sparse. The queries are 1,000 questions
of the official test part; the database is the items that were learned from. MAP is over the whole
ranking, with ties in expectation; the seconds are processor time to learn, on one thread.
"""

import argparse
import gzip
import time
import warnings

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from threadpoolctl import threadpool_limits

from data import DATA, text_embeddings
from hashlearn import TwoStepHasher
from hashlearn.metrics import mean_average_precision, relevance_from_labels

SETS = ("banking77", "clinc150")
FUNCTIONS = ("linear-svm", "kernel-features", "kernel-ridge", "rbf-svm")
N_BITS, N_QUERIES = 32, 1_000


def texts(name):
    """Return the questions of a part of a set."""
    with gzip.open(DATA / "text" / f"{name}.tsv.gz", "rt", encoding="utf8") as lines:
        return [line.rstrip("\n").partition("\t")[2] for line in lines]


def features(name):
    """Yield a name and the features of training and test questions, for each kind of features."""
    parts = f"{name}_train", f"{name}_test"
    yield "embeddings", *(text_embeddings(part)[0] for part in parts)
    words = TfidfVectorizer(sublinear_tf=True, dtype=np.float32)
    yield "words", words.fit_transform(texts(parts[0])), words.transform(texts(parts[1]))


def measure(function, X, y, queries, labels):
    """Return the mean average precision and the seconds to learn."""
    hasher = TwoStepHasher(N_BITS, hash_function=function, random_state=0)
    begin = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hasher.fit(X, y)
    seconds = time.process_time() - begin
    relevance = relevance_from_labels(labels, y)
    return mean_average_precision(hasher.encode(queries), hasher.encode(X), relevance), seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--functions", default=",".join(FUNCTIONS))
    parser.add_argument("--training", type=int, default=5_000)
    arguments = parser.parse_args()
    random = np.random.default_rng(0)
    print(f"{'set':10}{'features':11}{'items':>7}  {'hash function':16}{'MAP':>6}{'fit s':>8}")
    for name in arguments.sets.split(","):
        y, labels = (text_embeddings(f"{name}_{part}")[1] for part in ("train", "test"))
        items = random.permutation(y.size)[: arguments.training or None]
        queries = random.permutation(labels.size)[:N_QUERIES]
        for kind, X, Q in features(name):
            for function in arguments.functions.split(","):
                score, seconds = measure(function, X[items], y[items], Q[queries], labels[queries])
                row = f"{name:10}{kind:11}{items.size:7,}  {function:16}{score:6.3f}{seconds:8.1f}"
                print(row, flush=True)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()

"""Float queries against codes, compared with queries that are rounded to bits, for every method.

    python benchmarks/float_queries.py [--sets banking77,wordnet] [--bits 32] [--methods itq,tsh]

BANKING77 (official parts: the training part is learned from and searched, with its labels): mean
average precision of whole rankings and precision at 10. WordNet (20,000 random items are learned
from and searched, 1,000 others are queries, no labels, so only methods that need none): recall at
10 of the 10 nearest by cosine. Everything is by default but the number of bits and the seed, 0.

With --json FOLDER every run adds a line to FOLDER/float-queries.jsonl, and runs in that file are
not repeated: use an empty folder for new code.
"""

import argparse
import time
from functools import partial
from pathlib import Path

import numpy as np
from scipy import sparse

from data import DATA, text_embeddings
from hashlearn import make_hasher
from hashlearn.base import METHODS
from hashlearn.metrics import (
    mean_average_precision,
    precision_at_k,
    recall_at_k,
    relevance_from_labels,
)
from results_file import Results

K = 10
N_ITEMS, N_QUERIES = 20_000, 1_000  # of WordNet


def banking77():
    """Return items, their labels, queries and relevance."""
    X, y = text_embeddings("banking77_train")
    queries, labels = text_embeddings("banking77_test")
    return X, y, queries, relevance_from_labels(labels, y)


def wordnet():
    """Return items, no labels, queries and relevance: the nearest by cosine."""
    X, _ = text_embeddings("wordnet")
    chosen = np.random.default_rng(0).permutation(len(X))[: N_ITEMS + N_QUERIES]
    items, queries = X[chosen[:N_ITEMS]], X[chosen[N_ITEMS:]]
    nearest = np.argpartition(-(queries @ items.T), K, axis=1)[:, :K].ravel()
    rows = np.repeat(np.arange(N_QUERIES), K)
    relevance = sparse.csr_array((np.ones(nearest.size), (rows, nearest)), (N_QUERIES, N_ITEMS))
    return items, None, queries, relevance


def by_labels(queries, codes, relevance):
    """Return the measures of labels."""
    return {
        "MAP": mean_average_precision(queries, codes, relevance),
        "precision at 10": precision_at_k(queries, codes, relevance, K).mean(),
    }


def by_neighbours(queries, codes, relevance):
    """Return the measure of neighbours."""
    return {"recall at 10": recall_at_k(queries, codes, relevance, K).mean()}


SETS = {"banking77": (banking77, by_labels), "wordnet": (wordnet, by_neighbours)}


def run(method, n_bits, data, measures):
    """Return the measures of one method with both kinds of queries."""
    X, y, queries, relevance = data
    hasher = make_hasher(method, n_bits=n_bits, random_state=0)
    begin = time.perf_counter()
    hasher.fit(X, y)
    fit_s = time.perf_counter() - begin
    codes = hasher.encode(X)
    found = {"fit s": round(fit_s, 1)}
    kinds = {"hamming": hasher.encode(queries), "float": hasher.encode_queries(queries)}
    for kind, asked in kinds.items():
        values = measures(np.asarray(asked) if kind == "hamming" else asked, codes, relevance)
        found |= {f"{kind} {name}": round(float(value), 4) for name, value in values.items()}
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--bits", default="32,128")
    parser.add_argument("--methods", default=",".join(METHODS.names()))
    parser.add_argument("--json", type=Path, metavar="FOLDER", help="of runs to go on with")
    arguments = parser.parse_args()
    if not (DATA / "embeddings").is_dir():
        parser.error(f"HASHLEARN_DATA is not set or {DATA / 'embeddings'} is missing")
    results = Results(arguments.json / "float-queries.jsonl" if arguments.json else None)
    for name in arguments.sets.split(","):
        read, measures = SETS[name]
        data = read()
        methods = [
            method
            for method in arguments.methods.split(",")
            if data[1] is not None or not METHODS.get(method).supervised
        ]
        for n_bits in map(int, arguments.bits.split(",")):
            lines = [
                results.line(
                    {"set": name, "bits": n_bits, "method": method},
                    partial(run, method, n_bits, data, measures),
                )
                for method in methods
            ]
            print_table(name, n_bits, lines)


def print_table(name, n_bits, lines):
    """Print a row per method: each measure by rounded and by float queries."""
    titles = [key.removeprefix("float ") for key in lines[0] if key.startswith("float ")]
    print(f"{name}, {n_bits} bits: Hamming -> float queries")
    print("| method | " + " | ".join(titles) + " |")
    print("| --- |" + " --- |" * len(titles))
    for line in lines:
        cells = (f"{line[f'hamming {key}']:.3f} -> {line[f'float {key}']:.3f}" for key in titles)
        print(f"| {line['method']} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()

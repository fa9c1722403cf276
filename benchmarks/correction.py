"""Bits of an item decided one by one, together, and by a classifier: what ranks best.

    OPENBLAS_NUM_THREADS=1 python benchmarks/correction.py                # seeds 0, 1, 2
    OPENBLAS_NUM_THREADS=1 python benchmarks/correction.py --choose       # what constants come from

Codes of 32 bits by RBF machines on 2,000 training items, whose bandwidth and C are those that the
paper's tables use (hashlearn.experiments). In the protocol "usual" queries are of the classes of
the training items, in "unseen" of classes that were kept out. All variants share the machines, the
class codes, and margins of training items by machines that have not seen them. Area is that under
precision and recall over Hamming radii, MAP is over the first 1,000, with ties by position.

With --choose, splits have other seeds, and no query of the seeds 0, 1, 2 is in them: this is what
the constants of the correction were chosen by.

- plain: the sign of every margin.
- classifier: the code of the class with the largest posterior.
- mean code: the signs of p Z, the mean of the class codes under the posterior p. "sharp" is with a
  posterior to the power of 4, "flat" of 0.5.
- sum: the signs of f + tau p Z, margins and mean code.
- dither: every bit is 1 with the probability that the mean code says, drawn per item.
- corrected, a, b: the posterior to the power a, its mean code lengthened by b; 0.5, 0.7 is the
  library's. "full rank": of 32 bits, not their projection onto the class codes alone, is the
  difference to v counted.
"""

import argparse
import warnings
from dataclasses import replace

import numpy as np
from scipy.special import softmax

from hashlearn import TwoStepHasher
from hashlearn.experiments.cells import Cell
from hashlearn.experiments.protocol import Sizes, draw_split
from hashlearn.experiments.running import build_hasher, choose
from hashlearn.experiments.sets import load_set
from hashlearn.metrics import evaluate
from hashlearn.search import pack_codes
from hashlearn.two_step import _correction

SETS, PROTOCOLS = ("cifar10", "mnist"), ("usual", "unseen")
REPORTED, CHOSEN_BY = (0, 1, 2), (101, 102)
N_BITS, N_CHOOSING = 32, 1_000
MEASURES = ("area", "MAP", "P@300")


def without_reported_queries(data):
    """Return the set without the items that are queries of the reported seeds."""
    orders = [np.random.RandomState(seed).permutation(data.n_items) for seed in REPORTED]
    kept = np.ones(data.n_items, dtype=bool)
    kept[np.concatenate([order[: Sizes().n_queries] for order in orders])] = False
    return replace(data, X=data.X[kept], y=data.y[kept], images=None, fingerprint="choosing")


class Margins:
    """Margins of queries and database, the posterior and the correction of one split."""

    def __init__(self, data, protocol, seed, n_queries):
        cell = Cell(data.name, protocol, "tsh", "rbf-svm", N_BITS, seed, n_queries=n_queries)
        self.split = draw_split(data, protocol, cell.sizes, seed)
        chosen = choose(cell, data, self.split, None)
        X, y = data.X[self.split.training], self.split.supervision["y"]
        hasher: TwoStepHasher = build_hasher(cell, chosen, None)
        hasher.set_params(correct=True).fit(X, y)
        self.correction = hasher.correction_
        rows = {"queries": self.split.queries, "database": self.split.database}
        function = hasher.hash_function_
        self.of = {side: function.decision_function(data.X[of]) for side, of in rows.items()}

    def measures(self, codes):
        """Return the measures of codes, a function of margins."""
        packed = [pack_codes((codes(of) > 0).astype(np.uint8)) for of in self.of.values()]
        how = {"k": 300, "map_cutoff": 1000, "ties": "insertion", "n_bits": N_BITS}
        return list(evaluate(*packed, self.split.relevance, **how))[:3]

    def posterior(self, margins, power=1.0):
        """Return the posterior of the classes, to a power."""
        c = self.correction
        scores = margins / c.scale_ @ c.weights_ + c.intercepts_
        return softmax(power * scores, axis=1)

    def of_full_rank(self):
        """Return the correction that draws all bits to the mean code."""
        full = _correction.ClassCorrection()
        vars(full).update(vars(self.correction))
        full.projection_ = np.eye(N_BITS)
        return full


def corrected(correction, flattening, lengthening):
    """Return codes by the correction with other constants."""

    def codes(margins):
        kept = _correction.FLATTENING, _correction.LENGTHENING
        _correction.FLATTENING, _correction.LENGTHENING = flattening, lengthening
        found = correction.margins(margins)
        _correction.FLATTENING, _correction.LENGTHENING = kept
        return found

    return codes


def variants(m):
    """Return the codes of every variant, functions of margins."""
    Z, tau, random = m.correction.codes_, m.correction.scale_, np.random.RandomState(0)
    library = _correction.FLATTENING, _correction.LENGTHENING
    found = {
        "plain": lambda f: f,
        "classifier": lambda f: Z[m.posterior(f).argmax(axis=1)],
        "mean code": lambda f: m.posterior(f) @ Z,
        "mean code, sharp": lambda f: m.posterior(f, 4.0) @ Z,
        "mean code, flat": lambda f: m.posterior(f, 0.5) @ Z,
        "sum": lambda f: f + tau * m.posterior(f) @ Z,
        "dither": lambda f: m.posterior(f) @ Z - random.uniform(-1, 1, f.shape),
        "corrected, full rank": corrected(m.of_full_rank(), *library),
    }
    for constants in ((1.0, 0.0), (1.0, 1.0), (0.5, 0.5), (0.5, 1.0), (0.7, 0.7), library):
        found[f"corrected, {constants[0]}, {constants[1]}"] = corrected(m.correction, *constants)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--protocols", default=",".join(PROTOCOLS))
    parser.add_argument("--seeds", default="")
    parser.add_argument("--choose", action="store_true", help="on splits that are not reported")
    parser.add_argument("--data-home", help="a folder with the data sets")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    seeds = arguments.seeds or ",".join(map(str, CHOSEN_BY if arguments.choose else REPORTED))
    n_queries = N_CHOOSING if arguments.choose else Sizes().n_queries
    for name in arguments.sets.split(","):
        data = load_set(name, arguments.data_home)
        data = without_reported_queries(data) if arguments.choose else data
        for protocol in arguments.protocols.split(","):
            found = {}
            for seed in map(int, seeds.split(",")):
                margins = Margins(data, protocol, seed, n_queries)
                for variant, codes in variants(margins).items():
                    found.setdefault(variant, []).append(margins.measures(codes))
            print(f"\n{name}, {protocol}, seeds {seeds}: mean and standard deviation")
            print(f"{'':24}" + "".join(f"{measure:>15}" for measure in MEASURES))
            for variant, rows in found.items():
                spread = zip(np.mean(rows, axis=0), np.std(rows, axis=0), strict=True)
                cells = "".join(f"{f'{mean:.3f} ± {std:.3f}':>15}" for mean, std in spread)
                print(f"{variant:24}{cells}", flush=True)


if __name__ == "__main__":
    main()

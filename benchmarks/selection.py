"""C chosen on 2,000 sampled items and used for 20,000: retrieval on held-out items.

    python benchmarks/selection.py

The library keeps C; the alternative keeps C n, the paper's unit. Retrieval is the mean average
precision of 3,000 held-out TMC2007 reports searched in themselves, 16 bits, kernel features.
"""

import numpy as np

from data import tmc2007
from hashlearn import TwoStepHasher
from hashlearn.hash_functions import KernelFeaturesHash

N_TEST, N_TRAIN, N_SAMPLED = 3_000, 20_000, 2_000


def score(hash_function, X, y, test, train):
    hasher = TwoStepHasher(n_bits=16, hash_function=hash_function, random_state=0)
    hasher.fit(X[train], y[train])
    return hasher.score(X[test], y[test]), hasher.hash_function_


def main():
    X, y = tmc2007()
    X = X.astype(np.float32)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(X.shape[0])
        test, train = order[:N_TEST], order[N_TEST : N_TEST + N_TRAIN]
        kept, chosen = score(KernelFeaturesHash(), X, y, test, train)
        C = chosen.C_ * N_SAMPLED / N_TRAIN
        same_c = KernelFeaturesHash(C=C, sigma=chosen.sigma_)
        scaled, _ = score(same_c, X, y, test, train)
        print(f"seed {seed}: C={chosen.C_:g} kept {kept:.4f}, C={C:g} scaled {scaled:.4f}")


if __name__ == "__main__":
    main()

"""The paper's two steps, implemented directly with SciPy and scikit-learn, as a peer.

Dense n x n matrices, a formula per pair, `eigsh` and L-BFGS-B at their default tolerances, one
`SVC` per bit. Nothing here is shared with the library.
"""

import numpy as np
from scipy.optimize import minimize
from scipy.sparse.linalg import eigsh
from sklearn.svm import SVC

LOSSES = {
    "ksh": lambda s, y, m: (s - m * y) ** 2,
    "bre": lambda s, y, m: ((m - s) / 2 / m - (y < 0)) ** 2,
    "splh": lambda s, y, m: np.exp(-y * s / m),
    "ee": lambda s, y, m: np.where(y > 0, (m - s) / 2, 100 * np.exp(-(m - s) / 2 / m)),
    "exph": lambda s, y, m: np.exp((y * (m - s) / 2 + m * (y < 0)) / m),
}


def objective(Z, Y, loss):
    """Sum the loss over defined ordered pairs i != j."""
    losses = np.where(Y != 0, LOSSES[loss](Z @ Z.T, Y, Z.shape[1]), 0.0)
    return losses.sum() - np.trace(losses)


def step_one(Y, loss, n_bits, start="ones", n_cycles=1, seed=0):
    """Infer codes in {-1, +1} by Algorithm 1 from a dense affinity with zero diagonal."""
    n = Y.shape[0]
    rng = np.random.default_rng(seed)
    starts = {
        "ones": lambda: np.ones((n, n_bits)),
        "empty": lambda: np.zeros((n, n_bits)),
        "random": lambda: rng.choice([-1.0, 1.0], size=(n, n_bits)),
    }
    Z = starts[start]()
    for _ in range(n_cycles):
        for k in range(n_bits):
            others = np.delete(Z, k, axis=1)
            s = others @ others.T
            A = LOSSES[loss](s + 1, Y, n_bits) - LOSSES[loss](s - 1, Y, n_bits)
            A = np.where(Y != 0, A, 0.0)
            np.fill_diagonal(A, 0)
            Z[:, k] = solve_binary(A, rng)
    return Z


def solve_binary(A, rng):
    """Minimise z^T A z: the smallest eigenvector, then L-BFGS-B in the box, then signs."""
    n = A.shape[0]
    if n > 2:
        z = eigsh(A, k=1, which="SA", v0=rng.uniform(-1, 1, n))[1][:, 0] * np.sqrt(n)
    else:
        z = np.linalg.eigh(A)[1][:, 0] * np.sqrt(n)

    def value_and_gradient(z):
        product = A @ z
        return z @ product, 2 * product

    z = minimize(value_and_gradient, z, jac=True, method="L-BFGS-B", bounds=[(-1, 1)] * n).x
    return np.where(z < 0, -1.0, 1.0)


def step_two(X, Z, C, gamma):
    """Train one RBF-kernel SVM per bit."""
    return [SVC(C=C, gamma=gamma).fit(X, z) for z in Z.T]

"""An affinity that no file of the library knows works wherever an affinity does."""

import numpy as np
import pytest
import scipy.sparse as sp

from hashlearn import TwoStepHasher, make_hasher
from hashlearn.affinity import Affinity, SparseAffinity
from hashlearn.inference import SOLVERS, as_inference
from hashlearn.inference._objectives import make_objective
from hashlearn.inference._problems import DenseProblem, SparseProblem
from hashlearn.inference._product_problems import ClassProblem, GraphProblem, QuadraticProblem
from hashlearn.losses import LOSSES, as_loss

N = 90  # more than are solved with all pairs in a matrix
SUPERVISED = ("bres", "cghash", "ksh", "mlh", "splh", "sths", "fasthash")


class RingAffinity(Affinity):
    """Items on a ring are similar within a width; it defines what every affinity must."""

    def __init__(self, positions, width=6):
        self.positions, self.width = np.asarray(positions), width

    @property
    def n_items(self):
        return self.positions.size

    @property
    def n_similar(self):
        return int((self.block(slice(None)) > 0).sum()) // 2

    def _take(self, items):
        return RingAffinity(self.positions[items], self.width)

    def at(self, i, j):
        apart = np.abs(self.positions[i] - self.positions[j])
        near = np.minimum(apart, N - apart) <= self.width
        return np.where(i == j, 0, np.where(near, 1, -1)).astype(np.int8)

    def block(self, rows):
        items = np.arange(self.n_items)
        return self.at(items[rows][:, None], items)

    def dot(self, V):
        return self.block(slice(None)).astype(float) @ V


class Declared(RingAffinity):
    """The same, and what it can do beyond that is given."""

    def __init__(self, positions, **offered):
        super().__init__(positions)
        vars(self).update(offered)


@pytest.fixture(scope="module")
def ring():
    return RingAffinity(np.random.default_rng(0).permutation(N))


@pytest.fixture(scope="module")
def points(ring):
    angle = 2 * np.pi * ring.positions / N
    return np.column_stack([np.cos(angle), np.sin(angle)])


def infer(affinity, loss, solver="sign-flip", n_bits=4, seed=0):
    loss = as_loss(loss)
    inference = as_inference("auto" if loss.needs_balance else solver, loss)
    inference.check(loss)
    inference.check_affinity(affinity, loss)
    random_state = np.random.RandomState(seed)
    return inference.infer(affinity, loss, n_bits, random_state=random_state)


@pytest.mark.parametrize("loss", LOSSES.names())
def test_every_loss_takes_it(loss, ring):
    step_one = infer(ring, loss)
    Z, Y = 2 * step_one.codes.astype(int) - 1, ring.block(slice(None)).astype(int)
    losses = np.where(Y != 0, as_loss(loss)(Z @ Z.T, Y, 4), 0)
    assert step_one.objective[-1] == pytest.approx(losses.sum())


@pytest.mark.parametrize("solver", SOLVERS.names())
def test_every_solver_takes_it(solver, ring):
    objective = infer(ring, "bre", solver).objective
    assert (np.diff(objective) <= 1e-9 * objective[0]).all()


@pytest.mark.filterwarnings("ignore:The objective rose")
def test_bits_one_by_one_take_it(ring, points):
    hasher = TwoStepHasher(
        4, inference="graph-cut", stagewise=True, hash_function="linear-svm", random_state=0
    )
    assert hasher.fit(points, affinity=ring).codes_.shape == (N, 4)


@pytest.mark.parametrize("method", SUPERVISED)
def test_methods_that_learn_from_pairs_take_it(method, ring, points):
    params = {"n_anchors": 20} if method == "ksh" else {}
    hasher = make_hasher(method, n_bits=4, random_state=0, **params)
    codes = hasher.fit(points, affinity=ring).codes_
    assert codes.shape == (N, 4)


def test_pairs_triplets_and_samples_are_drawn_from_it(ring):
    random_state = np.random.RandomState(0)
    pairs = ring.draw_pairs(100, random_state)
    np.testing.assert_array_equal(pairs.y, ring.at(pairs.i, pairs.j))
    i, j, k = ring.draw_triplets(100, random_state)
    assert (ring.at(i, j) > 0).all()
    assert (ring.at(i, k) < 0).all()
    sample = ring.sample_pairs(random_state).stored_pairs.tocoo()
    np.testing.assert_array_equal(sample.data, ring.at(*sample.coords))


def test_more_items_than_fit_take_a_sample_of_its_pairs(ring, monkeypatch):
    monkeypatch.setattr("hashlearn.inference._objectives.MAX_DENSE_ITEMS", 50)
    with pytest.warns(UserWarning, match="a sample of the dissimilar ones"):
        codes = infer(ring, "splh", n_bits=16).codes
    distances, Y = (codes[:, None] != codes).sum(axis=2), ring.block(slice(None))
    assert distances[Y > 0].mean() + 2 < distances[Y < 0].mean()


def test_what_it_declares_chooses_the_form(ring):
    similar = sp.csr_array((ring.block(slice(None)) > 0).astype(np.int8))
    stored = SparseAffinity.from_pairs([(0, 1, 1), (1, 2, -1)], N).stored_pairs
    for offered, form in (
        ({}, QuadraticProblem),
        ({"classes": np.arange(N) // 2}, ClassProblem),
        ({"similar_pairs": similar}, GraphProblem),
        ({"stored_pairs": stored}, SparseProblem),
        ({"cheap_products": False}, DenseProblem),
    ):
        affinity = Declared(ring.positions, **offered)
        objective, _ = make_objective(
            affinity, as_loss("ksh"), 4, np.ones(N), np.zeros(N), np.random.RandomState(0)
        )
        assert type(objective.problem(0)) is form

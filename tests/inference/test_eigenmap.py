"""Laws of the balanced inference for the Laplacian loss."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from hashlearn.affinity import LabelAffinity, NeighborAffinity, SparseAffinity
from hashlearn.inference import Eigenmap, as_inference, eigenmap, laplacian_eigenvectors
from hashlearn.losses import as_loss
from tests.affinities import random_affinity

LAPLACIAN = as_loss("laplacian")


def infer(affinity, n_bits, seed=0):
    random_state = np.random.RandomState(seed)
    return Eigenmap().infer(affinity, LAPLACIAN, n_bits, random_state=random_state)


@pytest.mark.parametrize("n", [60, 700])  # a full decomposition, and Lanczos
def test_bits_are_balanced_and_hardly_correlated(n):
    X = np.random.default_rng(0).uniform(size=(n, 2))
    codes = infer(NeighborAffinity.from_data(X, n_neighbors=8), 5).codes
    assert np.abs(codes.mean(axis=0) - 0.5).max() <= 1 / n
    correlations = np.corrcoef(codes.T) - np.eye(5)
    assert np.abs(correlations).max() < 0.5


def test_the_first_bit_cuts_the_weakest_link():
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 4]
    bit = infer(NeighborAffinity.from_data(X, n_neighbors=15), 1).codes[:, 0]
    assert np.unique(bit[:30]).size == np.unique(bit[30:]).size == 1


@pytest.mark.parametrize("kind", ["labels", "multilabel", "neighbors", "dense", "sparse"])
def test_objective_is_the_distance_of_similar_pairs(kind):
    affinity = random_affinity(kind, 20, 1)
    step_one = infer(affinity, 2)
    distances = (step_one.codes[:, None] != step_one.codes).sum(axis=2)
    similar = affinity.block(slice(None)) > 0
    assert step_one.objective[-1] == pytest.approx(distances[similar].sum())


def test_auto_takes_it_for_the_laplacian_loss_only():
    assert isinstance(as_inference("auto", LAPLACIAN), Eigenmap)
    with pytest.raises(ValueError, match="Laplacian loss only"):
        Eigenmap().check(as_loss("bre"))
    with pytest.raises(ValueError, match="items of the same class; all 2 labels are different"):
        Eigenmap().check_affinity(LabelAffinity([0, 1]), LAPLACIAN)
    with pytest.raises(ValueError, match="n_bits=5"):
        infer(LabelAffinity([0, 0, 1]), 5)


@pytest.mark.parametrize("n", [60, 900])
def test_classes_have_one_bit_less_than_there_are_and_more_are_told(n):
    """On a graph of separate parts the constant vector is one of many; it once took a bit."""
    y = np.arange(n) % 4
    codes = infer(LabelAffinity(y), 3).codes
    assert all(np.unique(codes[y == c], axis=0).shape[0] == 1 for c in range(4))
    assert np.unique(codes, axis=0).shape[0] == 4
    with pytest.warns(ConvergenceWarning, match="5 of 8 bits carry no similarity") as told:
        infer(LabelAffinity(y), 8)
    assert told[0].filename == __file__


@pytest.mark.parametrize("n", [80, 900])
def test_bits_beyond_the_classes_leave_all_but_the_largest_class_whole(n):
    y = np.minimum(np.arange(n) % 8, 3)  # the last class is the largest
    with pytest.warns(ConvergenceWarning, match="3 of 6 bits carry no similarity"):
        codes = infer(LabelAffinity(y), 6).codes
    assert all(np.unique(codes[y == c], axis=0).shape[0] == 1 for c in range(3))


def test_items_without_edges_are_no_bit_of_their_own():
    chain = [(i, i + 1, 1) for i in range(29)]
    affinity = SparseAffinity.from_pairs(chain, n_items=60)
    V = laplacian_eigenvectors(affinity, 6, np.random.RandomState(0))
    assert (np.ptp(V[:30], axis=0) > 1e-3).all()  # each tells items of the chain apart


@pytest.mark.parametrize("fails", [False, True])
def test_equal_eigenvalues_are_found_if_lapack_fails_on_a_subset(monkeypatch, fails):
    """Of 300 items in 5 classes LAPACK refused the 32 largest: STHs failed on such sets."""
    solve = eigenmap.eigh

    def eigh(matrix, subset_by_index=None, **options):
        if subset_by_index is not None and fails:
            raise np.linalg.LinAlgError("Internal Error.")
        return solve(matrix, subset_by_index=subset_by_index, **options)

    monkeypatch.setattr(eigenmap, "eigh", eigh)
    y = np.arange(300) % 5
    with pytest.warns(ConvergenceWarning, match="28 of 32 bits carry no similarity"):
        V = laplacian_eigenvectors(LabelAffinity(y), 32, np.random.RandomState(0))
    of_classes = V[:, :4]
    assert V.shape == (300, 32)
    np.testing.assert_allclose(of_classes, of_classes[y], atol=1e-9)  # alike within a class

"""Laws of fingerprints: equal for equal work, also in another program; else different."""

import numpy as np
import scipy.sparse as sp

from hashlearn import TwoStepHasher
from hashlearn.affinity import LabelAffinity, SparseAffinity
from hashlearn.base.fit_description import _digest, describe_fit
from hashlearn.hash_functions import LinearSVMHash


def test_data_of_one_content_has_one_digest():
    X = np.random.default_rng(0).normal(size=(3000, 4))
    assert _digest(X) == _digest(X.copy()) == _digest(np.asfortranarray(X))
    assert _digest(sp.csr_array(X)) == _digest(sp.csr_array(X.copy()))
    assert _digest(LabelAffinity([0, 1, 0])) == _digest(LabelAffinity(["a", "b", "a"]))
    assert _digest(["a", "b"]) == _digest(np.array(["a", "b"]))


def test_data_of_other_content_has_another_digest():
    X = np.arange(12.0).reshape(4, 3)
    others = [X + 1, X[:3], X.astype(np.float32), X.reshape(3, 4), sp.csr_array(X), X[::-1], None]
    assert len({_digest(other) for other in [X, *others]}) == len(others) + 1
    assert _digest(LabelAffinity([0, 1, 0])) != _digest(LabelAffinity([0, 1, 1]))
    pairs = [SparseAffinity.from_pairs([(i, i + 1, 1)], 40) for i in range(39)]
    assert len(set(map(_digest, pairs))) == 39
    assert _digest(np.array(["a", "b"], dtype=object)) != _digest(
        np.array(["a", "c"], dtype=object)
    )


def test_one_other_row_is_noticed_in_data_of_any_size():
    for data in (np.zeros((5000, 3)), np.zeros(5000), np.zeros((5000, 3), dtype=object)):
        other = data.copy()
        other[1234] = 1
        assert _digest(data) != _digest(other)


def test_sparse_matrices_of_any_format_and_odd_values_have_a_digest():
    A = sp.random_array((40, 40), density=0.1, rng=0)
    assert _digest(sp.coo_matrix(A)) == _digest(A.tocsr())
    assert _digest("nonsense") != _digest(3)


def test_parameters_count_if_they_change_the_bits():
    plain = describe_fit(TwoStepHasher())
    assert describe_fit(TwoStepHasher(n_jobs=2, verbose=1)) == plain
    assert describe_fit(TwoStepHasher(n_bits=8)) != plain
    assert describe_fit(TwoStepHasher(max_memory="1MB")) != plain


def test_a_function_is_told_by_what_it_does():
    def make(target):
        return TwoStepHasher(loss=lambda s, y: (s - target * y) ** 2)

    assert describe_fit(make(2)) == describe_fit(make(2))
    assert describe_fit(make(2)) != describe_fit(make(3))
    assert describe_fit(make(2)) != describe_fit(TwoStepHasher(loss=lambda s, y: abs(s - y)))


def test_parameters_of_parts_count_alike():
    plain = describe_fit(TwoStepHasher(hash_function=LinearSVMHash()))
    assert describe_fit(TwoStepHasher(hash_function=LinearSVMHash(n_jobs=2))) == plain
    assert describe_fit(TwoStepHasher(hash_function=LinearSVMHash(C=3.0))) != plain

"""Laws of fingerprints: equal for equal work, also in another program; else different."""

import numpy as np
import scipy.sparse as sp

from hashlearn import TwoStepHasher
from hashlearn.affinity import LabelAffinity
from hashlearn.hash_functions import LinearSVMHash
from hashlearn.two_step._fingerprint import digest, fingerprint


def test_data_of_one_content_has_one_digest():
    X = np.random.default_rng(0).normal(size=(3000, 4))
    assert digest(X) == digest(X.copy()) == digest(np.asfortranarray(X))
    assert digest(sp.csr_array(X)) == digest(sp.csr_array(X.copy()))
    assert digest(LabelAffinity([0, 1, 0])) == digest(LabelAffinity(["a", "b", "a"]))
    assert digest(["a", "b"]) == digest(np.array(["a", "b"]))


def test_data_of_other_content_has_another_digest():
    X = np.arange(12.0).reshape(4, 3)
    others = [X + 1, X[:3], X.astype(np.float32), X.reshape(3, 4), sp.csr_array(X), X[::-1], None]
    assert len({digest(other) for other in [X, *others]}) == len(others) + 1
    assert digest(LabelAffinity([0, 1, 0])) != digest(LabelAffinity([0, 1, 1]))
    assert digest(np.array(["a", "b"], dtype=object)) != digest(np.array(["a", "c"], dtype=object))


def test_one_other_row_is_noticed_in_data_of_any_size():
    for data in (np.zeros((5000, 3)), np.zeros(5000), np.zeros((5000, 3), dtype=object)):
        other = data.copy()
        other[1234] = 1
        assert digest(data) != digest(other)


def test_sparse_matrices_of_any_format_and_odd_values_have_a_digest():
    A = sp.random_array((40, 40), density=0.1, rng=0)
    assert digest(sp.coo_matrix(A)) == digest(A.tocsr())
    assert digest("nonsense") != digest(3)


def test_parameters_count_if_they_change_the_bits():
    plain = fingerprint(TwoStepHasher())
    assert fingerprint(TwoStepHasher(n_jobs=2, verbose=1)) == plain
    assert fingerprint(TwoStepHasher(n_bits=8)) != plain
    assert fingerprint(TwoStepHasher(max_memory="1MB")) != plain


def test_a_function_is_told_by_what_it_does():
    def make(target):
        return TwoStepHasher(loss=lambda s, y: (s - target * y) ** 2)

    assert fingerprint(make(2)) == fingerprint(make(2))
    assert fingerprint(make(2)) != fingerprint(make(3))
    assert fingerprint(make(2)) != fingerprint(TwoStepHasher(loss=lambda s, y: abs(s - y)))


def test_parameters_of_parts_count_alike():
    plain = fingerprint(TwoStepHasher(hash_function=LinearSVMHash()))
    assert fingerprint(TwoStepHasher(hash_function=LinearSVMHash(n_jobs=2))) == plain
    assert fingerprint(TwoStepHasher(hash_function=LinearSVMHash(C=3.0))) != plain

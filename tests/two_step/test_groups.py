"""Laws of groups that are known: codes stay, new ones come at the end, items are counted."""

import numpy as np
import pytest
import scipy.sparse as sp

from hashlearn.affinity import as_labels
from hashlearn.losses import as_loss
from hashlearn.two_step._groups import NO_GROUP, extend_groups, groups_of

CODES = np.array([[0, 0, 1, 1], [1, 1, 0, 0], [0, 0, 1, 1]], dtype=np.uint8)


def extend(known, y, weights=None, seed=0):
    y = as_labels(y)
    weights = np.ones(y.shape[0]) if weights is None else np.asarray(weights, dtype=float)
    return extend_groups(known, y, weights, as_loss("bre"), np.random.RandomState(seed))


@pytest.fixture
def animals():
    return groups_of(np.array(["cat", "dog", "cat"]), np.array([0, 1, 0]), CODES, None)


def test_groups_are_known_by_label_code_and_size(animals):
    assert animals.labels.tolist() == ["cat", "dog"]
    np.testing.assert_array_equal(animals.codes, CODES[:2])
    assert animals.sizes.tolist() == [2, 1]


def test_items_of_known_classes_take_their_group_and_are_counted(animals):
    known, group = extend(animals, ["dog", "dog", "cat"])
    assert group.tolist() == [1, 1, 0]
    assert known.sizes.tolist() == [3, 3]
    np.testing.assert_array_equal(known.codes, animals.codes)


def test_new_classes_get_codes_of_their_own_and_no_code_changes(animals):
    known, group = extend(animals, ["fox", "dog", "emu", "fox"])
    assert known.labels.tolist() == ["cat", "dog", "emu", "fox"]
    assert group.tolist() == [3, 1, 2, 3]
    assert known.sizes.tolist() == [2, 2, 1, 2]
    np.testing.assert_array_equal(known.codes[:2], animals.codes)
    assert len(np.unique(known.codes, axis=0)) == 4


def test_items_of_weight_0_do_not_make_a_group(animals):
    known, group = extend(animals, ["fox", "cat"], weights=[0, 2.5])
    assert known.labels.tolist() == ["cat", "dog"]
    assert group.tolist() == [NO_GROUP, 0]
    assert known.sizes.tolist() == [4.5, 1]


@pytest.mark.parametrize("as_matrix", [np.asarray, sp.csr_array])
def test_label_sets_are_groups(as_matrix):
    y = as_labels(as_matrix(np.array([[1, 1, 0], [0, 0, 1], [1, 1, 0]])))
    known = groups_of(y, np.array([0, 1, 0]), CODES, np.array([1.0, 1.0, 3.0]))
    assert known.sizes.tolist() == [4, 1]
    known, group = extend(known, [[0, 0, 1], [0, 1, 0], [0, 0, 0]])
    assert group.tolist() == [1, 2, NO_GROUP]
    near = (known.codes[2] != known.codes[0]).sum()
    far = (known.codes[2] != known.codes[1]).sum()
    assert near < far  # the new set shares a label with the first


def test_objects_are_labels_too():
    labels = np.array(["cat", "dog"], dtype=object)
    known = groups_of(labels, np.arange(2), CODES[:2], None)
    known, group = extend(known, np.array(["dog", "emu"], dtype=object))
    assert group.tolist() == [1, 2]

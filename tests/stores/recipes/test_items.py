"""Layouts, items and queries of recipes are checked before anything is sent."""

import numpy as np
import pytest

from hashlearn.stores.batches import Batch
from hashlearn.stores.recipes import make_layout
from hashlearn.stores.recipes.items import as_code, parts_of

CODES = np.zeros((2, 2), dtype=np.uint8)


@pytest.mark.parametrize(
    ("n_bits", "columns", "reason"),
    [
        (0, None, "n_bits=0"),
        (8, {"code": int}, "'code' is there already"),
        (8, {"a b": int}, "is no name"),
        (8, {"when": complex}, "it takes int, float, str or bool"),
    ],
)
def test_wrong_layouts_are_refused(n_bits, columns, reason):
    with pytest.raises(ValueError, match=reason):
        make_layout(n_bits, columns)


@pytest.mark.parametrize(
    ("packed", "ids", "values", "reason"),
    [
        (CODES[:, :1], [1, 2], {"digit": [1, 2]}, "1 bytes wide"),
        (CODES, [1], {"digit": [1, 2]}, "ids"),
        (CODES, [1, 1], {"digit": [1, 2]}, "1"),
        (CODES, [1, -1], {"digit": [1, 2]}, "-1"),
        (CODES, [1, 2], None, "takes 'digit'"),
        (CODES, [1, 2], {"digit": ["a", "b"]}, "takes int"),
    ],
)
def test_wrong_items_are_refused(packed, ids, values, reason):
    with pytest.raises(ValueError, match=reason):
        Batch.checked(make_layout(13, {"digit": int}), packed, ids, values)


def test_parts_hold_every_item_once():
    layout, packed = make_layout(8), np.arange(10, dtype=np.uint8)[:, np.newaxis]
    batch = Batch.checked(layout, packed, range(10), None)
    parts = list(parts_of(batch, 4))
    assert [len(part.ids) for part in parts] == [4, 4, 2]
    assert np.array_equal(np.concatenate([part.packed for part in parts]), packed)
    with pytest.raises(ValueError, match="batch_size=0"):
        parts_of(batch, 0)


def test_a_query_is_one_code():
    assert as_code(make_layout(13), np.array([3, 8], dtype=np.uint8)).tolist() == [3, 8]
    with pytest.raises(ValueError, match=r"query has shape \(2, 2\)"):
        as_code(make_layout(13), CODES)

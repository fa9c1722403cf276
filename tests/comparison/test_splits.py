"""Laws of splits: parts are disjoint, and what is reported is measured on queries of their own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.comparison import _splits
from hashlearn.comparison._splits import N_FOLDS, Split, draw_split, screened, sizes_for

settings = {
    "n": st.integers(50, 400),
    "labelled": st.booleans(),
    "seed": st.integers(0, 1000),
}


def folds(n, labelled, seed):
    """Return the folds of items whose positions have gaps."""
    items = 3 * np.arange(n)
    return [draw_split(items, sizes_for(n, labelled=labelled), f, seed) for f in range(N_FOLDS)]


@given(**settings)
def test_no_item_is_in_two_parts(n, labelled, seed):
    for split in folds(n, labelled, seed):
        together = np.concatenate(split)
        assert np.unique(together).size == together.size
        assert np.isin(together, 3 * np.arange(n)).all()


@given(**settings)
def test_reporting_queries_are_in_no_other_part_of_any_fold(n, labelled, seed):
    first, *others = all_folds = folds(n, labelled, seed)
    for split in others:
        np.testing.assert_array_equal(split.reporting, first.reporting)
    for split in all_folds:
        used = np.concatenate([split.training, split.database, split.choosing])
        assert not np.isin(first.reporting, used).any()


@given(**settings)
def test_folds_choose_by_queries_of_their_own(n, labelled, seed):
    choosing = np.concatenate([split.choosing for split in folds(n, labelled, seed)])
    assert np.unique(choosing).size == choosing.size


@given(**settings)
def test_parts_have_their_sizes_and_are_in_order(n, labelled, seed):
    sizes = sizes_for(n, labelled=labelled)
    for split in folds(n, labelled, seed):
        assert tuple(map(len, split)) == (
            *(sizes.n_training, sizes.n_database),
            *(sizes.n_queries, sizes.n_queries),
        )
        assert all((np.diff(part) > 0).all() for part in split)


@given(n=st.integers(50, 10**9), labelled=st.booleans())
def test_sizes_are_bounded_and_no_part_is_empty(n, labelled):
    sizes = sizes_for(n, labelled=labelled)
    assert min(sizes) >= 1
    assert 2 * sizes.n_queries + sizes.n_training + sizes.n_database <= n
    assert sizes.n_queries <= 1_000
    assert sizes.n_training <= 10_000
    assert not labelled or sizes.n_database <= 10_000
    assert all(few <= all_of for few, all_of in zip(sizes.screening(), sizes, strict=True))


def test_recall_is_measured_in_a_database_as_large_as_there_is():
    sizes = sizes_for(1_000_000, labelled=False)
    assert 2 * sizes.n_queries + sizes.n_training + sizes.n_database == 1_000_000


@given(seed=st.integers(0, 1000))
def test_a_first_round_has_some_of_the_items_and_none_to_report_on(seed):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_splits, "SCREENING_TRAINING", 20)
        sizes = sizes_for(400, labelled=True)
        whole = draw_split(np.arange(400), sizes, 0, seed)
        few = screened(whole, sizes.screening(), seed)
    assert (few.training.size, few.reporting.size) == (20, 0)
    assert all(np.isin(part, all_of).all() for part, all_of in zip(few, whole, strict=True))


def test_the_seed_decides_the_split():
    sizes = sizes_for(200, labelled=True)
    one, same, other = (draw_split(np.arange(200), sizes, 0, seed) for seed in (1, 1, 2))
    for name in Split._fields:
        np.testing.assert_array_equal(getattr(one, name), getattr(same, name))
        assert not np.array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("n", [0, 5, 49])
def test_too_few_items_are_refused(n):
    with pytest.raises(ValueError, match=f"at least 50 items are needed.*got {n}"):
        sizes_for(n, labelled=True)

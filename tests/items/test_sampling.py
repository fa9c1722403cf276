"""Samples of items."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hashlearn.items import base, csv, open_items, sample_items, sampling
from tests.items.item_files import KINDS, write


@pytest.mark.parametrize("kind", KINDS)
@given(n_items=st.integers(0, 60), n=st.integers(1, 70), seed=st.integers(0, 2**32 - 1))
def test_sample_is_the_same_for_every_kind_of_file_and_block(
    kind, n_items, n, seed, tmp_path_factory
):
    X = np.arange(2.0 * n_items).reshape(n_items, 2)
    path = write(tmp_path_factory.mktemp("items") / f"X{kind}", X)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(base, "BLOCK_BYTES", 160)
        patch.setattr(csv, "BLOCK_CHARACTERS", 100)
        patch.setattr(sampling, "DRAWS", 9)
        block, positions, n_seen = sample_items(open_items(path), n, random_state=seed)
    draws = np.random.RandomState(seed).random_sample(n_items)
    np.testing.assert_array_equal(positions, np.sort(np.argsort(draws)[:n]))
    np.testing.assert_array_equal(block.features, X[positions])
    assert n_seen == n_items


@pytest.mark.parametrize("kind", [".npz", ".csv", ".parquet"])
def test_labels_stay_with_their_items(kind, tmp_path):
    X = np.arange(100.0).reshape(50, 2)
    label = np.array([f"label {i}" for i in range(50)])
    source = open_items(write(tmp_path / f"X{kind}", X, label=label))
    block, *_ = sample_items(source, 10, random_state=0, others=("label",))
    rows = (block.features[:, 0] / 2).astype(int)
    np.testing.assert_array_equal(block.features, X[rows])
    np.testing.assert_array_equal(block.others["label"], label[rows])


@pytest.mark.parametrize("kind", [".npy", ".csv"])
def test_every_item_is_as_likely(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(csv, "BLOCK_CHARACTERS", 30)
    n_items, n, n_samples = 20, 5, 1000
    source = open_items(write(tmp_path / f"X{kind}", np.arange(20.0)[:, None]))
    random = np.random.RandomState(0)
    counts = np.zeros(n_items)
    for _ in range(n_samples):
        block, *_ = sample_items(source, n, random)
        counts[block.features[:, 0].astype(int)] += 1
    share = n / n_items
    assert np.abs(counts / n_samples - share).max() < 4 * np.sqrt(share * (1 - share) / n_samples)


@pytest.mark.parametrize("kind", KINDS)
def test_wrong_requests_are_refused(kind, tmp_path):
    source = open_items(write(tmp_path / f"X{kind}", np.ones((5, 2))))
    with pytest.raises(ValueError, match="n must be at least 1; got 0"):
        sample_items(source, 0)
    with pytest.raises(ValueError, match="label"):
        sample_items(source, 2, others=("label",))

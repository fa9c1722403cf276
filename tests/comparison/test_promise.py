"""What is said of recommended codes holds on items that no comparison has seen."""

import numpy as np
import pytest

import hashlearn
from data import text_embeddings
from hashlearn.metrics import precision_at_k, relevance_from_labels

pytestmark = pytest.mark.data


@pytest.mark.parametrize(
    ("n_items", "methods", "at_least", "max_time"),
    [
        (1_000, ["itq-cca"], 0.15, 2),
        pytest.param(3_000, ["sdh", "itq-cca"], 0.5, None, marks=pytest.mark.slow),
    ],
)
def test_codes_of_questions_are_as_good_as_promised_on_fresh_ones(
    data_folder, n_items, methods, at_least, max_time
):
    X, y = text_embeddings("banking77_train")
    order = np.random.RandomState(0).permutation(len(X))
    known, fresh = order[:n_items], order[n_items : n_items + 1_000]
    said = hashlearn.compare(
        *(X[known], y[known]),
        methods=methods,
        n_bits=32,
        target=f"precision@10={at_least}",
        max_time=max_time,
    ).recommend()
    hasher = said.hasher.fit(X[known], y[known])
    asked = (hasher.encode_queries if said.search == "asymmetric" else hasher.encode)(X[fresh])
    right = relevance_from_labels(y[fresh], y[known])
    achieved = precision_at_k(asked, hasher.encode(X[known]), right, 10).mean()
    assert said.reached
    assert said.value + 2 * said.error >= at_least
    assert achieved >= said.value - 0.05

"""Pipeline and GridSearchCV: preprocessing and hasher as one estimator, chosen together.

A hasher is a scikit-learn transformer. Its `score` is the mean average precision of items searched
among themselves, each left out of its own ranking. So a grid search chooses preprocessing and hash
function together, by cross-validation on the training items. The output shows the score of every
combination, and then the results of the chosen pipeline, of the simplest one and of random codes
on items that were not used for the choice.

    python examples/pipeline_grid_search.py [--quick]
"""

import sys

from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import Pipeline

from hashlearn import HammingIndex, TwoStepHasher, make_hasher, pack_codes

QUICK = "--quick" in sys.argv
N_TRAINING, N_QUERIES, N_BITS = (100, 100, 8) if QUICK else (800, 900, 32)

X, y = load_digits(return_X_y=True)
X, queries, y, query_labels = train_test_split(
    X / 16, y, train_size=N_TRAINING, test_size=N_QUERIES, stratify=y, random_state=0
)
pipeline = Pipeline(
    [("prepare", "passthrough"), ("hasher", TwoStepHasher(n_bits=N_BITS, random_state=0))]
)
grid = {
    "prepare": ["passthrough", PCA(8, random_state=0), PCA(32, random_state=0)],
    "hasher__hash_function": ["linear-svm", "rbf-svm"],
}
search = GridSearchCV(pipeline, grid, cv=2 if QUICK else 3).fit(X, y)
print(f"MAP by cross-validation on {N_TRAINING} training items, {N_BITS} bits")
tried = search.cv_results_
for parts, score in zip(tried["params"], tried["mean_test_score"], strict=True):
    print(f"  {score:.3f}  {parts['hasher__hash_function']:12}{parts['prepare']}")

estimators = {
    "random codes (LSH)": make_hasher("lsh", n_bits=N_BITS, center=True, random_state=0).fit(X),
    "simplest of the grid": pipeline.set_params(**tried["params"][0]).fit(X, y),
    "chosen": search.best_estimator_,
}
print(f"\n{N_QUERIES} new items{'MAP':>15}    precision at 10 among training items")
for title, estimator in estimators.items():
    index = HammingIndex(N_BITS)
    index.add(pack_codes(estimator.transform(X)))
    _, ids = index.search(pack_codes(estimator.transform(queries)), k=10)
    precision = (y[ids] == query_labels[:, None]).mean()
    print(f"  {title:24}{estimator.score(queries, query_labels):.3f}  {precision:.3f}")

"""Which of scikit-learn's checks cannot hold for a hasher, and why."""

from hashlearn.two_step import TwoStepHasher

EQUIVALENCE = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
)
CHOSEN = "C and bandwidth are chosen on a random sample of items: of copies it is another one"
ANCHORS = "anchors are a random sample of items: of copies it is another one"
ALONE = "stagewise learning starts at random with a variable per item: copies start otherwise"
CHOOSING = ("auto", "linear-svm", "rbf-svm", "kernel-features")


def expected_failures(estimator):
    """Return names of checks with reasons, as `parametrize_with_checks` takes them."""
    if not isinstance(estimator, TwoStepHasher):
        return {}
    if estimator.stagewise:
        return dict.fromkeys(EQUIVALENCE, ALONE)
    hash_function = estimator.hash_function
    if hash_function in CHOOSING:
        return dict.fromkeys(EQUIVALENCE, CHOSEN)
    if hasattr(hash_function, "n_anchors"):
        return dict.fromkeys(EQUIVALENCE, ANCHORS)
    return {}

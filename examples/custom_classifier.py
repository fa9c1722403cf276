"""Any scikit-learn classifier as hash function: one clone of it learns each bit.

Step 1 of two-step hashing infers codes independently of the classifiers; Step 2 is then an
ordinary classification problem per bit. The output compares the mean average precision of new
digits with classifiers of scikit-learn, one of them a pipeline, two classifiers of hashlearn, and
random codes. "missed bits" is the error of the classifiers on Step 1's bits of the training items:
if it is high, the classifier is too weak, and its codes may be worse than random ones. The
parameters of scikit-learn's classifiers are set here; those of hashlearn choose theirs by
cross-validation on the training items.

    python examples/custom_classifier.py [--quick]
"""

import sys

from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from hashlearn import TwoStepHasher, make_hasher
from hashlearn.metrics import mean_average_precision, relevance_from_labels

QUICK = "--quick" in sys.argv
N_TRAINING, N_QUERIES, N_BITS, N_TREES = (200, 100, 16, 3) if QUICK else (1000, 700, 32, 30)
CLASSIFIERS = {
    "naive Bayes": GaussianNB(),
    "logistic regression": LogisticRegression(),
    "decision tree": DecisionTreeClassifier(max_depth=8),
    "quadratic discriminant": QuadraticDiscriminantAnalysis(reg_param=0.1),
    "extra trees": ExtraTreesClassifier(N_TREES),
    "Nystroem + logistic": make_pipeline(Nystroem(gamma=0.2), LogisticRegression(C=100)),
    "hashlearn's linear-svm": "linear-svm",
    "hashlearn's rbf-svm": "rbf-svm",
}

X, y = load_digits(return_X_y=True)
X, queries, y, query_labels = train_test_split(
    X / 16, y, train_size=N_TRAINING, test_size=N_QUERIES, stratify=y, random_state=0
)
relevance = relevance_from_labels(query_labels, y)


def score(hasher):
    """Return the mean average precision of the queries among the training items."""
    return mean_average_precision(hasher.encode(queries), hasher.encode(X), relevance)


print(f"{N_TRAINING} training items, {N_QUERIES} queries, {N_BITS} bits\n")
random_codes = make_hasher("lsh", n_bits=N_BITS, center=True, random_state=0).fit(X)
print(f"{'':24}MAP    missed bits\n{'random codes (LSH)':24}{score(random_codes):.3f}")
for name, classifier in CLASSIFIERS.items():
    hasher = TwoStepHasher(n_bits=N_BITS, hash_function=classifier, random_state=0).fit(X, y)
    print(f"{name:24}{score(hasher):.3f}{hasher.bit_error_.mean():13.1%}")

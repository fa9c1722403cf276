"""Step 2: from items to bits, one binary classifier per bit."""

from hashlearn._numerics.padded_blocks import linear_margins
from hashlearn.hash_functions.anchor_ridge import AnchorRidgeHash
from hashlearn.hash_functions.any_classifier import ClassifierHash
from hashlearn.hash_functions.base import HASH_FUNCTIONS, HashFunction, register, shared_weights
from hashlearn.hash_functions.boosted_stumps import BoostedStumpsHash
from hashlearn.hash_functions.boosted_trees import BoostedTreesHash
from hashlearn.hash_functions.choose import as_hash_function, trait
from hashlearn.hash_functions.kernel_features import KernelFeaturesHash, choose_anchors
from hashlearn.hash_functions.kernel_ridge import KernelRidgeHash
from hashlearn.hash_functions.linear_svm import LinearSVMHash
from hashlearn.hash_functions.rbf_svm import RBFSVMHash

__all__ = [
    "HASH_FUNCTIONS",
    "AnchorRidgeHash",
    "BoostedStumpsHash",
    "BoostedTreesHash",
    "ClassifierHash",
    "HashFunction",
    "KernelFeaturesHash",
    "KernelRidgeHash",
    "LinearSVMHash",
    "RBFSVMHash",
    "as_hash_function",
    "choose_anchors",
    "linear_margins",
    "register",
    "shared_weights",
    "trait",
]

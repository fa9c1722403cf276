"""Loaders of public data sets and of users' own files, without pickle."""

from hashlearn.datasets.base import DATASETS, Dataset, check_labels, register
from hashlearn.datasets.cifar10 import load_cifar10
from hashlearn.datasets.digits import load_digits
from hashlearn.datasets.labelme import load_labelme
from hashlearn.datasets.large import load_flickr1m, load_tiny580k
from hashlearn.datasets.loading import list_datasets, load_dataset
from hashlearn.datasets.mnist import load_mnist
from hashlearn.datasets.tmc2007 import load_tmc2007

__all__ = [
    "DATASETS",
    "Dataset",
    "check_labels",
    "list_datasets",
    "load_cifar10",
    "load_dataset",
    "load_digits",
    "load_flickr1m",
    "load_labelme",
    "load_mnist",
    "load_tiny580k",
    "load_tmc2007",
    "register",
]

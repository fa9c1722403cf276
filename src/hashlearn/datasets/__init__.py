"""Loaders for public data sets and for users' own files. Nothing is unpickled."""

from hashlearn.datasets.base import DATASETS, Dataset, register
from hashlearn.datasets.cifar10 import load_cifar10
from hashlearn.datasets.digits import load_digits
from hashlearn.datasets.flickr1m import load_flickr1m
from hashlearn.datasets.labelme import load_labelme
from hashlearn.datasets.loading import list_datasets, load_dataset
from hashlearn.datasets.mnist import load_mnist
from hashlearn.datasets.tiny580k import load_tiny580k
from hashlearn.datasets.tmc2007 import load_tmc2007

__all__ = [
    "DATASETS",
    "Dataset",
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

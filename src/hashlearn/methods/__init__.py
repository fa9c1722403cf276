"""Published hashing methods, one file each, all with the face of `BaseHasher`."""

from hashlearn.base import METHODS
from hashlearn.methods.lsh import LSHHasher
from hashlearn.methods.making import list_methods, make_hasher
from hashlearn.two_step import TwoStepHasher

__all__ = ["METHODS", "LSHHasher", "TwoStepHasher", "list_methods", "make_hasher"]

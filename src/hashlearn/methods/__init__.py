"""Published hashing methods, one file each, all with the face of `BaseHasher`."""

from hashlearn.methods.base import METHODS, list_methods, make_hasher
from hashlearn.methods.lsh import LSHHasher

__all__ = ["METHODS", "LSHHasher", "list_methods", "make_hasher"]

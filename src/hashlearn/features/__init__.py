"""Images to vectors: the GIST descriptor, and a cache for what takes long to compute."""

from hashlearn.features.cache import cached_transform
from hashlearn.features.gist import GIST

__all__ = ["GIST", "cached_transform"]

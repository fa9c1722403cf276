"""Mixed codes: bits from labels and bits from geometry, learned with unlabelled items, too."""

from hashlearn.mixed.hasher import MixedHasher

__all__ = ["MixedHasher"]

"""The base of every hasher: bits, packed codes, a score, a summary, a file."""

from hashlearn.base.card import Card
from hashlearn.base.hasher import METHODS, BaseHasher, register
from hashlearn.base.summary import Summary

__all__ = ["METHODS", "BaseHasher", "Card", "Summary", "register"]

"""What can be wrong with a model file."""

from __future__ import annotations


class ModelFileError(ValueError):
    """A file is not a whole model file that this version of hashlearn can read.

    It may be truncated, damaged, of another format, of a newer format, or in need of a class
    that is not registered here. A file that does not exist is a `FileNotFoundError`.
    """


class ModelVersionWarning(UserWarning):
    """A model file was written by a newer version of hashlearn than the one that reads it."""

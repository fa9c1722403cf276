"""Model and index files: JSON and raw arrays, never pickle."""

from hashlearn.io.atomic import atomic_writer, check_writable
from hashlearn.io.cache_folder import cache_folder
from hashlearn.io.checkpoint import checkpointing, remember
from hashlearn.io.errors import (
    CheckpointFileError,
    FileFormatError,
    IndexFileError,
    ModelFileError,
    ModelVersionWarning,
)
from hashlearn.io.index_file import IndexContent, load_index, save_index
from hashlearn.io.model_file import load_model, save_model
from hashlearn.io.storable import storable
from hashlearn.io.tensor_file import file_format

__all__ = [
    "CheckpointFileError",
    "FileFormatError",
    "IndexContent",
    "IndexFileError",
    "ModelFileError",
    "ModelVersionWarning",
    "atomic_writer",
    "cache_folder",
    "check_writable",
    "checkpointing",
    "file_format",
    "load_index",
    "load_model",
    "remember",
    "save_index",
    "save_model",
    "storable",
]

"""Model and index files: JSON and raw arrays, never pickle."""

from hashlearn.files.atomic import atomic_writer, check_writable
from hashlearn.files.cache_folder import cache_folder
from hashlearn.files.checkpoint import checkpointing, remember
from hashlearn.files.errors import (
    CheckpointFileError,
    FileFormatError,
    IndexFileError,
    ModelFileError,
    ModelVersionWarning,
)
from hashlearn.files.index_file import IndexContent, load_index, save_index
from hashlearn.files.model_file import load_model, save_model
from hashlearn.files.storable import storable
from hashlearn.files.tensor_file import file_format

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

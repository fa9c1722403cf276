"""Files of models, indexes and checkpoints: JSON and raw arrays, never pickle."""

from hashlearn.files._tensor_file import FileInfo, file_info
from hashlearn.files.checkpoint import check_checkpoint_folder, checkpointing, remember
from hashlearn.files.errors import (
    CheckpointFileError,
    FileFormatError,
    IndexFileError,
    ModelFileError,
    ModelVersionWarning,
)
from hashlearn.files.index_file import load_index, save_index
from hashlearn.files.model_file import (
    ModelFacts,
    load_model,
    model_digest,
    read_model_facts,
    save_model,
    storable,
)
from hashlearn.files.records import RecordStore
from hashlearn.files.writing import atomic_writer, cache_folder, check_writable

__all__ = [
    "CheckpointFileError",
    "FileFormatError",
    "FileInfo",
    "IndexFileError",
    "ModelFacts",
    "ModelFileError",
    "ModelVersionWarning",
    "RecordStore",
    "atomic_writer",
    "cache_folder",
    "check_checkpoint_folder",
    "check_writable",
    "checkpointing",
    "file_info",
    "load_index",
    "load_model",
    "model_digest",
    "read_model_facts",
    "remember",
    "save_index",
    "save_model",
    "storable",
]

"""Model files: fitted hashers as JSON and raw arrays, never as pickle."""

from hashlearn.io.atomic import atomic_writer, check_writable
from hashlearn.io.errors import ModelFileError, ModelVersionWarning
from hashlearn.io.model_file import load_model, save_model
from hashlearn.io.storable import storable

__all__ = [
    "ModelFileError",
    "ModelVersionWarning",
    "atomic_writer",
    "check_writable",
    "load_model",
    "save_model",
    "storable",
]

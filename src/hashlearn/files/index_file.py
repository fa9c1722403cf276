"""Index files: the arrays of an index as one tensor file, ready to be mapped."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from hashlearn.files._tensor_file import INDEX, read_tensors, refusing_broken_files, write_tensors


def save_index(
    path: str | os.PathLike[str], document: Any, arrays: Mapping[str, np.ndarray]
) -> None:
    """Write an index file, atomically; :meth:`hashlearn.HammingIndex.save` calls it.

    Parameters
    ----------
    path : str or path-like
        The file to write, or to replace.
    document : object
        Anything that JSON can hold.
    arrays : mapping of str to ndarray
        They may be memory-mapped, even from the same file.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from hashlearn.files import load_index, save_index
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_index(f"{folder}/index", {"n_bits": 8}, {"words": np.arange(3)})
    ...     load_index(f"{folder}/index", mmap=False)
    ({'n_bits': 8}, {'words': array([0, 1, 2])})
    """
    write_tensors(path, INDEX, document, dict(arrays))


def load_index(
    path: str | os.PathLike[str],
    check: Callable[[Any, dict[str, np.ndarray]], object] | None = None,
    *,
    mmap: bool = True,
    verify: bool = False,
) -> tuple[Any, dict[str, np.ndarray]]:
    """Read an index file; :meth:`hashlearn.HammingIndex.load` calls it.

    Parameters
    ----------
    path : str or path-like
        A file that :func:`save_index` wrote.
    check : callable, optional
        Takes the document and the arrays, and raises a `FileFormatError` if they do not fit.
    mmap : bool, default=True
        Return read-only views of the file instead of copies in memory.
    verify : bool, default=False
        Read the arrays whole and compare their digests.

    Returns
    -------
    document : object
    arrays : dict of str to ndarray

    Raises
    ------
    OSError
        If there is no such file, or it cannot be read.
    IndexFileError
        If the file is truncated, damaged, of another or a newer format, or refused by `check`.
    """
    header, arrays = read_tensors(path, INDEX, mmap=mmap, verify=verify)
    with refusing_broken_files(path, INDEX):
        document = header["content"]
        if check is not None:
            check(document, arrays)
    return document, arrays

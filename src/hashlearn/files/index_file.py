"""Index files: the codes of a Hamming index as one tensor file, ready to be mapped.

See :mod:`hashlearn.files._tensor_file` for the format. Sizes are always checked, at the price of
reading the header and two numbers; what the arrays hold is checked only on demand, since that
reads them whole. So whoever searches a file that was not verified must survive any numbers in
its arrays.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from hashlearn.files._tensor_file import INDEX, read_tensors, refusing_broken_files, write_tensors
from hashlearn.files.index_checks import DTYPES, check_arrays, check_scalars, check_sizes


@dataclass(frozen=True, eq=False)
class IndexContent:
    """What an index file holds.

    Attributes
    ----------
    n_bits : int
        Bits per code, 1 to 4,096.
    next_id : int
        The id that the next added code gets by itself.
    layout : {"plain", "bucketed", "multi-index"}
        Whether the codes are stored grouped by equal codes, or listed by substrings, too.
    words : ndarray of shape (n_words, n), uint64
        The codes in insertion order; word `w` of all codes is a row.
    ids : ndarray of shape (n,), int64, or None
        None if they are 0 to n - 1.
    distinct : ndarray of shape (n_words, n_distinct), uint64, or None
        The distinct codes in the order of their first members; None unless bucketed, as the
        following two.
    offsets : ndarray of shape (n_distinct + 1,), int64, or None
        Where the members of each distinct code begin.
    members : ndarray of shape (n,), uint32, or None
        Positions in insertion order of the codes that equal a distinct code, increasing.
    starts : ndarray of shape (n_tables, 2^width + 1), uint32, or None
        The codes with value v in substring t are at ``items[t, starts[t, v]:starts[t, v + 1]]``;
        None unless multi-index, as the following. See
        `hashlearn.files.index_checks.substring_bounds`.
    items : ndarray of shape (n_tables, n), uint32, or None
        Positions in insertion order, increasing for each value.
    """

    n_bits: int
    next_id: int
    layout: str
    words: np.ndarray
    ids: np.ndarray | None = None
    distinct: np.ndarray | None = None
    offsets: np.ndarray | None = None
    members: np.ndarray | None = None
    starts: np.ndarray | None = None
    items: np.ndarray | None = None


def save_index(path: str | os.PathLike[str], content: IndexContent) -> None:
    """Write the content of an index to a file, atomically.

    Parameters
    ----------
    path : str or path-like
        The file to write, or to replace.
    content : IndexContent
        Its arrays may be memory-mapped, even from the same file.

    Examples
    --------
    >>> import tempfile
    >>> words = np.array([[3, 1, 3]], dtype=np.uint64)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_index(f"{folder}/index", IndexContent(8, 3, "plain", words))
    ...     load_index(f"{folder}/index", mmap=False, verify=True).words
    array([[3, 1, 3]], dtype=uint64)
    """
    scalars = {name: value for name, value in vars(content).items() if name not in DTYPES}
    arrays = {name: getattr(content, name) for name in DTYPES}
    tensors = {name: array for name, array in arrays.items() if array is not None}
    write_tensors(path, INDEX, scalars, tensors)


def load_index(path: str | os.PathLike[str], *, mmap: bool, verify: bool) -> IndexContent:
    """Read the content that :func:`save_index` wrote.

    Parameters
    ----------
    path : str or path-like
        An index file.
    mmap : bool
        Whether the arrays are read-only views of the file instead of copies in memory.
    verify : bool
        Whether the arrays are read whole, and checked against their digests and each other.

    Returns
    -------
    content : IndexContent

    Raises
    ------
    OSError
        If there is no such file, or it cannot be read.
    IndexFileError
        If the file is truncated, damaged, or of another or a newer format.
    """
    document, tensors = read_tensors(path, INDEX, mmap=mmap, verify=verify)
    with refusing_broken_files(path, INDEX):
        scalars = document["content"]
        check_scalars(scalars)
        check_sizes(scalars, tensors)
        if verify:
            check_arrays(scalars, tensors)
    return IndexContent(**{**scalars, **tensors})

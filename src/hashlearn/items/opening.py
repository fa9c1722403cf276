"""Opening of files of items by the suffix of their names."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import weakref
from pathlib import Path

import numpy as np

from hashlearn.items.base import SUFFIXES, Items

BEGINNINGS = {b"\x93NUMPY": ".npy", b"PK\x03\x04": ".npz", b"PAR1": ".parquet"}


def open_items(
    path: str | os.PathLike[str], array: str | None = None, *, delimiter: str | None = None
) -> Items:
    r"""Open a file of items to read them in blocks, in bounded memory.

    Parameters
    ----------
    path : str or path-like
        A file whose name ends in a registered suffix: `.npy`, `.npz`, `.csv`, `.tsv` or
        `.parquet`. Or "-", standard input, which is copied to a temporary file; what begins as
        one of the other kinds is such a file, and the rest is a `.csv`.
    array : str, optional
        The array of an `.npz` that holds the items; needed if several could.
    delimiter : str, optional
        The character between the values of a `.csv`, or "tab". None: found in the first line.

    Returns
    -------
    source : Items

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from hashlearn.items import open_items
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv"
    ...     _ = path.write_text("weight,height,label\n4.5,25,cat\n30,60,dog\n")
    ...     source = open_items(path)
    ...     source.columns
    ...     for block in source.blocks(others=("label",)):
    ...         block.features, block.others["label"]
    ('weight', 'height', 'label')
    (array([[ 4.5, 25. ],
           [30. , 60. ]]), array(['cat', 'dog'], dtype='<U3'))
    """
    source = (
        _standard_input(array, delimiter)
        if os.fspath(path) == "-"
        else _source(path, array, delimiter)
    )
    source.check()
    return source


def read_column(path: str | os.PathLike[str], name: str | None = None) -> np.ndarray:
    """Read a whole column of labels or ids.

    Parameters
    ----------
    path : str or path-like
        A file that `open_items` reads, or a `.npy` or `.npz` with 1-D arrays.
    name : str, optional
        The column of a table, or the array of an `.npz`; may be left out if there is only one.

    Returns
    -------
    values : ndarray of shape (n,), or (n, k) where that is stored
        Text of a `.csv` becomes int64 or float64 if every value of the column is such a number.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from hashlearn.items import read_column
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "labels.npy"
    ...     np.save(path, ["cat", "dog"])
    ...     read_column(path)
    array(['cat', 'dog'], dtype='<U3')
    """
    return _source(path).column(name)


def read_ids(path: str | os.PathLike[str], name: str | None = None) -> np.ndarray:
    r"""Read a whole column of ids.

    Parameters
    ----------
    path : str or path-like
        A file that `open_items` reads, or a `.npy` or `.npz` with 1-D arrays.
    name : str, optional
        The column of a table, or the array of an `.npz`; may be left out if there is only one.

    Returns
    -------
    ids : ndarray of shape (n,)
        int64, or objects of text. Text of a `.csv` becomes int64 if every value is written as an
        integer is; text of other files stays text.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from hashlearn.items import read_ids
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "pets.csv"
    ...     _ = path.write_text("name,weight\ncat-1,4.5\n12,30\n")
    ...     read_ids(path, "name")
    array(['cat-1', '12'], dtype=object)
    """
    return _source(path).ids(name)


def _source(
    path: str | os.PathLike[str], array: str | None = None, delimiter: str | None = None
) -> Items:
    """Return the reader of a file, which must exist; nothing is read yet."""
    os.stat(path)  # a missing file is reported before a wrong suffix
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES.names():
        raise ValueError(
            f"{os.fspath(path)!r} ends in {suffix!r}; a file of items must end in one of "
            f"{', '.join(sorted(SUFFIXES.names()))}."
        )
    options = {} if delimiter is None else {"delimiter": delimiter}
    if options and not SUFFIXES.get(suffix).has_delimiter:
        raise ValueError(f"delimiter is for .csv files; got {delimiter!r} for {os.fspath(path)!r}.")
    return SUFFIXES.create(suffix, path=path, array=array, **options)


def _standard_input(array: str | None, delimiter: str | None) -> Items:
    """Return the reader of a temporary copy of standard input, which goes when the reader does."""
    stream = sys.stdin.buffer
    if stream.isatty():
        raise ValueError(
            "standard input is a terminal; - needs a file or another program's output."
        )
    start = stream.read(max(map(len, BEGINNINGS)))
    suffix = next((BEGINNINGS[b] for b in BEGINNINGS if start.startswith(b)), ".csv")
    folder = tempfile.mkdtemp(prefix="hashlearn-")
    try:
        path = Path(folder) / f"standard-input{suffix}"
        with path.open("wb") as file:
            file.write(start)
            shutil.copyfileobj(stream, file)
        source = _source(path, array, delimiter)
    except BaseException:  # KeyboardInterrupt too leaves no copy
        shutil.rmtree(folder, ignore_errors=True)
        raise
    source.called = "standard input"
    weakref.finalize(source, shutil.rmtree, folder, ignore_errors=True)
    return source

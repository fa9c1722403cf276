"""Packed codes with ids in a `.parquet` file, which knows the bits and the model of the codes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hashlearn.items.opening import open_items
from hashlearn.items.parquet import BITS, CODE, MODEL
from hashlearn.items.values import as_ids

if TYPE_CHECKING:  # imported where they are used: files of items are opened without them
    from hashlearn.search import PackedCodes

ID = "id"


class StoredCodes(NamedTuple):
    """Packed codes of a file, and what it says of them.

    Attributes
    ----------
    packed : PackedCodes of shape (n, width)
        The codes, which know their model.
    ids : ndarray of shape (n,) or None
        int64, or objects of text; None if the file has none.
    n_bits : int
        The number of bits per code.
    """

    packed: PackedCodes
    ids: np.ndarray | None
    n_bits: int


@contextmanager
def write_codes(
    path: str | os.PathLike[str], n_bits: int, *, model: str | None = None
) -> Iterator[Callable[..., None]]:
    """Write packed codes into a `.parquet` file, block by block, whole or not at all.

    The file has the codes in the column `code`, and ids in `id`. `open_items` and `read_codes`
    know it by its metadata.

    Parameters
    ----------
    path : str or path-like
        The file. Writing it needs pyarrow.
    n_bits : int
        The number of bits per code.
    model : str, optional
        The fingerprint of the model; by default that of the first codes that know it.

    Yields
    ------
    write : callable
        Called with the packed codes of some items, and with their ids if they have any; all ids
        must be integers, or all text.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from hashlearn.items import read_codes, write_codes
    >>> from hashlearn.search import PackedCodes
    >>> packed = PackedCodes(np.array([[3], [160]], dtype=np.uint8), model="5f0c")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with write_codes(f"{folder}/codes.parquet", n_bits=8) as write:
    ...         write(packed, ids=["a", "b"])
    ...     stored = read_codes(f"{folder}/codes.parquet")
    >>> stored.ids, stored.packed.tolist(), stored.packed.model
    (array(['a', 'b'], dtype=object), [[3], [160]], '5f0c')
    """
    from hashlearn.files import atomic_writer

    pyarrow = _pyarrow(path)
    with atomic_writer(path) as file:
        writer = _Writer(pyarrow, file, n_bits, model)
        try:
            yield writer.write
        except BaseException:
            writer.abandon()
            raise
        writer.close()


def read_codes(path: str | os.PathLike[str]) -> StoredCodes:
    """Read all packed codes of a `.parquet` file that `write_codes` or `hashlearn encode` made.

    To read one of any size in blocks, open it by `open_items`: its `code_column` is not None.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    codes : StoredCodes

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from hashlearn.items import read_codes, write_codes
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with write_codes(f"{folder}/codes.parquet", n_bits=6) as write:
    ...         write(np.array([[128]], dtype=np.uint8))
    ...     read_codes(f"{folder}/codes.parquet")
    StoredCodes(packed=PackedCodes([[128]], dtype=uint8), ids=None, n_bits=6)
    """
    from hashlearn.search import PackedCodes

    source = open_items(path)
    if source.code_column is None or source.n_bits is None:
        raise ValueError(
            f"{source.called} does not hold packed codes; they must be a .parquet file that "
            "write_codes made."
        )
    blocks = list(source.blocks((source.code_column,)))
    packed = source.join(blocks, (source.code_column,)).features.astype(np.uint8, copy=False)
    ids = source.ids(ID) if ID in (source.columns or ()) else None
    return StoredCodes(PackedCodes(packed, source.model), ids, source.n_bits)


class _Writer:
    """Writes blocks of codes; the first one decides what the file has."""

    def __init__(self, pyarrow: Any, file: Any, n_bits: int, model: str | None) -> None:
        self.pyarrow, self.file, self.n_bits, self.model = pyarrow, file, n_bits, model
        self.kind: Any = None  # the dtype of the ids, or None without ids
        self.parquet: Any = None

    def write(self, packed: np.ndarray, ids: Any = None) -> None:
        """Add codes, with ids if the first ones had them."""
        from hashlearn.search import check_packed, joint_model

        model = joint_model(packed=packed, file=self.model)
        if self.parquet is not None and model != self.model:
            raise ValueError("the first codes had no known model; write_codes needs model=.")
        codes = np.ascontiguousarray(check_packed(packed, self.n_bits, "packed"))
        values = None if ids is None else as_ids(ids)
        kind = None if values is None else values.dtype
        if values is not None and len(values) != len(codes):
            raise ValueError(
                f"ids must have {len(codes)} entries, one per code; got {len(values)}."
            )
        if self.parquet is None:
            self.model, self.kind = model, kind
            self.open()
        if kind != self.kind:
            raise ValueError("ids must all be integers, or all text, and every code must have one.")
        self.parquet.write_table(self.table(codes, values))

    def table(self, codes: np.ndarray, ids: np.ndarray | None) -> Any:
        """Return a block as a table."""
        schema = self.schema()
        buffers = [None, self.pyarrow.py_buffer(codes)]
        column = self.pyarrow.Array.from_buffers(schema.field(CODE).type, len(codes), buffers)
        named = [] if ids is None else [self.pyarrow.array(ids, schema.field(ID).type)]
        return self.pyarrow.Table.from_arrays([*named, column], schema=schema)

    def schema(self) -> Any:
        """Return the columns, and what is said of the codes."""
        code = (CODE, self.pyarrow.binary(-(-self.n_bits // 8)))
        text, integer = self.pyarrow.string(), self.pyarrow.int64()
        named = [] if self.kind is None else [(ID, text if self.kind.kind == "O" else integer)]
        known = {} if self.model is None else {MODEL: self.model}
        return self.pyarrow.schema([*named, code], metadata={BITS: str(self.n_bits), **known})

    def open(self) -> None:
        """Begin the file."""
        self.parquet = self.pyarrow.parquet.ParquetWriter(self.file, self.schema())

    def close(self) -> None:
        """End the file; without codes it is a table without rows."""
        if self.parquet is None:
            self.open()
        self.parquet.close()

    def abandon(self) -> None:
        """Leave the file as it is, so that nothing is written to it when it is closed already."""
        if self.parquet is not None:
            self.parquet.is_open = False


def _pyarrow(path: str | os.PathLike[str]) -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(
            f"{os.fspath(path)!r} needs pyarrow to be written: pip install 'hashlearn[parquet]'."
        ) from error
    return pyarrow

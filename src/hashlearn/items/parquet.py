"""Items in a `.parquet` file: columns of numbers, and lists of numbers such as embeddings."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import chain, groupby
from typing import Any, NamedTuple

import numpy as np

from hashlearn._numerics.columns import (
    feature_dtype,
    is_bytes,
    is_like_text,
    is_list,
    is_number,
    is_text,
    list_lengths,
    to_numpy,
    value_type,
)
from hashlearn.items._spill import Spill
from hashlearn.items.base import Block, register
from hashlearn.items.table import TableItems

CODE, BITS, MODEL = "code", "hashlearn_n_bits", "hashlearn_model"  # of files of packed codes
BUFFER_BYTES = 2**16  # per column; without a buffer whole row groups of any size are loaded
# An open column takes 2.5 MB, for its dictionary and the current page, whatever the block size.
SLAB_COLUMNS = 32
WIDTH_ROWS = 64  # read at once to find the length of lists
TEXT_BYTES, NUMBER_BYTES = 1024, 8  # of a value beside the features, to size blocks
SPILL_BYTES = 2**26  # a row group up to this size is read at once, whatever the number of columns


class _Place(NamedTuple):
    """The place of a column's values: a stored column, or one position in its lists."""

    stored: str
    place: int = 0


class _Request(NamedTuple):
    """The columns to read, and the type of the features."""

    places: list[_Place]
    others: tuple[str, ...]
    dtype: np.dtype[Any]


@register(".parquet")
class ParquetItems(TableItems):
    """The rows of a Parquet table.

    A column of lists of equal length is one feature per position: the column ``vector`` gives
    ``vector[0]``, ``vector[1]`` and so on. Among `others` it keeps its name and is 2-D.

    Parameters
    ----------
    path : str or path-like
        The file. Reading it needs pyarrow.
    array : None
        Must be None: a table is not an archive of arrays.
    """

    @cached_property
    def n_items(self) -> int:
        """The number of rows."""
        with self._open() as file:
            return file.metadata.num_rows

    @cached_property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]  # computed once
        """The names of the columns; a column of lists has one name per position."""
        return tuple(name for name, _ in self._places)

    @cached_property
    def list_columns(self) -> dict[str, tuple[str, ...]]:  # type: ignore[override]  # once
        """The columns that are lists of numbers, and the names of their positions."""
        return {
            name: tuple(f"{name}[{place}]" for place in range(width))
            for name, width in self._widths.items()
        }

    @property
    def text_columns(self) -> tuple[str, ...]:
        """The columns that are neither numbers nor lists of numbers."""
        names = [field.name for field in self._schema if not is_number(value_type(field.type))]
        return tuple(name for name in names if name != self.code_column)

    @cached_property
    def n_bits(self) -> int | None:  # type: ignore[override]  # computed once
        """The bits of the packed codes that the file holds, if it does."""
        bits = (self._schema.metadata or {}).get(BITS.encode(), b"")
        has_codes = CODE in self._schema.names and bits.isdigit()
        return int(bits) if has_codes and is_bytes(self._schema.field(CODE).type) else None

    @property
    def model(self) -> str | None:  # type: ignore[override]  # of this file
        """The fingerprint of the model that made the packed codes, if it is known."""
        model = (self._schema.metadata or {}).get(MODEL.encode())
        return None if model is None else model.decode()

    @property
    def code_column(self) -> str | None:  # type: ignore[override]  # of this file
        """The column of packed codes, if the file holds them."""
        return None if self.n_bits is None else CODE

    @cached_property
    def _schema(self) -> Any:
        with self._open() as file:
            return file.schema_arrow

    @cached_property
    def _places(self) -> list[tuple[str, _Place]]:
        """The columns and the places of their values."""
        places = []
        for name in self._schema.names:
            for i, column in enumerate(self.list_columns.get(name, (name,))):
                places.append((column, _Place(name, i)))
        return places

    @cached_property
    def _widths(self) -> dict[str, int]:
        """The length of the lists in each column of lists, and of the codes in theirs."""
        lists = [f for f in self._schema if is_list(f.type) or f.name == self.code_column]
        return {field.name: self._width(field) for field in lists}

    def _width(self, field: Any) -> int:
        """Return the length that is part of a column's type, or else that of the first list."""
        if field.name == self.code_column:
            return field.type.byte_width
        if hasattr(field.type, "list_size"):
            return field.type.list_size
        with self._open() as file:
            for batch in file.iter_batches(batch_size=WIDTH_ROWS, columns=[field.name]):
                lengths = list_lengths(batch.column(0).drop_null())
                if lengths.any():
                    return int(lengths[lengths > 0][0])
        return 0

    def _other_names(self) -> tuple[str, ...]:
        return tuple(self._schema.names)

    def read_blocks(self, features: tuple[str, ...], others: tuple[str, ...]) -> Iterator[Block]:
        """Yield blocks of columns that are known to exist."""
        where = dict(self._places)
        places = [where[name] for name in features]
        dtypes = [self._feature_dtype(name) for name in dict.fromkeys(p.stored for p in places)]
        for name in others:
            self._check_value_type(name)
        return self._read_all(_Request(places, others, np.result_type(np.uint8, *dtypes)))

    def _feature_dtype(self, name: str) -> np.dtype[Any]:
        kind = value_type(self._schema.field(name).type)
        if name == self.code_column:
            return np.dtype(np.uint8)
        if not is_number(kind):
            raise self._error(
                f"has the type {kind} in column {name!r}; features must be numbers or lists of "
                f"them: leave it out (--ignore {name}), or name the features"
            )
        return feature_dtype(np.dtype(kind.to_pandas_dtype()))

    def _check_value_type(self, name: str) -> None:
        kind = value_type(self._schema.field(name).type)
        if not (is_number(kind) or is_text(kind) or is_like_text(kind)):
            raise self._error(f"has the type {kind} in column {name!r}; it must be numbers or text")

    def _read_all(self, request: _Request) -> Iterator[Block]:
        kinds = [value_type(self._schema.field(name).type) for name in request.others]
        beside = sum(NUMBER_BYTES if is_number(kind) else TEXT_BYTES for kind in kinds)
        n_bytes = len(request.places) * request.dtype.itemsize + beside
        n_rows = self._block_rows(n_bytes, np.uint8)
        slabs = list(_slabs(request))
        with self._open() as file:
            for group in range(file.num_row_groups):
                large = file.metadata.row_group(group).total_byte_size > SPILL_BYTES
                if len(slabs) > 1 and large:
                    yield from self._read_wide(file, group, slabs, n_rows)
                else:
                    yield from self._read(file, group, request, n_rows)

    def _read(self, file: Any, group: int, request: _Request, n_rows: int) -> Iterator[Block]:
        """Yield the items of a row group."""
        features = dict.fromkeys(place.stored for place in request.places)
        columns = list(features | dict.fromkeys(request.others))
        start = sum(file.metadata.row_group(before).num_rows for before in range(group))
        for batch in file.iter_batches(n_rows, [group], columns=columns, use_threads=False):
            if len(batch):
                numbers = {name: self._numbers(batch, name, start) for name in features}
                others = {name: self._values(batch, name, start) for name in request.others}
                yield Block(_gather(numbers, request.places, len(batch), request.dtype), others)
                start += len(batch)

    def _read_wide(
        self, file: Any, group: int, slabs: list[_Request], n_rows: int
    ) -> Iterator[Block]:
        """Yield the items of a row group of many columns, read few at a time through a file."""
        *spilled, last = slabs
        with tempfile.TemporaryFile() as temporary:
            spill = Spill(temporary, file.metadata.row_group(group).num_rows, last.dtype)
            for slab in spilled:
                blocks = self._read(file, group, slab, n_rows)
                spill.write(len(slab.places), (block.features for block in blocks))
            start = 0
            for block in self._read(file, group, last, n_rows):
                stop = start + len(block.features)
                parts = [*spill.read(start, stop), block.features]
                yield Block(np.concatenate(parts, axis=1), block.others)
                start = stop

    def _values(self, batch: Any, name: str, start: int) -> np.ndarray:
        """Return a column of a batch beside the features, which may have missing values."""
        if name in self._widths:
            return self._numbers(batch, name, start)
        return to_numpy(batch.column(name))

    def _numbers(self, batch: Any, name: str, start: int) -> np.ndarray:
        """Return a column of numbers, or of lists of them; `start` is the batch's first row."""
        column, width = batch.column(name), self._widths.get(name)
        if column.null_count:
            raise self._wrong("no value", name, start, column.is_null())
        if width is None:
            return to_numpy(column)
        if name == self.code_column:
            packed = np.frombuffer(column.buffers()[1], dtype=np.uint8)
            return packed[column.offset * width :][: len(batch) * width].reshape(-1, width)
        lengths = list_lengths(column)
        if (lengths != width).any():
            n = lengths[lengths != width][0]
            problem = f"a list of {n} numbers, where others have {width},"
            raise self._wrong(problem, name, start, lengths != width)
        places = column.flatten()
        if places.null_count:
            gaps = np.asarray(places.is_null()).reshape(len(batch), width).any(axis=1)
            raise self._wrong("a list with missing values", name, start, gaps)
        return to_numpy(places).reshape(len(batch), width)

    def _wrong(self, problem: str, name: str, start: int, wrong: Any) -> ValueError:
        """Return the error about the first wrong row of a batch."""
        row = start + int(np.argmax(np.asarray(wrong)))
        return self._error(
            f"has {problem} in column {name!r} of row {row} (from 0); fill it in, or leave out the "
            f"row, or the column (--ignore {name})"
        )

    @contextmanager
    def _open(self) -> Iterator[Any]:
        """Open the file; every problem with it becomes an error of one sentence."""
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError as error:
            raise ImportError(
                f"{self.called} needs pyarrow to be read: pip install 'hashlearn[parquet]'."
            ) from error
        with open(self.path, "rb"):  # a missing or unreadable file is an OSError
            pass
        try:
            # Buffered and without reading ahead: otherwise memory grows with the row groups.
            with parquet.ParquetFile(self.path, buffer_size=BUFFER_BYTES, pre_buffer=False) as file:
                yield file
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            if getattr(error, "errno", None):  # an error of the system, not of the format
                raise
            raise self._error(f"is not a whole Parquet file: {error}") from error


def _slabs(request: _Request) -> Iterator[_Request]:
    """Yield requests of few stored columns each; the last one has the others."""
    stored = [list(run) for _, run in groupby(request.places, key=lambda place: place.stored)]
    for first in range(0, max(1, len(stored)), SLAB_COLUMNS):
        last = first + SLAB_COLUMNS >= len(stored)
        places = list(chain.from_iterable(stored[first : first + SLAB_COLUMNS]))
        yield _Request(places, request.others if last else (), request.dtype)


def _gather(
    values: dict[str, np.ndarray], places: list[_Place], n_rows: int, dtype: np.dtype[Any]
) -> np.ndarray:
    """Return the features of a batch, in their order."""
    features = np.empty((n_rows, len(places)), dtype=dtype)
    start = 0
    for stored, run in groupby(places, key=lambda place: place.stored):
        chosen = [place.place for place in run]
        columns = values[stored].reshape(n_rows, -1)
        whole = chosen == list(range(columns.shape[1]))  # the usual case, without a copy
        features[:, start : start + len(chosen)] = columns if whole else columns[:, chosen]
        start += len(chosen)
    return features

"""Items in a `.parquet` file: numeric columns, and lists of numbers such as embeddings."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import chain, groupby
from typing import Any, NamedTuple

import numpy as np

from hashlearn.items.arrow import is_list, is_number, is_text, list_lengths, plain, to_numpy
from hashlearn.items.base import Block, block_rows, feature_dtype, register
from hashlearn.items.spill import Spill
from hashlearn.items.tables import TableItems

BUFFER_BYTES = 2**16  # per column; without a buffer whole row groups of any size are loaded
# An open column takes 2.5 MB, its dictionary and the page that is being read, whatever the block.
SLAB_COLUMNS = 32
SPILL_BYTES = 2**26  # a row group up to this size is read at once, whatever its columns


class Place(NamedTuple):
    """Where the values of a column are: in a stored column, or at one place of its lists."""

    stored: str
    place: int = 0


class Request(NamedTuple):
    """What to read, and as which type."""

    places: list[Place]
    others: tuple[str, ...]
    dtype: np.dtype[Any]


@register(".parquet")
class ParquetItems(TableItems):
    """The rows of a Parquet table.

    A column of lists of equal length is one feature per place: the column ``vector`` gives
    ``vector[0]``, ``vector[1]`` and so on. Among `others` it keeps its name and is 2-D.
    """

    @cached_property
    def n_items(self) -> int:
        """The number of rows, which the file says."""
        with self._open() as file:
            return file.metadata.num_rows

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns; of a column of lists, of each place."""
        return tuple(name for name, _ in self._places)

    @cached_property
    def _schema(self) -> Any:
        with self._open() as file:
            return file.schema_arrow

    @cached_property
    def _places(self) -> list[tuple[str, Place]]:
        """The columns, and where their values are."""
        places = []
        for name in self._schema.names:
            if name in self._widths:
                for i in range(self._widths[name]):
                    places.append((f"{name}[{i}]", Place(name, i)))
            else:
                places.append((name, Place(name)))
        return places

    @cached_property
    def _widths(self) -> dict[str, int]:
        """The length of the lists of each column of lists."""
        return {field.name: self._width(field) for field in self._schema if is_list(field.type)}

    def _width(self, field: Any) -> int:
        """Return the length that a column's type says, or else that of the first list."""
        if hasattr(field.type, "list_size"):
            return field.type.list_size
        with self._open() as file:
            first = next(file.iter_batches(batch_size=1, columns=[field.name]), None)
            if not first:
                return 0
            values = first.column(0)[0].as_py()
            if not values:
                raise self._error(f"has a first row without values in the lists of {field.name!r}")
            return len(values)

    def _other_names(self) -> tuple[str, ...]:
        return tuple(self._schema.names)

    def _blocks(self, features: tuple[str, ...], others: tuple[str, ...]) -> Iterator[Block]:
        where = dict(self._places)
        places = [where[name] for name in features]
        dtypes = [self._feature_dtype(name) for name in {place.stored for place in places}]
        for name in others:
            self._check_value_type(name)
        return self._read_all(Request(places, others, np.result_type(np.uint8, *dtypes)))

    def _feature_dtype(self, name: str) -> np.dtype[Any]:
        kind = plain(self._schema.field(name).type)
        if not is_number(kind):
            raise self._error(f"has the type {kind} in column {name!r}; features are numbers")
        return feature_dtype(np.dtype(kind.to_pandas_dtype()))

    def _check_value_type(self, name: str) -> None:
        kind = plain(self._schema.field(name).type)
        if not is_number(kind) and not is_text(kind):
            raise self._error(f"has the type {kind} in column {name!r}; it takes numbers or text")

    def _read_all(self, request: Request) -> Iterator[Block]:
        n_rows = block_rows(len(request.places) + len(request.others), request.dtype)
        slabs = list(_slabs(request))
        with self._open() as file:
            for group in range(file.num_row_groups):
                large = file.metadata.row_group(group).total_byte_size > SPILL_BYTES
                if len(slabs) > 1 and large:
                    yield from self._read_wide(file, group, slabs, n_rows)
                else:
                    yield from self._read(file, group, request, n_rows)

    def _read(self, file: Any, group: int, request: Request, n_rows: int) -> Iterator[Block]:
        """Yield the items of a row group."""
        stored = dict.fromkeys([*(place.stored for place in request.places), *request.others])
        batches = file.iter_batches(n_rows, [group], columns=list(stored), use_threads=False)
        for batch in batches:
            if len(batch):
                values = {name: self._values(batch, name) for name in stored}
                features = _gather(values, request.places, len(batch), request.dtype)
                yield Block(features, {name: values[name] for name in request.others})

    def _read_wide(
        self, file: Any, group: int, slabs: list[Request], n_rows: int
    ) -> Iterator[Block]:
        """Yield the items of a row group of many columns, few columns at a time through disk."""
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

    def _values(self, batch: Any, name: str) -> np.ndarray:
        """Return a stored column of a batch."""
        column = batch.column(name)
        if column.null_count:
            raise self._error(f"has missing values in column {name!r}")
        width = self._widths.get(name)
        if width is None:
            return to_numpy(column)
        places = column.flatten()
        if places.null_count:
            raise self._error(f"has missing values in the lists of column {name!r}")
        if (list_lengths(column) != width).any():
            raise self._error(f"has lists of different lengths in column {name!r}")
        return to_numpy(places).reshape(len(batch), width)

    @contextmanager
    def _open(self) -> Iterator[Any]:
        """Open the file; what is wrong with it becomes one sentence."""
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError as error:
            raise ImportError(
                f"{self.path!r} needs pyarrow to be read: pip install 'hashlearn[parquet]'."
            ) from error
        with open(self.path, "rb"):  # a file that is missing or not readable is not broken
            pass
        try:
            # Buffered and not read ahead: else memory grows with the size of row groups.
            with parquet.ParquetFile(self.path, buffer_size=BUFFER_BYTES, pre_buffer=False) as file:
                yield file
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
            if getattr(error, "errno", None):  # of the system, not of the format
                raise
            raise self._error(f"is not a whole Parquet file: {error}") from error


def _slabs(request: Request) -> Iterator[Request]:
    """Yield the request in parts of few stored columns each; the last has the others."""
    stored = [list(run) for _, run in groupby(request.places, key=lambda place: place.stored)]
    for first in range(0, max(1, len(stored)), SLAB_COLUMNS):
        last = first + SLAB_COLUMNS >= len(stored)
        places = list(chain.from_iterable(stored[first : first + SLAB_COLUMNS]))
        yield Request(places, request.others if last else (), request.dtype)


def _gather(
    values: dict[str, np.ndarray], places: list[Place], n_rows: int, dtype: np.dtype[Any]
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

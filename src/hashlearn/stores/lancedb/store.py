"""Packed codes in LanceDB: a folder of files, no server."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from functools import cached_property
from math import isqrt
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from hashlearn.stores.base import Store, register
from hashlearn.stores.batches import Batch, Found, Layout
from hashlearn.stores.errors import StoreError, TableMissingError
from hashlearn.stores.lancedb._arrow import (
    MODEL,
    batch_of,
    expression_of,
    found_of,
    layout_of,
    model_of,
    schema_of,
    table_of,
)
from hashlearn.stores.where import Condition

if TYPE_CHECKING:
    from lancedb.db import DBConnection
    from lancedb.query import LanceVectorQueryBuilder
    from lancedb.table import Table

READ_SIZE = 10_000  # items per batch of `read`
MAX_PARTITIONS = 4096  # of an index; more make it slow to build
TIDY_EVERY = 50  # changes of a table, each of which leaves a file
KEPT = timedelta(days=1)  # longer than any read lasts
SLACK = timedelta(seconds=1)  # between the clock here and there
MAX_LENGTH = 300  # characters of a message
_SOURCE = re.compile(r",?\s*/\S+\.rs:\d+:\d+")  # places in LanceDB's own source
_KIND = re.compile(r"(lance error|LanceError\(\w+\)|Wrapped error|Generic \S+ error): ?")
_CONFLICT = re.compile(r"conflict|concurrent|contention", flags=re.IGNORECASE)


@register("lancedb")
class LanceStore(Store):
    """A table of packed codes in a LanceDB folder: the store to begin with, without a server.

    Several programs may read and write at once, and each search sees all that was stored before
    it began. Searches are exact scans; after `build_index` those with `effort` look at that many
    of about sqrt(n) partitions of the items. Items added later are found too.

    Parameters
    ----------
    address : str
        A folder, which `create` makes if it does not exist.
    table : str, default="items"
        The table's name: letters, digits and _.
    check_model : bool, default=True
        Whether to refuse codes of another model than the table's.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> from hashlearn.stores import LanceStore
    >>> packed = np.array([[0b0000], [0b0111], [0b0001]], dtype=np.uint8)
    >>> with TemporaryDirectory() as folder, LanceStore(folder) as store:
    ...     _ = store.create(n_bits=8, columns={"digit": int})
    ...     store.add(packed, ids=[10, 20, 30], values={"digit": [3, 5, 5]})
    ...     store.search(packed[:1], k=2, where={"digit": 5})
    Neighbours(distances=array([[1, 3]]), ids=array([[30, 20]]))
    """

    indexable = True

    def __init__(self, address: str, table: str = "items", *, check_model: bool = True) -> None:
        super().__init__(address, table, check_model=check_model)
        address = os.fspath(address)
        if not address or "://" in address:  # not quoted, as a URL may hold a password
            raise ValueError("the address of a LanceDB store must be a folder, not a URL.")
        self._folder = Path(address).absolute()  # the program may change its folder
        _import_lancedb()

    @property
    def place(self) -> str:
        """The database's folder."""
        return str(self._folder)

    def has_index(self) -> bool:
        """Tell whether there is an index for searches with `effort`."""
        with self._translated():
            return any(index.columns == ["code"] for index in self._table().list_indices())

    def _read_layout(self) -> Layout | None:
        with self._translated():
            table = self._table_or_none()
            return None if table is None else layout_of(table.schema, str(self))

    def _read_model(self) -> str | None:
        with self._translated():
            return model_of(self._table().schema)

    def _adopt_model(self, model: str) -> str | None:
        with self._translated():
            table = self._table()
            if model_of(table.schema) is None:
                table.update_field_metadata({"path": "code", "metadata": {MODEL: model}})
        return self._read_model()

    def _create(self, layout: Layout) -> None:
        with self._translated():
            self._database.create_table(self.table, schema=schema_of(layout))

    def _write(self, batch: Batch) -> None:
        with self._translated():
            table = self._table()
            merge = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
            self._tidy(table, merge.execute(table_of(batch, table.schema)).version)

    def _delete(self, where: tuple[Condition, ...]) -> int:
        with self._translated():
            table, condition = self._table(), expression_of(where)
            deleted: Any = table.delete("true" if condition is None else condition)
            self._tidy(table, deleted.version)
        return int(deleted.num_deleted_rows)

    def _nearest(
        self, query: np.ndarray, k: int, where: tuple[Condition, ...], effort: int | None
    ) -> Found:
        with self._translated():
            hits = self._search(query, where, at_most=k)
            hits = hits.bypass_vector_index() if effort is None else hits.nprobes(effort)
            return found_of(hits.to_arrow())

    def _within(self, query: np.ndarray, radius: int, where: tuple[Condition, ...]) -> Found:
        with self._translated():
            hits = self._search(query, where).bypass_vector_index()
            return found_of(hits.distance_range(upper_bound=radius + 1).to_arrow())

    def _count(self, where: tuple[Condition, ...]) -> int:
        with self._translated():
            table, condition = self._table(), expression_of(where)
            if condition is None:
                return int(table.count_rows())
            # LanceDB's own count accepts a condition as SQL text only.
            rows = table.search().where(condition).select(["id"])
            return sum(batch.num_rows for batch in rows.to_batches(READ_SIZE))

    def _read(self, where: tuple[Condition, ...], columns: tuple[str, ...]) -> Iterator[Batch]:
        layout, condition = self._existing().with_columns(columns), expression_of(where)
        with self._translated():
            rows = self._table().search().select(["id", "code", *columns])
            rows = rows if condition is None else rows.where(condition)
            for batch in rows.to_batches(READ_SIZE):
                yield batch_of(batch, layout)

    def _names(self) -> list[str]:
        if not self._folder.exists():
            raise StoreError(f"{self.place} does not exist.")
        names: list[str] = []
        with self._translated():
            page: Any = self._database.list_tables()
            while page.page_token:
                names += page.tables
                page = self._database.list_tables(page_token=page.page_token)
        return [*names, *page.tables]

    def _drop(self) -> None:
        with self._translated():
            self._database.drop_table(self.table)

    def _build_index(self) -> None:
        from lancedb.index import IvfFlat

        with self._translated():
            table = self._table()
            n_partitions = min(max(1, isqrt(table.count_rows())), MAX_PARTITIONS)
            config = IvfFlat(distance_type="hamming", num_partitions=n_partitions)
            table.create_index("code", config=config, replace=True)

    @cached_property
    def _database(self) -> DBConnection:
        return _import_lancedb().connect(self._folder)  # makes the folder

    def _table_or_none(self) -> Table | None:
        """Return the table as it is now; None if it does not exist."""
        if not self._folder.exists():
            return None
        try:
            return self._database.open_table(self.table)
        except ValueError as error:
            if "not found" in str(error):
                return None
            raise

    def _table(self) -> Table:
        table = self._table_or_none()
        if table is None:
            raise TableMissingError(f"{self} does not exist any more", "create it first")
        if self._layout not in (None, layout_of(table.schema, str(self))):
            raise StoreError(f"{self} was replaced by another program", "open it again")
        return table

    def _search(
        self, query: np.ndarray, where: tuple[Condition, ...], at_most: int | None = None
    ) -> LanceVectorQueryBuilder:
        table = self._table()
        search: Any = table.search(query, vector_column_name="code")
        condition = expression_of(where)
        if condition is not None:
            search = search.where(condition, prefilter=True)
        # LanceDB allocates memory for the limit at once, and aborts if there is not enough.
        n_items = max(1, table.count_rows())
        limit = n_items if at_most is None else min(at_most, n_items)
        return search.distance_type("hamming").select(["id", "_distance"]).limit(limit)

    def _tidy(self, table: Table, version: int) -> None:
        """Join small files, index new items and remove old versions, after every 50th change.

        Every change has its own number, so that only one of several writers does it.
        """
        if version % TIDY_EVERY == 0:
            # It fails when others write at the same time; the change itself is stored.
            with suppress(RuntimeError, OSError):
                table.optimize(cleanup_older_than=_age_to_remove(table.list_versions()))

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn what LanceDB raises into StoreErrors."""
        try:
            yield
        except StoreError:
            raise
        except (RuntimeError, OSError, ValueError) as error:
            raise StoreError(f"{self} failed: {_in_words(error)}.") from None


def _import_lancedb() -> ModuleType:
    os.environ.setdefault("LANCEDB_LOG", "error")  # it warns of empty tables and partitions
    try:
        import lancedb
    except ImportError as error:
        raise ImportError(
            "A store in LanceDB needs lancedb: pip install 'hashlearn[lancedb]'."
        ) from error
    return lancedb


def _in_words(error: Exception) -> str:
    text = _KIND.sub("", _SOURCE.sub("", str(error)))
    if _CONFLICT.search(text):
        return "other programs keep writing to it; try again later"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__)[:MAX_LENGTH].rstrip(" .,:")


def _age_to_remove(versions: Iterable[Mapping[str, Any]], now: datetime | None = None) -> timedelta:
    """Return the age beyond which versions of a table can be removed.

    The version that was the newest a day ago may still be read, however old it is.
    """
    now = now or datetime.now()
    replaced = [version["timestamp"] for version in versions if version["timestamp"] < now - KEPT]
    return now - max(replaced, default=now - KEPT) + SLACK

"""The tables of a database that hold codes."""

from __future__ import annotations

from dataclasses import dataclass

from hashlearn.stores._checks import is_name
from hashlearn.stores.batches import ColumnType, IdType
from hashlearn.stores.errors import StoreError
from hashlearn.stores.opening import open_store


@dataclass(frozen=True)
class TableInfo:
    """What is known of a table.

    Attributes
    ----------
    name : str
        The table's name.
    n_bits : int
        Bits per code.
    count : int
        The number of items.
    model : str or None
        The fingerprint of the model that made the codes; None if it is not known.
    columns : dict of str to type
        Names and types of the columns beside ids and codes.
    id_type : type
        The type of the ids, int or str.

    Examples
    --------
    >>> from hashlearn.stores import TableInfo
    >>> TableInfo("items", 64, 1000, None, {"digit": int}, int).n_bits
    64
    """

    name: str
    n_bits: int
    count: int
    model: str | None
    columns: dict[str, ColumnType]
    id_type: IdType


def list_tables(address: str) -> list[TableInfo]:
    """Return the tables with codes of a database, by name.

    Parameters
    ----------
    address : str
        As in :func:`~hashlearn.stores.open_store`. In PostgreSQL the tables are those along the
        user's search path.

    Returns
    -------
    tables : list of TableInfo

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hashlearn.stores import list_tables, open_store
    >>> with TemporaryDirectory() as folder:
    ...     address = f"lancedb:{folder}"
    ...     _ = open_store(address, table="digits").create(n_bits=32)
    ...     list_tables(address)
    [TableInfo(name='digits', n_bits=32, count=0, model=None, columns={}, id_type=<class 'int'>)]
    """
    with open_store(address) as store:
        names = store._names()
    tables = (_info(address, name) for name in sorted(names) if is_name(name))
    return [table for table in tables if table is not None]


def _info(address: str, name: str) -> TableInfo | None:
    """Return what is known of a table; None if it is of another kind, or gone."""
    with open_store(address, name) as store:
        try:
            return TableInfo(
                name, store.n_bits, store.count(), store.model, store.columns, store.id_type
            )
        except StoreError:
            return None

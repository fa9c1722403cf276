"""A connection to PostgreSQL that is opened when needed, and again when it was lost."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from hashlearn.stores.errors import StoreError, StoreLostError
from hashlearn.stores.postgresql._address import Address

if TYPE_CHECKING:
    import psycopg
    from psycopg import sql

OLDEST = 14  # the version that brought bit_count


class Connection:
    """One connection, whose errors are StoreErrors without a password."""

    def __init__(self, address: str) -> None:
        try:
            import psycopg  # noqa: F401
        except ImportError as error:
            raise ImportError(
                "A store in PostgreSQL needs psycopg: pip install 'hashlearn[pgvector]'."
            ) from error
        self._address = Address(address)
        self._open: psycopg.Connection[Any] | None = None
        self._streams: set[psycopg.Connection[Any]] = set()
        self._closed = False
        self._turn = threading.Lock()  # two threads' statements must not share a transaction
        self.place = self._address.place

    def rows(self, query: sql.Composed, values: dict[str, Any]) -> list[tuple[Any, ...]]:
        """Return the rows of one statement, which is a transaction by itself."""
        with self.cursor() as cursor:
            return cursor.execute(query, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[psycopg.Cursor[Any]]:
        """Yield a cursor; what is done with it is kept if all goes well, and undone otherwise."""
        with self.cursor() as cursor:
            # Whatever the server's default: after a wait for a lock it sees what others did.
            cursor.execute("begin isolation level read committed")
            try:
                yield cursor
                cursor.execute("commit")
            except BaseException:
                _undo(cursor.connection)
                raise

    @contextmanager
    def stream(self, query: sql.Composed) -> Iterator[psycopg.ServerCursor[Any]]:
        """Yield a result that stays on the server and comes in parts.

        It has a connection of its own, so that other work may go on before all of it is read.
        """
        with (
            closing(self._connect(autocommit=False)) as connection,
            self._as_store_errors(connection),
            connection.cursor("hashlearn", binary=True) as cursor,
        ):
            self._streams.add(connection)
            try:
                cursor.execute(query)  # from here on it is the table of this moment
                yield cursor
            finally:
                self._streams.discard(connection)

    def close(self) -> None:
        """End the connection and all streams, for good."""
        self._closed = True
        for connection in (self._open, *self._streams):
            if connection is not None:
                connection.close()

    @contextmanager
    def cursor(self) -> Iterator[psycopg.Cursor[Any]]:
        """Yield a cursor of which every statement is a transaction by itself."""
        with self._turn:
            connection = self._opened()
            with self._as_store_errors(connection), connection.cursor(binary=True) as cursor:
                yield cursor

    def _opened(self) -> psycopg.Connection[Any]:
        from psycopg.pq import TransactionStatus

        # A second Ctrl-C, during a rollback, may leave a connection that is not idle.
        if self._open is not None and self._open.info.transaction_status != TransactionStatus.IDLE:
            self._open.close()
        if self._open is None or self._open.closed:
            self._open = self._connect(autocommit=True)
        return self._open

    def _connect(self, autocommit: bool) -> psycopg.Connection[Any]:
        import psycopg

        if self._closed:
            raise self._closed_error()
        try:
            # Prepared statements would not survive a pool between this client and the server.
            connection = psycopg.connect(
                **self._address.settings, autocommit=autocommit, prepare_threshold=None
            )
        except (psycopg.Error, UnicodeError) as error:
            reason = self._address.hidden_in(_reason(error))
            raise StoreError(f"{self.place} cannot be opened: {reason}.") from None
        version = connection.info.server_version // 10_000
        if version < OLDEST:
            connection.close()
            raise StoreError(
                f"{self.place} runs PostgreSQL {version}; it must be {OLDEST} or later."
            )
        return connection

    @contextmanager
    def _as_store_errors(self, connection: psycopg.Connection[Any]) -> Iterator[None]:
        import psycopg

        try:
            yield
        except psycopg.Error as error:
            reason = _reason(error)
            if self._closed:
                raise self._closed_error() from None
            if connection.closed:
                raise StoreLostError(
                    f"The connection to {self.place} was lost: {reason}."
                ) from None
            raise StoreError(f"{self.place} failed: {reason}.") from None

    def _closed_error(self) -> StoreError:
        return StoreError(f"The store in {self.place} is closed", "open another one")


def _reason(error: Exception) -> str:
    """Return what an error says, in one line."""
    diagnostics = getattr(error, "diag", None)
    text = getattr(diagnostics, "message_primary", None) or str(error)
    lines = [line.strip(" -\t") for line in text.splitlines()]
    first = next((line for line in lines if line and not line.endswith(":")), "no reason given")
    return first.rpartition(" failed: ")[2].removeprefix("FATAL:").strip(" .")


def _undo(connection: psycopg.Connection[Any]) -> None:
    """Roll back; a connection that cannot is closed, with the same effect on the server."""
    import psycopg

    try:
        connection.rollback()
    except psycopg.Error:
        connection.close()

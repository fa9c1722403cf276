"""Texts of SQL for SQLite: quoted names, and conditions whose values are parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from hashlearn.stores.sqlite_connection import Connection
from hashlearn.stores.where import Condition, OneOf

# Lists of any length, which neither the number of parameters nor JSON's numbers limit.
WANTED = "temp.hashlearn_wanted"
IS_WANTED = f"in (select value from {WANTED} where list = ?)"


class Clause(NamedTuple):
    """What must hold of a row `i`, and the parameters in it."""

    sql: str
    parameters: list[Any]


def quoted(name: str) -> str:
    """Return a name as SQL has it, reserved words included.

    Examples
    --------
    >>> quoted("order")
    '"order"'
    """
    return '"' + name.replace('"', '""') + '"'


def want(connection: Connection, lists: Iterable[Sequence[Any]]) -> None:
    """Fill the temporary table of wanted values, in a transaction, with lists 0, 1, ..."""
    connection.execute(
        f"create table if not exists {WANTED} (list integer, value, primary key (list, value)) "
        "without rowid"
    )
    connection.execute(f"delete from {WANTED}")
    for number, values in enumerate(lists):
        connection.execute_many(
            f"insert or ignore into {WANTED} values (?, ?)", ((number, value) for value in values)
        )


def clause(connection: Connection, conditions: Sequence[Condition]) -> Clause:
    """Return the text of conditions, whose lists of values become those wanted."""
    lists: list[tuple[Any, ...]] = []
    texts, parameters = [], []
    for condition in conditions:
        column = f"i.{quoted(condition.column)}"
        if isinstance(condition, OneOf):
            texts.append(f"{column} {IS_WANTED}")
            parameters.append(len(lists))
            lists.append(condition.values)
            continue
        for sign, bound in ((">=", condition.low), ("<=", condition.high)):
            if bound is not None:
                texts.append(f"{column} {sign} ?")
                parameters.append(bound)
    if lists:
        want(connection, lists)
    return Clause(" and ".join(texts) or "true", parameters)

"""PostgreSQL's connection strings: read once, and shown without a password."""

from __future__ import annotations

import re

from hashlearn.stores.errors import StoreError

# Unless the address says otherwise: a network that went away is noticed within a minute.
DEFAULTS = {
    "fallback_application_name": "hashlearn",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
}
MALFORMED = (
    "the address of PostgreSQL is malformed: it takes postgresql://user:password@host:port/database"
    ", with / @ : % in a name or a password written as %2F %40 %3A %25."
)


def read_address(address: str) -> dict[str, str]:
    """Return the settings of a connection string, PostgreSQL's own way of reading it.

    Examples
    --------
    >>> read_address("postgresql://me:secret@db.example/codes")["host"]
    'db.example'
    """
    from psycopg import Error
    from psycopg.conninfo import conninfo_to_dict

    try:
        given = conninfo_to_dict(address)
    except (Error, UnicodeError):
        given = None  # the message may quote the password, so it must not even be the context
    if given is None or _is_ambiguous(address):
        raise StoreError(MALFORMED)
    settings = {name: str(value) for name, value in given.items() if value is not None}
    is_port = re.fullmatch(r"[0-9,]*", settings.get("port", ""))
    if not is_port or "://" in settings.get("dbname", ""):  # it would be shown, as the database
        raise StoreError(MALFORMED)
    return {**DEFAULTS, **settings, "client_encoding": "utf8"}


def place_of(settings: dict[str, str]) -> str:
    """Return user, host, port and database; what is not said is PostgreSQL's default.

    Examples
    --------
    >>> place_of(read_address("postgresql://me:secret@db.example:5433/codes"))
    'postgresql://me@db.example:5433/codes'
    """
    from psycopg import pq

    known = {
        option.keyword.decode(): option.val.decode()
        for option in pq.Conninfo.get_defaults()
        if option.val
    }
    known = {**known, **settings}
    user = known.get("user", "")
    host = known.get("host") or known.get("hostaddr") or "localhost"
    return f"postgresql://{user}@{host}:{known.get('port')}/{known.get('dbname', user)}"


def _is_ambiguous(address: str) -> bool:
    """Tell whether a password with a bare @ or / would be taken for a host or a database."""
    _, is_url, rest = address.partition("://")
    user, at, place = rest.partition("?")[0].partition("@")
    return bool(is_url) and bool(at) and ("@" in place or "/" in user)

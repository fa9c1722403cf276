"""PostgreSQL's connection strings: read once, and shown without a password."""

from __future__ import annotations

import os
import re

from hashlearn.stores.errors import StoreError

# Unless the address says otherwise: a server that is away is noticed within a minute.
DEFAULTS = {
    "fallback_application_name": "hashlearn",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
}
CONNECT_TIMEOUT = "30"  # seconds
MALFORMED = (
    "the address of PostgreSQL is malformed: it takes postgresql://user:password@host:port/database"
    ", with / @ : % in a name or a password written as %2F %40 %3A %25; several hosts have a port "
    "each, or none has one."
)
SHORTEST_HIDDEN = 8  # a shorter password may be a part of many words, which would be mangled


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
    shown = settings.get("host", "") + settings.get("dbname", "")
    is_port = re.fullmatch(r",*|\d+(,\d+)*", settings.get("port", ""), re.ASCII)
    if not is_port or "@" in shown or "://" in shown:  # a part of a password, most likely
        raise StoreError(MALFORMED)
    limit = os.environ.get("PGCONNECT_TIMEOUT", CONNECT_TIMEOUT)
    return {**DEFAULTS, "connect_timeout": limit, **settings, "client_encoding": "utf8"}


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


def without_password(text: str, settings: dict[str, str]) -> str:
    """Return what the opening of a connection says, without the password.

    PostgreSQL's client quotes hosts, users, databases and options, and never a password. This is
    for one that was taken for something else too.

    Examples
    --------
    >>> without_password("no host 'topsecret'", {"password": "topsecret"})
    "no host '…'"
    """
    password = settings.get("password", "")
    return text.replace(password, "…") if len(password) >= SHORTEST_HIDDEN else text


def _is_ambiguous(address: str) -> bool:
    """Tell whether a password with a bare @ or / would be taken for a host or a database."""
    _, is_url, rest = address.partition("://")
    before, _, _ = rest.rpartition("@")
    return bool(is_url) and ("@" in before or "/" in before)

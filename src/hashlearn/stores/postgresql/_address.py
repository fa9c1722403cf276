"""Addresses of PostgreSQL servers: parsed once, and shown without their passwords."""

from __future__ import annotations

import os
import re
from typing import Any

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
    "the address of a PostgreSQL server must be postgresql://user:password@host:port/database, "
    "with / @ : % in a name or a password written as %2F %40 %3A %25; several hosts must have a "
    "port each, or none."
)
HIDDEN = "…"
SHORTEST_HIDDEN = 8  # a shorter password may be a part of many words, which would be mangled
_BARE_HOST = re.compile(r"[^/?@]*:[^/?@]*@[^/?@:.,\[]+", re.ASCII)  # nothing follows the host


class Address:
    """The settings of a connection string, password included, which is never shown.

    The place is user, host, port and database; PostgreSQL's defaults where none are given.
    """

    def __init__(self, text: str) -> None:
        self.settings: dict[str, Any] = _parsed(text)
        # A lone word after the @ may be the rest of a password with an @ in it.
        _, is_url, rest = text.partition("://")
        self._is_host_certain = not (is_url and _BARE_HOST.fullmatch(rest))
        self.place = self._place()

    def __repr__(self) -> str:
        return f"<Address {self.place}>"

    def __str__(self) -> str:
        return self.place

    def hidden_in(self, text: str) -> str:
        """Return what a failed connection says, without the password or what may be a part of it.

        PostgreSQL's client never quotes a password, unless it was mistaken for something else.
        """
        password = self.settings.get("password", "")
        if len(password) >= SHORTEST_HIDDEN:
            text = text.replace(password, HIDDEN)
        return text if self._is_host_certain else text.replace(self.settings["host"], HIDDEN)

    def _place(self) -> str:
        from psycopg import pq

        known = {
            option.keyword.decode(): option.val.decode()
            for option in pq.Conninfo.get_defaults()
            if option.val
        }
        known |= self.settings
        user = known.get("user", "")
        host = known.get("host") or known.get("hostaddr") or "localhost"
        shown = host if self._is_host_certain else HIDDEN
        return f"postgresql://{user}@{shown}:{known.get('port')}/{known.get('dbname', user)}"


def _parsed(text: str) -> dict[str, Any]:
    """Return the settings of a connection string, as PostgreSQL itself reads them."""
    from psycopg import Error
    from psycopg.conninfo import conninfo_to_dict

    try:
        given = conninfo_to_dict(text)
    except (Error, UnicodeError):
        given = None  # the message may quote the password, so it must not even be the context
    if given is None or _is_ambiguous(text):
        raise StoreError(MALFORMED)
    settings = {name: str(value) for name, value in given.items() if value is not None}
    shown = settings.get("host", "") + settings.get("dbname", "")
    is_port = re.fullmatch(r",*|\d+(,\d+)*", settings.get("port", ""), re.ASCII)
    if not is_port or "@" in shown or "://" in shown:  # a part of a password, most likely
        raise StoreError(MALFORMED)
    limit = os.environ.get("PGCONNECT_TIMEOUT", CONNECT_TIMEOUT)
    return {**DEFAULTS, "connect_timeout": limit, **settings, "client_encoding": "utf8"}


def _is_ambiguous(text: str) -> bool:
    """Tell whether a password with a bare @ or / would be read as a host or a database."""
    _, is_url, rest = text.partition("://")
    before, _, _ = rest.rpartition("@")
    return bool(is_url) and ("@" in before or "/" in before)

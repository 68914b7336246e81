"""PEP 249 over the library's raw SQL, for what asks for a DB-API: SQLAlchemy, pandas, your own code.

from cormorant import dbapi

with dbapi.connect("app.db") as connection:
    connection.execute("INSERT INTO person (name) VALUES (?)", ("Ada",))
connection.close()

Exceptions are those of cormorant, whose names are PEP 249's. Values are None, int, float, str and bytes as SQLite has
them; bool, Decimal, UUID, date, time and datetime are bound as text or number, in the form that columns of models have,
and come back as that.
"""

from __future__ import annotations

from .._native.base import sqlite_version
from ..error import (
    DatabaseError,
    DataError,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
)
from .connection import Connection, connect
from .cursor import Cursor
from .types import (
    BINARY,
    DATETIME,
    NUMBER,
    ROWID,
    STRING,
    Binary,
    Date,
    DateFromTicks,
    Time,
    TimeFromTicks,
    Timestamp,
    TimestampFromTicks,
    Warning,
)

apilevel = "2.0"
"""The version of PEP 249 that this follows."""
threadsafety = 2
"""Threads may share the module and connections; a transaction is the connection's, whichever threads use it."""
paramstyle = "qmark"
"""`?` with a sequence; `:name` with a mapping is accepted as well."""

sqlite_version_info = tuple(int(part) for part in sqlite_version().split("."))
"""The version of SQLite that the library runs on."""

__all__ = [
    "BINARY",
    "DATETIME",
    "NUMBER",
    "ROWID",
    "STRING",
    "Binary",
    "Connection",
    "Cursor",
    "DataError",
    "DatabaseError",
    "Date",
    "DateFromTicks",
    "Error",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "NotSupportedError",
    "OperationalError",
    "ProgrammingError",
    "Time",
    "TimeFromTicks",
    "Timestamp",
    "TimestampFromTicks",
    "Warning",
    "apilevel",
    "connect",
    "paramstyle",
    "sqlite_version",
    "sqlite_version_info",
    "threadsafety",
]

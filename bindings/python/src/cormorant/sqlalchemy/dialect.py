"""The dialect of SQLAlchemy for SQLite, over cormorant.dbapi."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from sqlalchemy import exc, util
from sqlalchemy.dialects.sqlite.base import SQLiteDialect
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

from .. import __version__, dbapi

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

# What a URL may say of a connection, and as what.
_OPTIONS: dict[str, type] = {
    "mode": str,
    "template": str,
    "busy_timeout": float,
    "journal_mode": str,
    "synchronous": str,
    "foreign_keys": bool,
    "statement_cache_size": int,
    "isolation_level": str,
}


class Dialect(SQLiteDialect_pysqlite):
    """What the dialects of both kinds of engines have."""

    supports_statement_cache = True

    @classmethod
    def import_dbapi(cls) -> Any:
        return dbapi

    def retrieve_dbapi_version(self, dbapi: Any) -> Any:
        return util.parse_version_string(__version__)

    def create_connect_args(self, url: URL) -> tuple[list[str], dict[str, Any]]:
        if url.username or url.host or url.port:
            raise exc.ArgumentError(
                "a URL of a file has neither user nor host: write sqlite+cormorant:///relative/path.db, "
                "sqlite+cormorant:////absolute/path.db, or sqlite+cormorant:// for memory"
            )
        options: dict[str, Any] = {}
        query: dict[str, Any] = dict(url.query)
        path = url.database or ":memory:"
        is_uri = path.startswith("file:")
        if "key" in query or "cipher" in query:
            raise exc.ArgumentError(
                "a key in a URL's query would be shown in logs: give it as connect_args={'key': key}, or in the place "
                "of the password, sqlite+cormorant://:key@/path.db"
            )
        for name, kind in _OPTIONS.items():
            # What SQLite itself has for URIs comes first.
            if name in query and not (is_uri and name == "mode"):
                util.coerce_kw_type(query, name, kind)
                options[name] = query.pop(name)
        if is_uri:
            path += "?" + urlencode(query) if query else ""
        elif query:
            known = ", ".join(_OPTIONS)
            raise exc.ArgumentError(f"the URL has an option {sorted(query)[0]!r}; a connection has {known}")
        elif path != ":memory:":
            path = os.path.abspath(path)
        if url.password is not None:
            options["key"] = str(url.password)
        return [path], options

    def on_connect(self) -> Any:
        """Nothing: SQLite has floor() itself, and there are no functions in Python."""
        return None

    def set_isolation_level(self, dbapi_connection: Any, level: Any) -> None:
        dbapi_connection.autocommit = level == "AUTOCOMMIT"
        if level != "AUTOCOMMIT":
            SQLiteDialect.set_isolation_level(self, dbapi_connection, level)

    def detect_autocommit_setting(self, dbapi_conn: Any) -> bool:
        return bool(dbapi_conn.autocommit)

    def is_disconnect(self, e: Exception, connection: Any, cursor: Any) -> bool:
        closed = ("the connection is closed", "the database is closed")
        return isinstance(e, dbapi.ProgrammingError) and e.message in closed

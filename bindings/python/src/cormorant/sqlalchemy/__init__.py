"""The dialect `sqlite+cormorant` of SQLAlchemy, for create_engine() and create_async_engine().

create_engine("sqlite+cormorant:///app.db")
create_async_engine("sqlite+cormorant:///secret.db", connect_args={"key": key})
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .aio import CormorantAsyncDialect
from .dialect import Dialect

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

__all__ = ["CormorantAsyncDialect", "CormorantDialect"]


class CormorantDialect(Dialect):
    """`sqlite+cormorant:///app.db`, with options of dbapi.connect() as the query: `?busy_timeout=10&mode=read_only`.

    The key of an encrypted file is given as connect_args={"key": key}, or stands in the place of the URL's password,
    which SQLAlchemy masks wherever it shows a URL. As `?key=`, which it would show, it is refused. Foreign keys are
    checked, unless the query says `?foreign_keys=false`.
    """

    driver = "cormorant"
    supports_statement_cache = True

    @classmethod
    def get_async_dialect_cls(cls, url: URL) -> type[Dialect]:
        return CormorantAsyncDialect

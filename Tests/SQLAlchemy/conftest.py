"""SQLAlchemy's suite for dialects of others: https://github.com/sqlalchemy/sqlalchemy/blob/main/README.dialects.rst.

pytest -c Tests/SQLAlchemy/setup.cfg Tests/SQLAlchemy --db plain; the others are named in setup.cfg.
"""

import os
import tempfile

from cormorant import Cipher
from sqlalchemy import event
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite import provision  # noqa: F401  # what the suite does for SQLite in its own way
from sqlalchemy.testing.provision import post_configure_engine

registry.register("sqlite.cormorant", "cormorant.sqlalchemy", "CormorantDialect")
registry.register("sqlite.cormorant_async", "cormorant.sqlalchemy", "CormorantAsyncDialect")

from sqlalchemy.testing.plugin.pytestplugin import *  # noqa: E402, F403

# The suite makes its files where it runs.
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)


@post_configure_engine.for_db("sqlite")
def attach_schema(url, engine, follower_ident):
    """The suite's other schema is a file that is encrypted as the first one is."""
    schema = f"{engine.driver}_schema.db"
    cipher = Cipher(url.password) if url.password else None

    @event.listens_for(engine, "connect")
    def connect(connection, record):
        driver = engine.dialect.get_driver_connection(connection)
        getattr(driver, "connection", driver).database.attach(schema, "test_schema", cipher=cipher)

    @event.listens_for(engine, "engine_disposed")
    def dispose(engine):
        for file in filter(os.path.exists, (schema, url.database)):
            with open(file, "rb") as opened:
                begin = opened.read(6)
            assert not begin or (begin == b"SQLite") == (cipher is None)
            os.remove(file)

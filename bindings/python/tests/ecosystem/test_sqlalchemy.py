"""The dialect of SQLAlchemy; what SQLAlchemy's own suite asks of it is in Tests/SQLAlchemy."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from encrypted import plain_only
from sqlalchemy import orm
from sqlalchemy.dialects import registry
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

import cormorant
from cormorant import Cipher, dbapi
from cormorant.sqlalchemy.aio import AsyncConnection

KEY = f"x'{'5e' * 32}'"
registry.register("sqlite.cormorant", "cormorant.sqlalchemy", "CormorantDialect")


class Base(orm.DeclarativeBase):
    pass


class Author(Base):
    __tablename__ = "author"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    name: orm.Mapped[str] = orm.mapped_column(unique=True)
    books: orm.Mapped[list[Book]] = orm.relationship(back_populates="author")


class Book(Base):
    __tablename__ = "book"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    author_id: orm.Mapped[int] = orm.mapped_column(sa.ForeignKey("author.id"))
    author: orm.Mapped[Author] = orm.relationship(back_populates="books")


@pytest.fixture
def engine(path: Path) -> Iterator[sa.Engine]:
    engine = sa.create_engine(f"sqlite+cormorant:///{path}")
    yield engine
    engine.dispose()


def test_a_session(engine: sa.Engine) -> None:
    Base.metadata.create_all(engine)
    with orm.Session(engine) as session, session.begin():
        session.add(Author(name="Ada", books=[Book(), Book()]))
    with orm.Session(engine) as session:
        ada = session.scalars(sa.select(Author)).one()
        assert len(ada.books) == 2
        session.add(Author(name="Ada"))
        with pytest.raises(sa.exc.IntegrityError) as caught:
            session.flush()
    assert isinstance(caught.value.orig, cormorant.UniqueViolation)
    assert caught.value.orig.columns == ("name",)


def test_a_model_reads_what_sqlalchemy_wrote(engine: sa.Engine, path: Path) -> None:
    Base.metadata.create_all(engine)
    with orm.Session(engine) as session, session.begin():
        session.add(Author(name="Ada"))
    with cormorant.Database(path) as database:
        assert database.query("SELECT name FROM author").fetch_all() == [("Ada",)]


def test_a_connection_moves_between_threads_with_its_transaction(engine: sa.Engine) -> None:
    with engine.connect() as connection:
        connection.execute(sa.text("CREATE TABLE t (a)"))

        def insert() -> None:
            connection.execute(sa.text("INSERT INTO t VALUES (1)"))

        thread = threading.Thread(target=insert)
        thread.start()
        thread.join()
        connection.commit()
        assert connection.scalar(sa.text("SELECT count(*) FROM t")) == 1


def test_isolation_levels(engine: sa.Engine) -> None:
    with engine.connect() as connection:
        assert connection.get_isolation_level() == "SERIALIZABLE"
        connection.execution_options(isolation_level="AUTOCOMMIT")
        connection.execute(sa.text("CREATE TABLE t (a)"))
        connection.rollback()
        assert sa.inspect(connection).get_table_names() == ["t"]
    with engine.connect() as connection:
        assert not connection.connection.driver_connection.autocommit  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("url", "arguments"),
    [("sqlite+cormorant:///{}", {"key": KEY}), ("sqlite+cormorant:///{}", {"cipher": Cipher(KEY)}), (None, {})],
)
def test_an_encrypted_file_whose_key_is_not_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, url: str | None, arguments: dict[str, Any]
) -> None:
    path = tmp_path / "secret.db"
    given = url.format(path) if url else sa.URL.create("sqlite+cormorant", password=KEY, database=str(path))
    with caplog.at_level(logging.DEBUG):
        engine = sa.create_engine(given, connect_args=arguments, echo="debug", echo_pool="debug")
        with engine.begin() as connection:
            connection.execute(sa.text("CREATE TABLE t (a)"))
        shown = repr(engine) + str(engine.url) + caplog.text
        engine.dispose()
    assert path.read_bytes()[:6] != b"SQLite"
    assert KEY not in shown
    assert "5e5e" not in shown


def test_a_key_in_the_query_is_refused_and_not_shown() -> None:
    with pytest.raises(sa.exc.ArgumentError, match="connect_args") as caught:
        sa.create_engine("sqlite+cormorant:///x.db?key=secret").connect()
    assert "secret" not in str(caught.value)


def test_options_of_the_url(path: Path) -> None:
    url = (
        f"sqlite+cormorant:///{path}?busy_timeout=0.5&foreign_keys=false&journal_mode=delete&isolation_level=IMMEDIATE"
    )
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        settings = [connection.scalar(sa.text(f"PRAGMA {name}")) for name in ("foreign_keys", "journal_mode")]
        assert connection.connection.driver_connection.isolation_level == "IMMEDIATE"  # type: ignore[union-attr]
    engine.dispose()
    assert settings == [0, "delete"]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("sqlite+cormorant:///x.db?timeout=5", "option 'timeout'; a connection has mode"),
        ("sqlite+cormorant://host/x.db", "neither user nor host"),
        ("sqlite+cormorant://user:pass@/x.db", "neither user nor host"),
    ],
)
def test_urls_that_say_what_no_connection_has(url: str, message: str) -> None:
    with pytest.raises(sa.exc.ArgumentError, match=message):
        sa.create_engine(url)


@plain_only
def test_a_uri_of_sqlites() -> None:
    url = "sqlite+cormorant:///file:shared?mode=memory&cache=shared"
    engine = sa.create_engine(url, poolclass=sa.QueuePool)
    with engine.connect() as first, engine.connect() as second:
        first.execute(sa.text("CREATE TABLE t (a)"))
        first.commit()
        assert second.scalar(sa.text("SELECT count(*) FROM t")) == 0
    engine.dispose()


def test_an_async_session(path: Path) -> None:
    async def run() -> list[str]:
        engine = create_async_engine(f"sqlite+cormorant:///{path}")
        async with engine.begin() as connection:
            await connection.run_sync(Base.metadata.create_all)
        async with AsyncSession(engine) as session, session.begin():
            session.add_all(Author(name=name) for name in "abc")
        async with AsyncSession(engine) as session:
            names = [author.name async for author in await session.stream_scalars(sa.select(Author))]
        await engine.dispose()
        return names

    assert asyncio.run(run()) == ["a", "b", "c"]


def test_writers_wait_for_each_other_and_the_loop_goes_on(path: Path) -> None:
    async def run() -> Any:
        engine = create_async_engine(f"sqlite+cormorant:///{path}?isolation_level=IMMEDIATE")
        async with engine.begin() as connection:
            await connection.execute(sa.text("CREATE TABLE t (a)"))

        async def insert(number: int) -> None:
            async with engine.begin() as connection:
                await connection.execute(sa.text("INSERT INTO t VALUES (:a)"), {"a": number})
                await asyncio.sleep(0.01)

        await asyncio.gather(*map(insert, range(10)))
        async with engine.connect() as connection:
            count = await connection.scalar(sa.text("SELECT count(*) FROM t"))
        await engine.dispose()
        return count

    assert asyncio.run(run()) == 10


def test_a_task_that_is_cancelled_stops_its_statement(path: Path) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

    async def run() -> Any:
        engine = create_async_engine(f"sqlite+cormorant:///{path}")
        with pytest.raises(asyncio.TimeoutError):
            async with engine.connect() as connection:
                await asyncio.wait_for(connection.scalar(sa.text(endless)), 0.1)
        async with engine.connect() as connection:
            one = await connection.scalar(sa.text("SELECT 1"))
        await engine.dispose()
        return one

    assert asyncio.run(run()) == 1


def test_an_error_that_names_what_is_closed_leaves_the_pool() -> None:
    memory = sa.create_engine("sqlite+cormorant://")
    with memory.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE p (a)")
        connection.exec_driver_sql("INSERT INTO p VALUES (1)")
    with memory.connect() as connection, pytest.raises(sa.exc.ProgrammingError) as caught:
        connection.exec_driver_sql('SELECT * FROM "door is closed"')
    assert not caught.value.connection_invalidated
    with memory.connect() as connection:
        assert connection.exec_driver_sql("SELECT a FROM p").fetchall() == [(1,)]
        assert connection.connection.dbapi_connection is not None
        connection.connection.dbapi_connection.close()
        with pytest.raises(sa.exc.ProgrammingError) as caught:
            connection.exec_driver_sql("SELECT 1")
        assert caught.value.connection_invalidated
    memory.dispose()


def test_a_connection_that_is_closed_says_so(path: Path) -> None:
    async def main() -> None:
        driver = await AsyncConnection.open(path)
        cursor = driver.cursor()
        await driver.close()
        await driver.close()
        for call in (driver.rollback, driver.commit, cursor.close, cursor.fetchone):
            with pytest.raises(dbapi.ProgrammingError, match="the connection is closed"):
                await call()
        memory = create_async_engine("sqlite+cormorant://")
        with pytest.raises(sa.exc.ProgrammingError, match="the connection is closed"):
            async with memory.connect() as connection:
                await connection.execute(sa.text("SELECT 1"))
                await memory.dispose()
                await connection.execute(sa.text("SELECT 1"))

    asyncio.run(asyncio.wait_for(main(), 20))


def test_a_task_that_is_cancelled_while_it_closes_ends_the_thread(tmp_path: Path) -> None:
    async def run() -> int | None:
        connection = await AsyncConnection.open(tmp_path / "a.db")
        close = connection.connection.close

        def slowly() -> None:
            time.sleep(0.3)
            close()

        connection.connection.close = slowly  # type: ignore[method-assign]
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(connection.close(), 0.1)
        return connection._worker.ident

    thread = asyncio.run(run())
    end = time.monotonic() + 20
    while (is_there := thread in {one.ident for one in threading.enumerate()}) and time.monotonic() < end:
        time.sleep(0.01)
    assert not is_there


def test_a_connection_that_cannot_be_closed_yet_is_closed_by_its_thread(path: Path) -> None:
    """What runs, such as a function of Python's, does not end when it is interrupted."""

    async def run() -> None:
        connection = await AsyncConnection.open(path)
        begun = threading.Event()

        def slow() -> int:
            begun.set()
            time.sleep(1.5)
            return 1

        connection.connection.database.register_function(slow)
        cursor = connection.cursor()
        running = asyncio.create_task(cursor.execute("SELECT slow()"))
        while not begun.is_set():
            await asyncio.sleep(0.01)
        connection.stop()
        connection.stop()
        with pytest.raises(dbapi.Error):
            await running
        end = time.monotonic() + 20
        while not connection.connection.is_closed and time.monotonic() < end:
            await asyncio.sleep(0.01)
        assert connection.connection.is_closed

    before = threading.active_count()
    asyncio.run(run())
    assert threading.active_count() == before

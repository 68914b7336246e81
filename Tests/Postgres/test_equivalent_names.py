"""Names and texts that Unicode holds for equivalent, and a server for different."""

from __future__ import annotations

from pathlib import Path

import pytest
from cormorant import Column, Database, Error, Model, column, key, select
from test_move import corm, made

NFC, NFD = "caf\u00e9", "cafe\u0301"


class Composed(Model, table="t"):
    id: Column[int] = key()
    a: Column[str] = column(name=NFC)


def test_statements_are_known_by_their_bytes(url: str) -> None:
    with Database(url) as db:
        lengths = [db.fetch_value(f"SELECT length('{text}')") for text in (NFC, NFD, NFC)]
    assert lengths == [4, 5, 4]


def test_only_the_table_that_is_named_is_dropped(url: str) -> None:
    with Database(url) as db:
        db.execute_script(f'CREATE TABLE "{NFC}" (a int); CREATE TABLE "{NFD}" (a int); INSERT INTO "{NFD}" VALUES (1)')
        db.sync(Composed, allow_drop=[NFC])
        assert db.query(f'SELECT a FROM "{NFD}"').fetch_all() == [(1,)]
        with pytest.raises(Error):
            db.query(f'SELECT a FROM "{NFC}"').fetch_all()


def test_a_column_goes_with_leave_alone(url: str) -> None:
    with Database(url) as db:
        db.execute_script(
            f"""CREATE TABLE t (id bigint PRIMARY KEY, "{NFC}" text, "{NFD}" text);
            INSERT INTO t VALUES (1, 'a', 'b')"""
        )
        with pytest.raises(Error, match="drop"):
            db.sync(Composed)
        assert db.query(f'SELECT "{NFD}" FROM t').fetch_all() == [("b",)]


def test_tables_and_columns_of_both_names(url: str) -> None:
    class First(Model, table=NFC):
        id: Column[int] = key()
        a: Column[str] = column(name=NFC)
        b: Column[str] = column(name=NFD)

    class Second(Model, table=NFD):
        id: Column[int] = key()
        c: Column[str]

    with Database(url) as db:
        db.sync(First, Second)
        db.insert(First(a="a", b="b"))
        db.insert(Second(c="c"))
        assert [(record.a, record.b) for record in db.fetch_all(select(First))] == [("a", "b")]
        assert db.fetch_all(select(First.b).where(First.a == "a")) == [("b",)]
        assert [record.c for record in db.fetch_all(select(Second))] == ["c"]
        assert not db.plan(First, Second).steps


def test_a_key_and_another_column_of_its_other_form(url: str) -> None:
    class Counted(Model, table="counted"):
        id: Column[int] = key(name=NFC)
        b: Column[int | None] = column(name=NFD)

    class Named(Model, table="named"):
        a: Column[str] = column(name=NFC, primary_key=True)
        b: Column[str | None] = column(name=NFD)

    with Database(url) as db:
        db.sync(Counted, Named)
        db.insert_many([Counted(b=None), Counted(b=7)])
        assert [(record.id, record.b) for record in db.fetch_all(select(Counted))] == [(1, None), (2, 7)]
        for b in ("y", None, "z"):
            db.save(Named("x", b))
            assert db.fetch_all(select(Named)) == [Named("x", b)]
        assert not db.plan(Counted, Named).steps


def test_a_table_of_both_names_is_moved(url: str, tmp_path: Path) -> None:
    file = made(
        tmp_path / "a.db",
        f"""CREATE TABLE t ("{NFC}" TEXT, "{NFD}" INTEGER PRIMARY KEY); INSERT INTO t VALUES ('a', 1), ('b', 5);""",
    )
    corm("move", file, url)
    back = tmp_path / "back.db"
    corm("move", url, back)
    with Database(back) as db:
        assert db.query(f'SELECT "{NFC}", rowid FROM t').fetch_all() == [("a", 1), ("b", 5)]

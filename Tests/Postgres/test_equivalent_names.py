"""Names and texts that Unicode holds for equivalent, and a server for different."""

from __future__ import annotations

import pytest
from cormorant import Column, Database, Error, Model, column, key, select

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

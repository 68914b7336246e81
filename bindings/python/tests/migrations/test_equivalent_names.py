"""Names that Unicode holds for equivalent, and SQL for different."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from cormorant import Bundle, Column, Database, Error, Model, Registry, column, key, select

NFC, NFD = "caf\u00e9", "cafe\u0301"


class P(Model):
    id: Column[int] = key()


class Composed(Model, table="t"):
    id: Column[int] = key()
    a: Column[str] = column(name=NFC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "test.db"


def run(path: Path, sql: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    found = [row for statement in sql.split(";") for row in connection.execute(statement).fetchall()]
    connection.commit()
    connection.close()
    return found


def test_only_the_table_that_is_named_is_dropped(path: Path) -> None:
    run(path, f'CREATE TABLE "{NFC}"(a); CREATE TABLE "{NFD}"(a); INSERT INTO "{NFD}" VALUES (1)')
    with Database(path) as db:
        db.sync(P, allow_drop=[NFC])
    assert run(path, f'SELECT a FROM "{NFD}"') == [(1,)]
    assert run(path, f"SELECT name FROM sqlite_schema WHERE name = '{NFC}'") == []


def test_a_column_goes_with_leave_alone(path: Path) -> None:
    run(
        path,
        f"""CREATE TABLE t(id INTEGER PRIMARY KEY, "{NFC}" TEXT, "{NFD}" TEXT);
        INSERT INTO t VALUES (1, 'a', 'KEEP')""",
    )
    with Database(path) as db, pytest.raises(Error, match="drop"):
        db.sync(Composed)
    assert run(path, f'SELECT "{NFD}" FROM t') == [("KEEP",)]


def test_a_column_by_the_other_name_is_another_one(path: Path) -> None:
    run(path, f'CREATE TABLE t(id INTEGER PRIMARY KEY, "{NFD}" TEXT)')
    with Database(path) as db, pytest.raises(Error, match="drop"):
        db.sync(Composed)


def test_columns_of_both_names(path: Path) -> None:
    class Both(Model, table="t"):
        id: Column[int] = key()
        a: Column[str] = column(name=NFC)
        b: Column[str] = column(name=NFD)

    with Database(path) as db:
        db.sync(Both)
        record = Both(a="x", b="y")
        db.insert(record)
        record.b = "z"
        db.update(record)
        found = db.find(Both, record.id)
        assert found is not None
        assert (found.a, found.b) == ("x", "z")
        assert db.fetch_all(select(Both.b).where(Both.a == "x")) == [("z",)]
        assert not db.plan(Both).steps
    assert run(path, f'SELECT "{NFC}", "{NFD}" FROM t') == [("x", "z")]


def test_tables_of_both_names(path: Path) -> None:
    class First(Model, table=NFC):
        id: Column[int] = key()
        a: Column[str]

    class Second(Model, table=NFD):
        id: Column[int] = key()
        b: Column[str]

    with Database(path) as db:
        db.sync(First, Second)
        with db.observe(First) as first, db.observe(Second) as second:
            db.insert(Second(b="b"))
            assert second.next(5) is not None
            assert first.next(0) is None
            db.insert(First(a="a"))
            assert first.next(5) is not None
            assert second.next(0) is None
        assert [record.a for record in db.fetch_all(select(First))] == ["a"]
        assert [record.b for record in db.fetch_all(select(Second))] == ["b"]


def test_statements_are_known_by_their_bytes(path: Path) -> None:
    with Database(path) as db:
        assert [db.fetch_value(f"SELECT length('{text}')") for text in (NFC, NFD, NFC)] == [4, 5, 4]


def test_files_of_a_registry_are_known_by_their_bytes(tmp_path: Path) -> None:
    with Registry(str(tmp_path / "{name}.db")) as registry:
        for name in (NFC, NFD):
            with registry.use(name) as db:
                db.execute("CREATE TABLE t (a)")
                db.execute("INSERT INTO t VALUES (?)", [name])
        for name in (NFC, NFD):
            with registry.use(name) as db:
                assert db.fetch_value("SELECT a FROM t") == name
        assert registry.names() == [NFD, NFC]


def test_a_live_query_tells_of_another_form(path: Path) -> None:
    with Database(path) as db:
        db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
        db.execute("INSERT INTO t VALUES (1, ?)", [NFC])
        with db.observe_live(None, "SELECT id, a FROM t") as rows:
            rows.next(5)
            db.execute("UPDATE t SET a = ?", [NFD])
            assert rows.next(5) is not None


def test_texts_are_keys_by_their_bytes(path: Path) -> None:
    class Word(Model):
        text: Column[str] = column(primary_key=True)
        n: Column[int]

    with Database(path) as db:
        db.sync(Word)
        db.set_cache(Word, max_count=10, max_bytes=10**6)
        db.insert_many([Word(NFC, 1), Word(NFD, 2)])
        assert [db.find(Word, text).n for text in (NFC, NFD, NFC)] == [1, 2, 1]  # type: ignore[union-attr]
        store = db.store("words")
        store[NFC] = 1
        store[NFD] = 2
        assert (store[NFC], store[NFD]) == (1, 2)


def test_steps_of_equivalent_names(tmp_path: Path) -> None:
    for name in ("0001_\u00e9", "0001_e\u0301"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "up.sql").write_text("SELECT 1")
    with pytest.raises(Error):
        Bundle(tmp_path)


def test_a_key_and_another_column_of_its_other_form(path: Path) -> None:
    class Keyed(Model, table="k"):
        a: Column[str] = column(name=NFC, primary_key=True)
        b: Column[str] = column(name=NFD)

    class Referring(Model, table="r"):
        id: Column[int] = key()
        a: Column[str | None] = column(name=NFC, references="k", check=f"\"{NFC}\" <> 'no'")
        b: Column[str | None] = column(name=NFD)

    with Database(path) as db:
        db.sync(Keyed, Referring)
        db.insert(Keyed("x", "y"))
        db.save(Keyed("x", "z"))
        assert db.fetch_all(select(Keyed)) == [Keyed("x", "z")]
        db.insert(Referring(a="x", b="no row of k"))
        with pytest.raises(Error):
            db.insert(Referring(a="no row of k", b="x"))
        assert not db.plan(Keyed, Referring).steps


def test_the_key_becomes_the_other_column(path: Path) -> None:
    class Other(Model, table="t"):
        a: Column[int | None] = column(name=NFC)
        b: Column[int] = column(name=NFD, primary_key=True)

    run(path, f'CREATE TABLE t("{NFC}" INTEGER PRIMARY KEY, "{NFD}" INTEGER); INSERT INTO t VALUES (1, 20), (2, 10)')
    with Database(path) as db:
        db.sync(Other)
        assert not db.plan(Other).steps
    assert run(path, f'SELECT rowid, "{NFC}", "{NFD}" FROM t') == [(10, 2, 10), (20, 1, 20)]


def test_tables_of_both_names_are_made_anew(path: Path) -> None:
    class First(Model, table=NFC):
        id: Column[int] = key()
        a: Column[int | None]

    class Second(Model, table=NFD):
        id: Column[int] = key()
        a: Column[int | None]

    for name, rows in ((NFC, "(1, '1')"), (NFD, "(1, '1'), (2, '2')")):
        run(path, f'CREATE TABLE "{name}"(id INTEGER PRIMARY KEY, a TEXT); INSERT INTO "{name}" VALUES {rows}')
    with Database(path) as db:
        db.sync(First, Second)
    assert run(path, f'SELECT a FROM "{NFC}"; SELECT a FROM "{NFD}"') == [(1,), (1,), (2,)]

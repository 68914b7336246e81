"""Databases by name: their names, their files, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest
from models import Department

from cormorant import (
    Database,
    DataError,
    OperationalError,
    ProgrammingError,
    Registry,
)


def test_a_name_leads_to_a_file_of_the_folder(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db") as users:
        with users.use("ida") as db:
            db.create_tables(Department)
            db.insert(Department("sales"))
        assert (tmp_path / "ida.db").exists()
        assert users.open_count == 1
        with users.use("ida") as db:
            assert db.count(Department) == 1
            assert db.last_insert_id == 1
        assert users.names() == ["ida"]


def test_a_registered_name_has_options_of_its_own(tmp_path: Path) -> None:
    Database(tmp_path / "archive.sqlite").close()
    with Registry(tmp_path / "{name}.db") as registry:
        registry.register("archive", tmp_path / "archive.sqlite", mode="read_only")
        registry.register("log", tmp_path / "log.sqlite")
        with registry.use("archive") as db, pytest.raises(OperationalError):
            db.create_tables(Department)
        with registry.use("log") as db:
            db.create_tables(Department)
        assert registry.names() == ["archive", "log"]


def test_current_and_default(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db") as registry:
        with pytest.raises(ProgrammingError, match="none is current"):
            registry.use()
        registry.default = "main"
        assert (registry.default, registry.current) == ("main", "main")
        with registry.use() as db:
            assert db.path == str(tmp_path / "main.db")
        registry.current = "ida"
        assert (registry.default, registry.current) == ("main", "ida")
        with registry.use() as db:
            assert db.path == str(tmp_path / "ida.db")
        registry.current = None
        assert registry.current == "main"
        with pytest.raises(ProgrammingError):
            registry.current = "../main"
        assert registry.current == "main"


def test_an_unknown_name_is_told_with_the_nearest(tmp_path: Path) -> None:
    with Registry() as registry:
        for name in ("orders", "people", "places"):
            registry.register(name, tmp_path / f"{name}.db")
        with pytest.raises(ProgrammingError, match='no database is called "oders"') as caught:
            registry.use("oders")
        assert caught.value.hint == "did you mean orders?"


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../x", "a/b", "/etc/passwd", "a\\b", "x\ny", ".hidden", "x" * 5000, "x.db-wal", "\x7f"],
)
def test_a_name_that_no_file_may_have_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "in").mkdir()
    with Registry(tmp_path / "in" / "{name}") as registry:
        with pytest.raises(ProgrammingError) as caught:
            registry.use(name)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 300
    assert list(tmp_path.rglob("*")) == [tmp_path / "in"]


def test_nul_in_a_name_is_refused(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db") as registry:
        with pytest.raises(DataError):
            registry.use("a\0b")
        with pytest.raises(DataError):
            registry.register("a\0b", tmp_path / "x.db")
        with pytest.raises(DataError):
            registry.use("\ud800")


@pytest.mark.parametrize("name", ["🦤", "國防科技大學", "con", "it's", 'a "b"', "{name}", "a b", "..x", "%s"])
def test_a_strange_name_is_a_name(tmp_path: Path, name: str) -> None:
    with Registry(tmp_path / "db-{name}.db") as registry:
        with registry.use(name) as db:
            db.create_tables(Department)
        assert registry.names() == [name]
    assert (tmp_path / f"db-{name}.db").exists()


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    Database(tmp_path / "secret.db").close()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "x.db").symlink_to(tmp_path / "secret.db")
    with Registry(tmp_path / "in" / "{name}.db") as registry:
        with pytest.raises(ProgrammingError, match="link"):
            registry.use("x")
        assert registry.names() == []


@pytest.mark.parametrize("pattern", ["users", "{name}/x.db", "{name}{name}", "", "{name}.d/x"])
def test_a_pattern_must_name_one_file(tmp_path: Path, pattern: str) -> None:
    with pytest.raises(ProgrammingError):
        Registry(f"{tmp_path}/{pattern}" if pattern else pattern)


def test_a_file_has_one_name(tmp_path: Path) -> None:
    with Registry(tmp_path / "{name}.db") as registry:
        registry.register("main", tmp_path / "ida.db")
        with pytest.raises(ProgrammingError, match='registered as "main"'):
            registry.register("other", tmp_path / ".." / tmp_path.name / "ida.db")
        with pytest.raises(ProgrammingError, match='registered as "main"'):
            registry.use("ida")
        with pytest.raises(ProgrammingError, match="already"):
            registry.register("main", tmp_path / "x.db")
        with pytest.raises(ProgrammingError, match="memory"):
            registry.register("memory", ":memory:")


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with Registry(tmp_path / "none" / "{name}.db") as registry, pytest.raises(OperationalError) as caught:
        registry.use("ida")
    assert caught.value.code == "CORM_E_CANNOT_OPEN"
    with (
        Registry(tmp_path / "{name}.db", mode="read_write") as registry,
        pytest.raises(OperationalError) as caught,
    ):
        registry.use("ida")
    assert caught.value.code == "CORM_E_CANNOT_OPEN"
    assert list(tmp_path.iterdir()) == []


def test_an_unwritable_folder_is_told() -> None:
    with Registry("/proc/{name}.db") as registry, pytest.raises(OperationalError) as caught:
        registry.use("ida")
    assert caught.value.code == "CORM_E_CANNOT_OPEN"

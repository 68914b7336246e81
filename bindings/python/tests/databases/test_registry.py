"""Databases by name: their names, their files, and what is wrong with them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from cormorant import (
    AsyncDatabase,
    Database,
    DataError,
    OperationalError,
    ProgrammingError,
    Registry,
)

WAIT = 20


@pytest.mark.parametrize("name", ["../x", "x\ny", "x" * 5000])
def test_a_name_that_no_file_may_have_is_told_in_one_line(tmp_path: Path, name: str) -> None:
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


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    Database(tmp_path / "secret.db").close()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "x.db").symlink_to(tmp_path / "secret.db")
    with Registry(tmp_path / "in" / "{name}.db") as registry:
        with pytest.raises(ProgrammingError, match="link"):
            registry.use("x")
        assert registry.names() == []


def test_an_unwritable_folder_is_told() -> None:
    with Registry("/proc/{name}.db") as registry, pytest.raises(OperationalError) as caught:
        registry.use("ida")
    assert caught.value.code == "CORM_E_CANNOT_OPEN"


@pytest.mark.parametrize("is_relative", [False, True])
def test_awaited_calls_heed_the_options_of_a_file_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_relative: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    with Registry(tmp_path / "{name}.db", busy_timeout=0.1) as registry:
        path = Path("of.own") if is_relative else tmp_path / "of.own"
        registry.register("own", path, busy_timeout=WAIT, worker_count=3)

        async def wait(database: AsyncDatabase) -> None:
            await database.execute("CREATE TABLE t (a)")
            begun = asyncio.Event()

            async def hold() -> None:
                async with database.transaction():
                    begun.set()
                    await asyncio.sleep(0.5)

            holder = asyncio.create_task(hold())
            await begun.wait()
            await database.execute("INSERT INTO t VALUES (1)")
            await holder

        with registry.use("own") as database:
            asyncio.run(wait(AsyncDatabase(database)))


def test_a_number_of_workers_that_is_none_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(ProgrammingError, match="give 1 or more"):
        Registry(tmp_path / "{name}.db", worker_count=0)
    with Registry(tmp_path / "{name}.db") as registry:
        with pytest.raises(ProgrammingError, match="give 1 or more"):
            registry.register("x", tmp_path / "x.db", worker_count=0)
        with pytest.raises(ProgrammingError, match="give 1 or more"):
            Database(tmp_path / "x.db", worker_count=0)


def test_names_and_files_are_known_by_their_bytes(tmp_path: Path) -> None:
    """Mended: one was taken for another that Unicode calls its equal, which is open."""
    one, other = "caf\u00e9", "cafe\u0301"
    with Registry(tmp_path / "{name}.db") as registry:
        with registry.use(other) as db:
            db.execute("CREATE TABLE t (a)")
        registry.register(one, tmp_path / "own")
        with registry.use(one) as db:
            assert db.fetch_value("SELECT count(*) FROM sqlite_schema") == 0
        assert sorted(registry.names()) == [other, one]
    with Registry(tmp_path / "{name}.db") as registry:
        with registry.use(other):
            pass
        with pytest.raises(ProgrammingError, match="which is open"):
            registry.register(one, tmp_path / f"{other}.db")

"""Databases by name: their names, their files, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from cormorant import (
    Database,
    DataError,
    OperationalError,
    ProgrammingError,
    Registry,
)


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

"""The compliance suite of PEP 249 that drivers share: https://pypi.org/project/dbapi-compliance/."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import dbapi20
import pytest

from cormorant import dbapi

# Two of its tests close no connection.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")


class TestPlain(dbapi20.DatabaseAPI20Test):  # type: ignore[misc]  # it has no types
    driver: Any = dbapi

    @pytest.fixture(autouse=True)
    def _path(self, tmp_path: Path) -> None:
        self.connect_args = (tmp_path / "compliance.db",)

    def test_non_idempotent_close(self) -> None:
        """PEP 249 does not ask for an error, and a second close does nothing."""
        connection = self._connect()
        connection.close()
        connection.close()

    def test_nextset(self) -> None:
        """Optional: no statement of SQLite gives several results."""
        assert not hasattr(dbapi.Cursor, "nextset")

    def test_setoutputsize(self) -> None:
        """It does nothing: values are of any size."""
        connection = self._connect()
        cursor = connection.cursor()
        cursor.setoutputsize(10)
        assert cursor.execute("SELECT ?", ("x" * 100,)).fetchone() == ("x" * 100,)
        connection.close()


class TestEncrypted(TestPlain):
    connect_kw_args: ClassVar = {"key": f"x'{'5e' * 32}'"}

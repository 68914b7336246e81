"""Has the suites find what they share (`running`), and gives each test the example database."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import copy_chinook


@pytest.fixture
def chinook(tmp_path: Path) -> Path:
    return copy_chinook(tmp_path)

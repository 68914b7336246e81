from __future__ import annotations

from pathlib import Path

import pytest
from command_runs import Corm


@pytest.fixture
def corm(tmp_path: Path) -> Corm:
    return Corm(tmp_path)

"""gunicorn --preload: what the application opened before the fork is not used after it."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from conftest import ENVIRONMENT, PYTHON, printed


def test_workers_of_a_preloaded_application_reopen_its_database(tmp_path: Path) -> None:
    arguments = [
        "--preload",
        "--workers=2",
        "--bind=unix:s",
        f"--pythonpath={PYTHON / 'cookbook'},{Path(__file__).parent}",
        "preloaded:app",
    ]
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen(["gunicorn", *arguments], cwd=tmp_path, env=ENVIRONMENT, stdout=log, stderr=log)
        try:
            for _ in range(100):
                if (tmp_path / "s").exists():
                    break
                time.sleep(0.05)
            curl = "curl --silent --fail --retry 9 --retry-all-errors --unix-socket s http://app/home"
            answers = [printed(f"{curl} --request POST", tmp_path) for _ in range(10)]
        finally:
            server.terminate()
            server.wait(10)
    assert answers[-1] == '{"number":10,"page":"home"}\n', (tmp_path / "log").read_text()
    assert "Error" not in (tmp_path / "log").read_text()

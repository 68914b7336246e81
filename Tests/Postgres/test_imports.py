"""corm import into a server's table: what its type would round or cut is refused, record by record."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from conftest import ROOT
from cormorant import Database

CORM = ROOT / "build" / "corm"


def imported(url: str, declared: str, records: str, folder: Path) -> tuple[int, list[str]]:
    """The status, and what the column holds then, as text."""
    with Database(url) as db:
        db.execute(f"CREATE TABLE t (id serial, v {declared})")
    file = folder / "records.csv"
    file.write_bytes(b"v\n" + records.encode().replace(b"NUL", b"\0"))
    done = subprocess.run([CORM, "import", url, file, "--table", "t"], capture_output=True, text=True, check=False)
    with Database(url) as db:
        return done.returncode, db.fetch_values("SELECT CAST(v AS text) FROM t ORDER BY id")


@pytest.mark.parametrize(
    ("declared", "records", "held"),
    [
        ("numeric(4,1)", "1.20\n1.25\n12.349\n120e-2\n5\n", ["1.2", "1.2", "5.0"]),
        ("numeric(5,0)", "15e-1\n100\n1.5\n-7.0\n1.5e-9223372036854775808\n", ["100", "-7"]),
        ("real", "0.1\n16777217\n0.123456789\n16777216\n", ["0.1", "1.6777216e+07"]),
        ("timestamp(0)", "2020-01-01 10:00:00.6\n2020-01-01 10:00:01.0\n", ["2020-01-01 10:00:01"]),
        ("time(1)", "10:00:00.65\n10:00:00.6\n", ["10:00:00.6"]),
        ("varchar(2)", '"ab   "\nab\nédé\néd\n', ["ab", "éd"]),
    ],
)
def test_nothing_is_rounded_or_cut(url: str, tmp_path: Path, declared: str, records: str, held: list[str]) -> None:
    assert imported(url, declared, records, tmp_path) == (2, held)


@pytest.mark.parametrize(("declared", "good"), [("jsonb", "1"), ("json", "1"), ("text", "b")])
def test_a_record_that_the_server_refuses_is_refused_alone(url: str, tmp_path: Path, declared: str, good: str) -> None:
    bad = "aNULb" if declared == "text" else "x"
    assert imported(url, declared, f"{good}\n{bad}\n{good}\n", tmp_path) == (2, [good, good])

"""Writes or reads the edge values that C, Python and Swift exchange: edge_values.py (write|read) FILE"""

from __future__ import annotations

import json
import sys
import uuid
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "bindings" / "python" / "src"))

from cormorant import Column, Database, Error, Json, Model, column  # noqa: E402


class EdgeValues(Model, table="edge_values"):
    id: Column[int | None] = column(primary_key=True)
    whole: Column[int]
    optionalWhole: Column[int | None]
    natural: Column[int] = column(unsigned=True)
    small: Column[int] = column(type="int32")
    optionalSmall: Column[int | None] = column(type="int32")
    smallNatural: Column[int] = column(type="int32", unsigned=True)
    flag: Column[bool]
    optionalFlag: Column[bool | None]
    ratio: Column[float]
    optionalRatio: Column[float | None]
    single: Column[float] = column(type="float")
    optionalSingle: Column[float | None] = column(type="float")
    label: Column[str]
    optionalLabel: Column[str | None]
    code: Column[str] = column(length=10)
    optionalCode: Column[str | None] = column(length=10)
    data: Column[bytes]
    optionalData: Column[bytes | None]
    moment: Column[datetime]
    optionalMoment: Column[datetime | None]
    token: Column[uuid.UUID]
    optionalToken: Column[uuid.UUID | None]
    price: Column[Decimal]
    optionalPrice: Column[Decimal | None]
    extra: Column[Json]
    optionalExtra: Column[Json | None]


def value(kind: str, given: Any) -> Any:
    """A value of edge-values.json as the model holds it."""
    if isinstance(given, dict):
        if "real" in given:
            return float(given["real"])
        if "blob" in given:
            return bytes.fromhex(given["blob"]) * given.get("times", 1)
        if "repeat" in given:
            return given["repeat"] * given["times"]
        if "textHex" in given:
            return bytes.fromhex(given["textHex"]).decode()
        return int(given["unsigned"])
    if given is None:
        return None
    if kind == "datetime":
        return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=given)
    readers: dict[str, Any] = {"uuid": uuid.UUID, "decimal": Decimal, "json": json.loads}
    return readers[kind](given) if kind in readers else given


def rows() -> list[EdgeValues]:
    document = json.loads((ROOT / "Tests" / "Conformance" / "edge-values.json").read_text())
    kinds = {item["name"]: item["type"] for item in document["model"]["columns"]}
    assert list(kinds) == [item.name for item in EdgeValues.__model__.columns], "the model is not that of the JSON file"
    return [EdgeValues(**{name: value(kinds[name], row.get(name)) for name in kinds}) for row in document["rows"]]


def write(path: str) -> None:
    with Database(path) as db:
        db.create_tables(EdgeValues)
        db.insert_many(rows())


def read(path: str) -> None:
    with Database(path, mode="read_only") as db:
        found = {row.id: row for row in db.fetch_all(EdgeValues)}
    expected = {row.id: row for row in rows()}
    # repr tells -0.0 from 0.0, Decimal("1.0") from Decimal("1.00") and 1 from True.
    differences = [
        f"row {key}, {name}: {getattr(found.get(key), name, None)!r}, expected {getattr(row, name)!r}"
        for key, row in expected.items()
        for name in vars(row)
        if repr(getattr(found.get(key), name, None)) != repr(getattr(row, name))
    ]
    if differences or found.keys() != expected.keys():
        sys.exit("\n".join(differences) or f"rows {sorted(map(str, found))}, expected {sorted(map(str, expected))}")
    print(f"ok {len(found)} rows")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("write", "read"):
        sys.exit(__doc__)
    try:
        (write if sys.argv[1] == "write" else read)(sys.argv[2])
    except Error as error:
        sys.exit(f"{error.code}: {error}")

"""Blocks: buffers that grow and are used again, and bytes that are no rows."""

from __future__ import annotations

import marshal
import struct

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from models import Department, Entry, Everything

import cormorant
from cormorant import Database
from cormorant._native import abi
from cormorant._native import call as native_call
from cormorant._native import database as native_database
from cormorant._native import record as native_record


@pytest.mark.parametrize("size", [1, 65_000, 65_530, 65_536, 70_000, 5_000_000])
def test_rows_of_any_size(db: Database, size: int) -> None:
    for value in ("x" * size, "ü" * size):
        record = Everything(text=value, data=value.encode()).insert(db)
        found = db.find(Everything, record.id)
        assert found == record
        assert db.fetch_all(Everything, id=record.id) == [record]
        assert db.query("SELECT text FROM everything WHERE id = ?", [record.id]).fetch_one() == (value,)
        # The buffer is a small one again.
        assert db.query("SELECT 1").fetch_one() == (1,)


def test_the_pool_does_not_grow(db: Database) -> None:
    db.insert(Department("a"))
    db.find(Department, 1)
    before = len(native_call.pool)
    for _ in range(100):
        db.find(Department, 1)
        with pytest.raises(cormorant.UniqueViolation):
            db.insert(Department("a"))
        list(db.query("SELECT 1"))
    assert len(native_call.pool) == before


def write(db: Database, rows: bytes) -> int:
    model = Department.__model__.handle
    return native_record.write(db._handle, model, abi.CORM_WRITE_INSERT, abi.CORM_CONFLICT_ABORT, (), rows)[1]


def test_lists_and_tuples_of_rows(db: Database) -> None:
    assert write(db, marshal.dumps([(None, "a")], 2)) == 1
    assert write(db, marshal.dumps(((None, "b"), (7, "c")), 2)) == 2
    assert [d.id for d in db.fetch_all(Department, order_by="id")] == [1, 2, 7]


@pytest.mark.parametrize(
    "rows",
    [
        b"", b"[", b"(", b"[\xff\xff\xff\xff", b"[\xff\xff\xff\x7f", b"[\x01\0\0\0", b"[\x01\0\0\0(\x02\0\0\0N",
        b"[\x01\0\0\0(\x02\0\0\0Nu\xff\xff\xff\x7fabc", b"[\x01\0\0\0(\x02\0\0\0Nu\xff\xff\xff\xffabc",
        b"[\x01\0\0\0(\x02\0\0\0NR\x05\0\0\0", b"N", b"i\x01\0\0\0", marshal.dumps({}, 2), marshal.dumps([1], 2),
        marshal.dumps([(1,)], 2), marshal.dumps([(None, "a", "b")], 2), marshal.dumps([[[[[]]]]], 2),
        b"[\x01\0\0\0(\x02\0\0\0N" + b"(\x01\0\0\0" * 100_000,
        struct.pack("<ci", b"[", 2**31 - 1) + marshal.dumps((None, "a"), 2),
    ],
)  # fmt: skip
def test_bytes_that_are_no_rows(db: Database, rows: bytes) -> None:
    with pytest.raises(cormorant.DatabaseError) as caught:
        write(db, rows)
    assert caught.value.code in ("CORM_E_MISUSE", "CORM_E_TYPE")
    assert db.count(Department) == 0


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=300)
@given(st.data())
def test_damaged_rows_never_crash(db: Database, data: st.DataObject) -> None:
    rows = bytearray(marshal.dumps([(1, "name"), (2**40, "ü"), (None, "x" * 300)], 2))
    for _ in range(data.draw(st.integers(1, 4))):
        rows[data.draw(st.integers(0, len(rows) - 1))] = data.draw(st.integers(0, 255))
    try:
        write(db, bytes(rows[: data.draw(st.integers(0, len(rows)))]))
    except cormorant.DatabaseError as error:
        assert error.code != "CORM_E_INTERNAL"
    db.delete_all(Department)


def test_bindings_that_are_no_bindings(db: Database) -> None:
    for bindings in (b"x", marshal.dumps("x", 2), marshal.dumps([[]], 2), marshal.dumps([1], 2), b"[\x01\0\0\0"):
        with pytest.raises(cormorant.DatabaseError):
            native_database.execute(db._handle, "INSERT INTO entries (text) VALUES (?)", bindings)
    assert db.count(Entry) == 0

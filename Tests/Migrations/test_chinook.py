"""A real database through a year of changes and all the way back."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest
from conftest import rows
from cormorant import Bundle, Database, Schema

CHINOOK = Path(__file__).resolve().parents[3] / "shared/data/chinook.sqlite"

pytestmark = pytest.mark.skipif(not CHINOOK.exists(), reason=f"{CHINOOK} is not there")


def everything(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Each table's rows, with its columns in the order of their names."""
    connection = sqlite3.connect(path)
    connection.text_factory = bytes
    tables = [
        row[0].decode()
        for row in connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'corm%'"
        )
    ]
    found = {}
    for table in sorted(tables):
        columns = sorted(
            row[0].decode() for row in connection.execute(f"SELECT name FROM pragma_table_info('{table}')")
        )
        listed = ", ".join(f'"{column}"' for column in columns)
        found[table] = sorted(connection.execute(f'SELECT {listed} FROM "{table}"').fetchall(), key=repr)
    connection.close()
    return found


def edited(schema: str, table: str, *changes: tuple[str, str]) -> str:
    """The schema's text with changes in one table."""
    start = (
        schema.index(f"CREATE TABLE [{table}]")
        if f"CREATE TABLE [{table}]" in schema
        else schema.index(f'CREATE TABLE "{table}"')
    )
    end = schema.index(";\n", start)
    text = schema[start:end]
    for old, new in changes:
        assert old in text, (old, text)
        text = text.replace(old, new, 1)
    return schema[:start] + text + schema[end:]


def test_a_year_of_changes_and_back(tmp_path: Path) -> None:
    path, folder = tmp_path / "chinook.db", tmp_path / "migrations"
    shutil.copy(CHINOOK, path)
    with Database(path) as db:
        start = db.schema()
        Bundle.generate_to(folder, "start", start)
        Bundle(folder).adopt(db)
    before = everything(path)

    # As a team would go on: rename, retype, a composite key and a CHECK, a foreign key, a table split in two.
    write(
        folder,
        "0002_rename",
        "ALTER TABLE Artist RENAME TO Performer; ALTER TABLE Track RENAME COLUMN Composer TO WrittenBy;",
        "ALTER TABLE Track RENAME COLUMN WrittenBy TO Composer; ALTER TABLE Performer RENAME TO Artist;",
    )
    Bundle.seal(folder)
    with Database(path) as db:
        Bundle(folder).apply(db, allow_lossy=True)
        renamed = db.schema().sql
    retyped = edited(renamed, "Track", ("[Milliseconds] INTEGER", "[Milliseconds] TEXT"))
    Bundle.generate_to(folder, "retype", Schema.parse(retyped))
    keyed = edited(
        retyped,
        "InvoiceLine",
        ("CONSTRAINT [PK_InvoiceLine] PRIMARY KEY  ([InvoiceLineId])", "PRIMARY KEY ([InvoiceId], [InvoiceLineId])"),
    )
    checked = edited(
        keyed, "Invoice", ("[Total] NUMERIC(10,2)  NOT NULL", "[Total] NUMERIC(10,2) NOT NULL CHECK (Total >= 0)")
    )
    Bundle.generate_to(folder, "key_and_check", Schema.parse(checked))
    write(
        folder,
        "0005_countries",
        "CREATE TABLE Country (Name TEXT PRIMARY KEY) WITHOUT ROWID;"
        "INSERT INTO Country SELECT DISTINCT BillingCountry FROM Invoice;",
        "DROP TABLE Country;",
    )
    Bundle.seal(folder)
    referring = edited(
        checked, "Invoice", ("[BillingCountry] NVARCHAR(40)", "[BillingCountry] NVARCHAR(40) REFERENCES Country (Name)")
    )
    countries = "CREATE TABLE Country (Name TEXT PRIMARY KEY) WITHOUT ROWID;\n"
    Bundle.generate_to(folder, "foreign_key", Schema.parse(referring + countries))
    write(
        folder,
        "0007_split",
        "CREATE TABLE Address (CustomerId INTEGER PRIMARY KEY REFERENCES Customer, Address TEXT, City TEXT);"
        "INSERT INTO Address SELECT CustomerId, Address, City FROM Customer;"
        "ALTER TABLE Customer DROP COLUMN Address; ALTER TABLE Customer DROP COLUMN City;",
        "ALTER TABLE Customer ADD COLUMN [Address] NVARCHAR(70); ALTER TABLE Customer ADD COLUMN [City] NVARCHAR(40);"
        "UPDATE Customer SET Address = a.Address, City = a.City FROM Address AS a "
        "WHERE a.CustomerId = Customer.CustomerId;"
        "DROP TABLE Address;",
    )
    Bundle.seal(folder)
    with Database(path) as db:
        Bundle(folder).apply(db, allow_lossy=True)
        assert not Bundle(folder).drift(db)
        assert [state.state for state in Bundle(folder).status(db)] == ["applied"] * 7
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
            connection.execute("UPDATE Invoice SET BillingCountry = 'Atlantis'")
    connection.close()
    assert rows(path, "SELECT count(*) FROM Address") == rows(path, "SELECT count(*) FROM Customer")
    assert rows(path, "SELECT typeof(Milliseconds), count(*) FROM Track GROUP BY 1") == [("text", len(before["Track"]))]
    assert rows(path, "PRAGMA foreign_key_check") == []
    with Database(path) as db:
        Bundle(folder).revert(db, "0001_start", allow_lossy=True)
        assert db.schema() == start
    assert everything(path) == before


def write(folder: Path, step: str, up: str, down: str) -> None:
    (folder / step).mkdir()
    (folder / step / "up.sql").write_text(up)
    (folder / step / "down.sql").write_text(down)

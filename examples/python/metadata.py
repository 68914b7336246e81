"""Metadata: everything that introspection knows about a file."""

from __future__ import annotations

import json

from music import music

from cormorant import Database, Schema


def show(db: Database) -> None:
    """Each table with its columns, and where its relations lead."""
    for table in db.metadata().tables:
        print(f"{table.name}, a {table.kind} with the key {table.primary_key}")
        for column in table.columns:
            print(f"  {column.name}: {column.python_type}", "unique" if column.is_unique else "")
        for relation in table.relations:
            print(f"  {relation.kind} {relation.table} over {relation.columns} = {relation.table_columns}")


def write(db: Database) -> None:
    """The same as one JSON document."""
    document = json.loads(db.metadata().json)
    print([column["swift_type"] for column in document["tables"][0]["columns"]])


def understand() -> None:
    """Of a text that no file has; what cannot be understood is listed."""
    metadata = Schema.parse(
        "CREATE TABLE note (id INTEGER PRIMARY KEY); CREATE VIEW broken AS SELECT * FROM gone"
    ).metadata()
    print([table.name for table in metadata.tables])
    for problem in metadata.problems:
        print(f"{problem.type} {problem.name}: {problem.message}")


with music() as database:
    show(database)
    write(database)
understand()

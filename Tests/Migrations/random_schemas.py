"""Schemas with every construct that SQLite has, and rows for them, made from a seed."""

from __future__ import annotations

import contextlib
import random
import sqlite3

NAMES = ["id", "name", "select", 'qu"ote', "Größe", "with space", "a", "b", "c", "order", "x y z"]
TYPES = ["INTEGER", "TEXT", "REAL", "BLOB", "NUMERIC", "VARCHAR(20)", "DECIMAL(10, 2)", "", "DOUBLE PRECISION"]
STRICT_TYPES = ["INTEGER", "TEXT", "REAL", "BLOB", "ANY", "INT"]
DEFAULTS = ["0", "-1", "'text'", "'it''s'", "NULL", "x'00ff'", "(1 + 2)", "CURRENT_TIMESTAMP", "TRUE", "1.5e3"]
VALUES = [None, 0, 1, -5, 2**62, 1.5, "text", "it's", "7", "", b"\x00\xff", b""]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class RandomSchema:
    """`sql` makes the schema; `changed` is the same with something in each table that needs a rebuild."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.tables: list[tuple[str, list[str]]] = []
        self.statements: list[str] = []
        self.changed_statements: list[str] = []
        for number in range(self.random.randint(1, 4)):
            self._add_table(f"t{number}" if number else 'first "table"')
        for number in range(self.random.randint(0, 3)):
            self._add_index(number)
        for number in range(self.random.randint(0, 2)):
            self._add_view(number)
        for number in range(self.random.randint(0, 2)):
            self._add_trigger(number)
        if self.random.random() < 0.2:
            self._add("CREATE VIRTUAL TABLE search USING fts5 (title, body, tokenize = 'porter')")

    @property
    def sql(self) -> str:
        return ";\n".join(self.statements) + ";\n"

    @property
    def changed(self) -> str:
        return ";\n".join(self.changed_statements) + ";\n"

    def _add(self, sql: str, changed: str | None = None) -> None:
        self.statements.append(sql)
        self.changed_statements.append(changed or sql)

    def _add_table(self, name: str) -> None:
        pick = self.random
        strict, without_rowid = pick.random() < 0.2, pick.random() < 0.2
        names = pick.sample(NAMES, pick.randint(2, 6))
        key = pick.choice(["rowid", "auto", "composite", "text"] if not without_rowid else ["composite", "text"])
        if not without_rowid and pick.random() < 0.2:
            key = "none"
        lines = [self._column(column, strict, key, index) for index, column in enumerate(names)]
        plain = [column for column, line in zip(names, lines, strict=True) if "GENERATED" not in line]
        constraints = []
        if key == "composite":
            constraints.append(f"PRIMARY KEY ({quoted(plain[0])}, {quoted(plain[-1])} DESC)")
        if pick.random() < 0.3:
            constraints.append(
                f"CONSTRAINT {quoted('some check')} CHECK ({quoted(plain[0])} IS NOT 'no /* such */ -- text')"
            )
        if pick.random() < 0.3:
            constraints.append(f"UNIQUE ({quoted(plain[-1])}, {quoted(plain[0])}) ON CONFLICT IGNORE")
        if self.tables and pick.random() < 0.5:
            parent = pick.choice(self.tables)
            action = pick.choice(["", " ON DELETE CASCADE", " ON UPDATE SET NULL", " DEFERRABLE INITIALLY DEFERRED"])
            constraints.append(
                f"FOREIGN KEY ({quoted(plain[-1])}) REFERENCES {quoted(parent[0])} ({quoted(parent[1][0])}){action}"
            )
        options = ", ".join(word for word, on in [("STRICT", strict), ("WITHOUT ROWID", without_rowid)] if on)
        end = f") {options}" if options else ")"

        def create(more: list[str]) -> str:
            return f"CREATE TABLE {quoted(name)} (" + ", ".join(lines + constraints + more) + end

        self._add(create([]), create(["CHECK (1 = 1)"]))
        self.tables.append((name, plain))

    def _column(self, name: str, strict: bool, key: str, index: int) -> str:
        pick = self.random
        if index == 0 and key in ("rowid", "auto"):
            return f"{quoted(name)} INTEGER PRIMARY KEY{' AUTOINCREMENT' if key == 'auto' else ''}"
        column = f"{quoted(name)} {pick.choice(STRICT_TYPES if strict else TYPES)}"
        if index == 0 and key == "text":
            return f"{quoted(name)} TEXT NOT NULL PRIMARY KEY"
        if index > 1 and pick.random() < 0.15 and key != "composite":
            kind = pick.choice(["STORED", "VIRTUAL"])
            return f"{quoted(name)} {'TEXT' if strict else ''} GENERATED ALWAYS AS (typeof(1) || 'x') {kind}"
        if pick.random() < 0.3 and not strict:
            column += f" DEFAULT {pick.choice(DEFAULTS)}"
        if pick.random() < 0.2:
            column += f" COLLATE {pick.choice(['NOCASE', 'RTRIM', 'BINARY'])}"
        if pick.random() < 0.2:
            column += f" CHECK (length({quoted(name)}) < 1000)"
        return column

    def _add_index(self, number: int) -> None:
        pick = self.random
        table, columns = pick.choice(self.tables)
        terms = [quoted(column) + pick.choice(["", " DESC", " COLLATE NOCASE"]) for column in pick.sample(columns, 1)]
        if pick.random() < 0.4:
            terms.append(f"length({quoted(columns[0])})")
        where = f" WHERE {quoted(columns[0])} IS NOT NULL" if pick.random() < 0.4 else ""
        self._add(f"CREATE INDEX {quoted(f'index {number}')} ON {quoted(table)} ({', '.join(terms)}){where}")

    def _add_view(self, number: int) -> None:
        table, columns = self.random.choice(self.tables)
        self._add(f"CREATE VIEW {quoted(f'view {number}')} AS SELECT {quoted(columns[0])} AS v FROM {quoted(table)}")

    def _add_trigger(self, number: int) -> None:
        table, columns = self.random.choice(self.tables)
        self._add(
            f"CREATE TRIGGER {quoted(f'trigger {number}')} AFTER DELETE ON {quoted(table)} BEGIN "
            f"SELECT CASE WHEN OLD.{quoted(columns[0])} THEN 1 ELSE 2 END; END"
        )

    def fill(self, connection: sqlite3.Connection) -> None:
        """Rows as far as constraints let them in."""
        connection.execute("PRAGMA foreign_keys = OFF")
        for table, columns in self.tables:
            for _ in range(self.random.randint(0, 12)):
                chosen = self.random.sample(columns, self.random.randint(1, len(columns)))
                names = ", ".join(map(quoted, chosen))
                places = ", ".join("?" for _ in chosen)
                values = [self.random.choice(VALUES) for _ in chosen]
                with contextlib.suppress(sqlite3.IntegrityError):
                    connection.execute(f"INSERT INTO {quoted(table)} ({names}) VALUES ({places})", values)
        connection.commit()

"""A schema of any size whose names are as bad as SQLite takes them, with every construct that a table can have."""

from __future__ import annotations

import random

NAMES = (
    "class", "Class", "int", "struct", "time", "signal", "select", "index", "String", "Int64", "Optional",
    "Column", "Model", "models", "None", "True", "self", "init", "default", "where", "insert", "find", "Value",
    "Result", "Type", "a b", "a-b", "a_b", "aB", "2fa", "1", "_", "__init__", "naïve", "Größe", "名前", "таблица",
    "😀", "❤️ list", "", "\"quoted\"", "it's", "`tick`", "[x]", "a/b", "../../etc/passwd", "a\\b", "*/ x /*",
    "// x", "# x", "\"\"\"", "${x}", "\\(x)", "{{ x }}", "{% x %}", "line\nbreak", "tab\there", "\u202eright",
    "users", "user", "people", "data", "news", "series", "statuses", "order", "group", "table", "from", "types",
    "bytes", "str", "datetime", "corm_model", "Cormorant", "database", "arena", "a.b", "x" * 300, "end?", "??=",
    "%s", "$1", "null", "NULL", "rowid", "id", "count", "main", "errno", "linux",
    "int64_t", "size_t", "corm", "corm_blob", "values", "h", "EOF", "models_create", "class_columns", "int_find", "tm",
)  # fmt: skip
TYPES = (
    "INTEGER", "TEXT", "REAL", "BLOB", "", "INT", "VARCHAR(20)", "NVARCHAR(7)", "BOOLEAN", "DATETIME", "DATE", "TIME",
    "TIMESTAMP", "NUMERIC(10,2)", "DECIMAL", "DOUBLE PRECISION", "FLOAT", "BIGINT UNSIGNED", "JSON", "STRING", "UUID",
    "UUID_TEXT", "DECIMAL_TEXT", "JSON_TEXT", "MONEY", "ENUM", "FLOATING POINT", "made up words",
)  # fmt: skip
STRICT_TYPES = ("INTEGER", "INT", "TEXT", "REAL", "BLOB", "ANY")
DEFAULTS = (
    "0",
    "-7",
    "'it''s'",
    "''",
    "NULL",
    "CURRENT_TIMESTAMP",
    "(1 + 2)",
    "1.5",
    "TRUE",
    "x'00ff'",
    '"word"',
    "1e3",
)
ACTIONS = ("", " ON DELETE CASCADE", " ON DELETE SET NULL", " ON UPDATE SET DEFAULT", " ON DELETE RESTRICT")


def quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def schema(count: int, seed: int = 1) -> str:
    """A script of CREATE statements."""
    return "\n".join(Maker(seed).tables(count))


class Maker:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.made: list[tuple[str, list[str]]] = []  # a table and its key

    def maybe(self, chance: float, text: str) -> str:
        return text if self.random.random() < chance else ""

    def tables(self, count: int) -> list[str]:
        names: dict[str, str] = {}
        for number in range(count):
            name = NAMES[number % len(NAMES)] + (str(number // len(NAMES)) if number >= len(NAMES) else "")
            if name and not name.lower().startswith("sqlite_"):
                names.setdefault(fold(name), name)
        return [statement for name in names.values() for statement in self.table(name)]

    def columns(self, strict: bool) -> list[tuple[str, str]]:
        names: dict[str, str] = {}
        for name in self.random.sample(NAMES, self.random.randint(3, 14)):
            if name:
                names.setdefault(fold(name), name)
        types = STRICT_TYPES if strict else TYPES
        return [(name, self.random.choice(types)) for name in names.values()]

    def table(self, name: str) -> list[str]:
        chance = self.random.random
        strict = chance() < 0.2
        columns = self.columns(strict)
        names = [column for column, _ in columns]
        kind = self.random.choice(("rowid", "auto", "text", "composite", "reversed", "desc", "int", "none", "behind"))
        without_rowid = kind in ("text", "composite", "reversed") and chance() < 0.4
        key: list[str] = []
        lines, constraints = [], []
        if kind in ("rowid", "auto", "text", "int", "desc"):
            kinds = {"rowid": "INTEGER PRIMARY KEY", "auto": "INTEGER PRIMARY KEY AUTOINCREMENT",
                     "text": "TEXT PRIMARY KEY" + self.maybe(0.5, " NOT NULL ON CONFLICT REPLACE"),
                     "int": "INT PRIMARY KEY", "desc": "INTEGER PRIMARY KEY DESC"}  # fmt: skip
            lines.append(f"{quote('key of it')} {kinds[kind]}")
            key = ["key of it"]
        elif kind == "behind":
            lines.append(f"{quote('KeyId')} INTEGER NOT NULL")
            constraints.append(f"CONSTRAINT {quote('PK ' + name[:9])} PRIMARY KEY ({quote('KeyId')})")
            key = ["KeyId"]
        elif kind in ("composite", "reversed"):
            key = names[:2] if kind == "composite" else [names[1], names[0]]
            order = self.maybe(0.2, " DESC")
            constraints.append(f"PRIMARY KEY ({quote(key[0])}{order}, {quote(key[1])})")
        for column, type_ in columns:
            text = f"{quote(column)} {type_}".rstrip()
            if chance() < 0.1 and column not in key and kind != "none":
                lines.append(f"{text} AS (length({quote(key[0])})) {self.random.choice(('STORED', 'VIRTUAL'))}")
                continue
            text += self.maybe(0.3, " NOT NULL" + self.maybe(0.1, " ON CONFLICT IGNORE"))
            text += self.maybe(0.3, f" DEFAULT {self.random.choice(DEFAULTS)}")
            text += self.maybe(0.1, " UNIQUE" + self.maybe(0.2, " ON CONFLICT REPLACE"))
            text += self.maybe(0.1, " COLLATE NOCASE")
            text += self.maybe(0.1, f" CONSTRAINT {quote('c ' + column[:9])} CHECK (length({quote(column)}) < 99)")
            text += self.maybe(0.05, f" CHECK ({quote(column)} <> 'it''s */ \\ \"x\"')")
            lines.append(text)
        plain = [column for column, _ in columns]
        if chance() < 0.2:
            constraints.append(f"CHECK ({quote(plain[0])} IS NOT {quote(plain[-1])} -- why not\n)")
        if chance() < 0.2:
            constraints.append(f"UNIQUE ({quote(plain[-1])}, {quote(plain[0])}{self.maybe(0.3, ' COLLATE NOCASE')})")
        for _ in range(self.random.randint(0, 3)):
            constraints.append(self.reference(name, key, plain))
        options = ["STRICT"] * strict + ["WITHOUT ROWID"] * without_rowid
        body = ",\n  ".join(lines + [constraint for constraint in constraints if constraint])
        statements = [f"CREATE TABLE {quote(name)} (\n  {body}\n){' ' + ', '.join(options) if options else ''};"]
        if key:
            self.made.append((name, key))
        return statements + self.indexes(name, plain)

    def reference(self, name: str, key: list[str], columns: list[str]) -> str:
        candidates = [made for made in self.made if len(made[1]) <= 2] + ([(name, key)] if key else [])
        if not candidates:
            return ""
        target, there = self.random.choice(candidates)
        if self.random.random() < 0.05:
            target = "no such table"
        own = self.random.sample(columns, len(there))
        listed = f" ({', '.join(map(quote, there))})" if self.random.random() < 0.5 else ""
        deferred = self.maybe(0.2, " DEFERRABLE INITIALLY DEFERRED")
        return (
            f"FOREIGN KEY ({', '.join(map(quote, own))}) REFERENCES {quote(target)}{listed}"
            f"{self.random.choice(ACTIONS)}{deferred}"
        )

    def indexes(self, name: str, columns: list[str]) -> list[str]:
        made = []
        for number in range(self.random.randint(0, 3)):
            first, second = self.random.sample(columns, 2)
            terms = self.random.choice(
                (
                    quote(first),
                    f"{quote(first)}, {quote(second)} DESC",
                    f"lower({quote(first)})",
                    f"{quote(first)} COLLATE RTRIM",
                )
            )
            where = self.maybe(0.2, f" WHERE {quote(second)} IS NOT NULL")
            label = quote(f"{name} {number}") if self.random.random() < 0.7 else quote(f"{name}_{first}_index {number}")
            made.append(f"CREATE {self.maybe(0.3, 'UNIQUE ')}INDEX {label} ON {quote(name)} ({terms}){where};")
        return made


def fold(name: str) -> str:
    """As SQLite compares names."""
    return "".join(letter.lower() if letter.isascii() else letter for letter in name)

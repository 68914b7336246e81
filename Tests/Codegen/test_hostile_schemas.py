"""Generated models of schemas with bad names and every construct: they compile, and agree with the file.

CORMORANT_TABLES makes the schema larger.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest
from generated_code import HERE, build_swift, check_python, compile_c, compile_swift, generate, run
from hostile import fold, schema
from running import ROOT, make

# What C and its library have, and what generated code calls its own.
RESERVED = """
    alignas alignof auto bool break case char complex const constexpr default do double else enum extern false
    float goto if inline int long main nullptr register restrict return short signed sizeof static struct
    switch thread_local true typedef typeof union unsigned void volatile while class this new delete template
    namespace and or xor not NULL EOF errno assert offsetof stdin stdout stderr linux unix i386 tm timespec
    timeval div_t size_t ssize_t time_t int8_t int64_t uint64_t intptr_t max_align_t ptrdiff_t wchar_t va_list
    FILE printf malloc time signal index abs exit h count models models_create models_free models_count
    models_h definitions relations relation status i model target a a_columns a_keys a_references a_find
    a_find_by_id a_find_by_a a_fetch_by_a a_record a_value values query database out_record out_records
    out_error arena table table_a corm corm_a table_corm corm_record corm_ cormorant
"""
TABLES = int(os.environ.get("CORMORANT_TABLES", "40"))


@pytest.fixture(params=(1, 4))
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return make(tmp_path / "hostile.db", schema(TABLES, seed=request.param))


def test_python(database: Path, tmp_path: Path) -> None:
    """Sync makes all of it in a new file, too: no two names of indexes or constraints are in each other's way."""
    folder = generate(database, "python", tmp_path / "out")
    check_python(folder)
    assert run(sys.executable, HERE / "copy_rows.py", database, tmp_path / "new.db", path=str(folder)) == ""


def test_python_names_that_a_model_has_of_its_own(tmp_path: Path) -> None:
    names = run(sys.executable, "-c", "import cormorant; print(*dir(cormorant.Model))").split()
    names = [name for name in names if not name.startswith("_")]
    assert len(names) > 10
    columns = ", ".join(f'"{name}" INT' for name in names)
    source = make(tmp_path / "names.db", f"CREATE TABLE t (id INTEGER PRIMARY KEY, {columns})")
    check_python(generate(source, "python", tmp_path / "out"))


def test_c_takes_columns_in_any_order_of_what_is_said_of_them(tmp_path: Path) -> None:
    """C++ wants members in the order of the struct."""
    script = """
        CREATE TABLE other (id INTEGER PRIMARY KEY);
        CREATE TABLE t (
            "The Id" INTEGER PRIMARY KEY AUTOINCREMENT,
            level TEXT NOT NULL UNIQUE DEFAULT 'a' CHECK (level IN ('a', 'b')),
            "Short Name" VARCHAR(20) NOT NULL DEFAULT 'x' COLLATE NOCASE CHECK ("Short Name" <> ''),
            price DECIMAL_TEXT(2) DEFAULT '1.00', twice INT AS (price * 2) STORED,
            "Its Other" INT REFERENCES other ON DELETE CASCADE ON UPDATE SET NULL);
        CREATE INDEX i ON t ("Its Other")
    """
    folder = generate(make(tmp_path / "t.db", script), "c", tmp_path / "out", "--enums")
    run("g++", "-std=c++20", f"-I{ROOT / 'include'}", "-x", "c++", "-fsyntax-only", folder / "models.c")


def test_c(database: Path, tmp_path: Path) -> None:
    program = compile_c(generate(database, "c", tmp_path / "out"))
    assert run(program, database) == ""


def test_c_names_that_the_header_the_language_or_the_code_itself_has(tmp_path: Path) -> None:
    """finding reliability.md A8: tables, columns and keys are called as what is there already."""
    headers = "".join(path.read_text() for path in sorted((ROOT / "include").rglob("*.h")))
    # Without the table that the library itself keeps its models in.
    names = (set(re.findall(r"\bcorm_\w+", headers)) | set(RESERVED.split())) - {"corm_models"}
    folded = {fold(name): name for name in sorted(names) if not name.lower().startswith("sqlite_")}
    script = "".join(
        f'CREATE TABLE "{name}" (id INTEGER PRIMARY KEY, "{name}_" INT, "{name}" INT UNIQUE REFERENCES corm);'
        if fold(name) != "id" else "CREATE TABLE id (a INTEGER PRIMARY KEY, id INT REFERENCES id);"
        for name in folded.values()
    )  # fmt: skip
    program = compile_c(generate(make(tmp_path / "names.db", script), "c", tmp_path / "out"))
    assert run(program, tmp_path / "names.db") == ""


def test_swift(tmp_path: Path) -> None:
    """A macro takes most of a second for each table, so there are fewer of them where not asked otherwise."""
    database = make(tmp_path / "hostile.db", schema(12 if TABLES == 40 else TABLES, seed=7))
    build_swift()
    compile_swift(generate(database, "swift", tmp_path / "out"))

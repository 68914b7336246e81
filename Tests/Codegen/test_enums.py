"""`corm generate --enums`: what a CHECK lists is an enum of each language, and the models still agree with the file."""

from __future__ import annotations

import sys
from pathlib import Path

from generated_code import LIBRARY, build_swift, check_python, compile_swift, generate, run
from running import ROOT, make

SCHEMA = """
CREATE TABLE tickets (
    id INTEGER PRIMARY KEY,
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'in work', 'it''s done')),
    kind TEXT CHECK ("kind" in ('none', 'self', '2nd', '', 'NONE')),
    place VARCHAR(10) UNIQUE CHECK (place IN ('here', 'there')),
    free TEXT CHECK (free IN ('a') OR free IS NULL),
    rank INTEGER CHECK (rank IN (1, 2))
);
CREATE TABLE ticket_status (id INTEGER PRIMARY KEY, status TEXT CHECK (status IN ('open')));
CREATE TABLE column_values (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL CHECK (kind IN ('a', 'b')) CHECK (length(kind) = 1)
);
INSERT INTO tickets (status, kind, place) VALUES ('in work', '', 'here');
"""

C = r"""
#include "models.h"
#include <stdio.h>

int main(int argc, char **argv) {
    corm_database *db = NULL;
    corm_error *error = NULL;
    corm_model *models[MODELS_COUNT];
    ticket record;
    corm_arena *arena = corm_arena_create();
    if (argc != 2 || corm_database_open(argv[1], NULL, &db, &error) != CORM_OK ||
        models_create(models, &error) != CORM_OK ||
        ticket_find_by_place(db, models, "here", &record, arena, &error) != CORM_OK)
        return printf("%s\n", error ? corm_error_message(error) : "?");
    printf("%d %d %d\n", record.status == TICKET_STATUS_2_IN_WORK, record.kind.value == TICKET_KIND_EMPTY,
           record.place.value == TICKET_PLACE_HERE);
    models_free(models);
    corm_arena_free(arena);
    corm_database_close(db, NULL);
    return 0;
}
"""

PYTHON = """
import sys
from cormorant import Database
from models import MODELS, Ticket
with Database(sys.argv[1]) as db:
    print(len(db.plan(*MODELS).steps), db.fetch_all(Ticket)[0].status)
    Ticket(kind="2nd").insert(db)
    try:
        Ticket(kind="third").insert(db)
    except Exception as error:
        print(error.code)
"""


def file(folder: Path) -> Path:
    return make(folder / "tickets.db", SCHEMA)


def test_python(tmp_path: Path) -> None:
    path = file(tmp_path)
    out = generate(path, "python", tmp_path / "out", "--enums")
    code = (out / "models.py").read_text()
    assert 'status: Column[Literal["open", "in work", "it\'s done"]]' in code
    assert code.count("check=True") == 5
    check_python(out)
    (tmp_path / "main.py").write_text(PYTHON)
    lines = run(sys.executable, tmp_path / "main.py", path, path=str(out)).split("\n")
    assert lines[:3] == ["0 in work", "CORM_E_RANGE", ""]
    assert "Literal" not in (generate(path, "python", tmp_path / "plain") / "models.py").read_text()


def test_c(tmp_path: Path) -> None:
    path = file(tmp_path)
    out = generate(path, "c", tmp_path / "out", "--enums")
    (out / "main.c").write_text(C)
    flags = ["-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}", f"-I{out}"]
    run("g++", "-fsyntax-only", *flags, "-x", "c++", out / "models.h")
    (out / "libcormorant.so.0").symlink_to(LIBRARY)
    run("gcc", "-std=c11", *flags, out / "main.c", out / "models.c", LIBRARY, f"-Wl,-rpath,{out}", "-o", out / "main")
    assert run(out / "main", path) == "1 1 1\n"


def test_swift(tmp_path: Path) -> None:
    build_swift()
    out = generate(file(tmp_path), "swift", tmp_path / "out", "--enums")
    code = (out / "Ticket.swift").read_text()
    assert "enum TicketStatus2: String, ColumnValue, CaseIterable, Sendable {\n    case open\n" in code
    assert "@Column(default: \"'open'\", checksCases: true) var status: TicketStatus2 = .open" in code
    compile_swift(out)

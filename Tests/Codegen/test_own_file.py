"""Generated models on the very file that they were made from."""

from __future__ import annotations

import sys
from pathlib import Path

from generated_code import generate, run
from running import ROOT, make

# As a file has it that another database's tables were brought into.
SCHEMA = """
CREATE TABLE actor (actor_id numeric NOT NULL, name VARCHAR(45), PRIMARY KEY (actor_id));
CREATE TABLE country (country_id SMALLINT NOT NULL, country VARCHAR(50), PRIMARY KEY (country_id));
CREATE TABLE city (city_id INT NOT NULL PRIMARY KEY, country_id SMALLINT NOT NULL REFERENCES country);
CREATE TABLE language (id INTEGER PRIMARY KEY DESC, name TEXT);
CREATE TABLE film_actor (actor_id INT NOT NULL REFERENCES actor, film INT NOT NULL, PRIMARY KEY (actor_id, film));
CREATE VIEW cities AS SELECT city_id, country FROM city JOIN country USING (country_id);
INSERT INTO actor VALUES (1, 'A'), (2, 'B');
INSERT INTO country VALUES (7, 'C');
INSERT INTO city VALUES (0, 7), (3, 7);
INSERT INTO film_actor VALUES (1, 4);
"""
PROGRAM = """
import models
from cormorant import Database
with Database("own.db") as db:
    db.create_tables(*models.MODELS)
    assert not db.plan(*models.MODELS).sql
    assert [city.country_id for city in db.fetch_all(models.City)] == [7, 7]
    assert [(row.city_id, row.country) for row in db.fetch_all(models.Cities)] == [(0, "C"), (3, "C")]
    assert [repr(actor.actor_id) for actor in db.fetch_all(models.Actor)] == ["1", "2"]
    models.City(9, 7).insert(db)
    zero = models.City.find(db, 0)
    zero.save(db)
    assert len(db.fetch_all(models.City)) == 3
"""


def test_create_tables_accepts_what_a_plan_has_nothing_to_do_about(tmp_path: Path) -> None:
    """finding python.md B11"""
    database = make(tmp_path / "own.db", SCHEMA)
    folder = generate(database, "python", tmp_path / "out")
    assert run(sys.executable, "-c", PROGRAM, cwd=tmp_path, path=str(folder)) == ""


def test_a_name_ends_no_comment_of_c(tmp_path: Path) -> None:
    names = ("a*\\b", "x*\\ static int pwned = 1; \\*y", "/\\*/")
    tables = "".join(f'CREATE TABLE "{name}" (id INTEGER PRIMARY KEY, "{name}" TEXT);' for name in names)
    folder = generate(make(tmp_path / "names.db", tables), "c", tmp_path / "out")
    run("gcc", "-std=c11", "-Wall", "-Werror", "-fsyntax-only", f"-I{ROOT}/include", folder / "models.c")
    run("gcc", "-fpreprocessed", "-dD", "-E", "-P", folder / "models.h", "-o", tmp_path / "bare.h")
    assert "pwned = 1" not in (tmp_path / "bare.h").read_text()

"""`corm generate`: names, files, templates, what it says of them. Tests/Codegen shows that the code compiles."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_runs import Corm
from running import BUILD, CHINOOK, ROOT, make

SHOP = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT UNIQUE,
    level INTEGER NOT NULL DEFAULT 1);
CREATE TABLE orders (number INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers ON DELETE CASCADE,
    at DATETIME NOT NULL, CHECK (number > 0));
CREATE INDEX orders_at ON orders (at DESC);
"""


def generate(corm: Corm, script: str, language: str = "python", *more: object, status: int | None = 0) -> str:
    """The generated file, or all of them one behind the other."""
    (corm.folder / "schema.sql").write_text(script)
    corm.run("generate", "schema.sql", "--language", language, "--out", "out", *more, status=status)
    return "".join(path.read_text() for path in sorted((corm.folder / "out").iterdir()))


def test_python_says_keys_relations_defaults_and_checks(corm: Corm) -> None:
    code = generate(corm, SHOP)
    for piece in [
        'class Customer(Model, table="customers"):',
        "id: Column[int] = key()\n",
        "from cormorant import Column, Database, Key, Model, column, key, to_many, to_one\n",
        "email: Column[str | None] = column(default=None, kw_only=True, unique=True)",
        'level: Column[int] = column(default=1, kw_only=True, default_sql="1")',
        "orders = to_many(lambda: Order)",
        'class Order(Model, table="orders", indexes=[Key(("-at",), name="orders_at")], checks=["number > 0"]):',
        'customer_id: Column[int] = column(references="customers", on_delete="cascade")',
        "customer = to_one(lambda: Customer)",
        "def find_by_email(database: Database, email: str) -> Customer | None:",
        "def fetch_by_customer_id(database: Database, customer_id: int) -> list[Order]:",
    ]:
        assert piece in code


def test_python_says_the_key_that_the_file_makes_in_a_word(corm: Corm) -> None:
    code = generate(
        corm,
        """
        CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT, v TEXT);
        CREATE TABLE b ("The Id" INTEGER, PRIMARY KEY ("The Id"));
        CREATE TABLE c (a_id INTEGER PRIMARY KEY REFERENCES a, v TEXT);
        CREATE TABLE d (id INTEGER PRIMARY KEY CHECK (id > 0));
        CREATE TABLE e (id INTEGER PRIMARY KEY) WITHOUT ROWID;
        CREATE TABLE f (id INT PRIMARY KEY);
        CREATE TABLE g (id TEXT PRIMARY KEY);
        CREATE TABLE h (x INTEGER, y INTEGER, PRIMARY KEY (x, y));
        """,
    )
    long = "Column[int | None] = column(default=None, kw_only=True, primary_key=True"
    for piece in [
        "    id: Column[int] = key(auto_increment=True)\n",
        '    the_id: Column[int] = key(name="The Id")\n',
        f'    a_id: {long}, references="a")\n',
        f'    id: {long}, check="id > 0")\n',
        "    x: Column[int] = column(primary_key=True)\n    y: Column[int] = column(primary_key=True)\n",
        "    id: Column[str] = column(primary_key=True)\n",
        "    id: Column[int] = column(primary_key=True)\n",
    ]:
        assert piece in code, piece
    assert code.count(" = key(") == 2


def test_python_has_columns_and_relations_that_are_called_key(corm: Corm) -> None:
    script = """
        CREATE TABLE setting (id INTEGER PRIMARY KEY, key TEXT NOT NULL DEFAULT 'a');
        CREATE TABLE lock (key_id INT REFERENCES keys, number INTEGER PRIMARY KEY);
        CREATE TABLE keys (id INTEGER PRIMARY KEY);
    """
    code = generate(corm, script)
    assert "    id: Column[int] = key_()\n" in code
    assert "column, key as key_, to_many, to_one\n" in code
    assert code.count(" = key_()") == 3
    used = subprocess.run(
        [sys.executable, "-c", "import models; print(models.Setting(key='b'), models.Lock().number)"],
        cwd=corm.folder / "out", capture_output=True, text=True, check=False,
        env=os.environ | {
            "PYTHONPATH": str(ROOT / "bindings/python/src"), "CORMORANT_LIBRARY": str(BUILD / "libcormorant.so"),
        },
    )  # fmt: skip
    assert used.stdout == "Setting(id=None, key='b') None\n", used.stderr


@pytest.mark.parametrize("language", ["python", "swift", "c"])
def test_a_collation_of_a_program_is_told_not_said(corm: Corm, language: str) -> None:
    """No model can have it, and a sync leaves it as it is."""
    script = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT COLLATE Rev, b TEXT COLLATE nocase);"
    code = generate(corm, script, language)
    assert "column 'a' has the collation Rev, of a program: a model cannot say it, the database keeps it" in code
    assert code.count("Rev") == 1 and '"nocase"' in code


def test_swift_and_c_say_the_same(corm: Corm) -> None:
    swift = generate(corm, SHOP, "swift")
    assert '@References("customers", onDelete: .cascade) var customerID: Int64' in swift
    assert "static func find(email: String, in database: Database) throws -> Customer? {" in swift
    # What waits stands beside what blocks, as in the library, and the compiler takes no task for the latter.
    for call in ["find(email: String, in", "find(id: Int64, in", "fetchAll(customerID: Int64, in"]:
        assert f"    @available(*, noasync)\n    static func {call} database: Database) throws -> " in swift, call
        assert f"static func {call} database: Database) async throws -> " in swift, call
    assert swift.count("try await database.") == swift.count("try database.") == 4
    (corm.folder / "out").rename(corm.folder / "swift")
    c = generate(corm, SHOP, "c")
    assert "corm_status customer_find_by_email(corm_database *database" in c
    assert '.references_table = "customers", .on_delete = CORM_ACTION_CASCADE)' in c


def test_two_schemas_of_c_share_a_program_by_prefixes(corm: Corm) -> None:
    code = generate(corm, SHOP, "c", "--name", "shop", "--prefix", "shop_")
    for piece in [
        "--name shop --prefix shop_ from ",
        "typedef struct shop_customer {",
        "corm_status shop_customer_find_by_email(corm_database *database",
        "corm_status shop_shop_create(corm_model **models",
        "SHOP_SHOP_CUSTOMER,",
        "static const corm_column_def shop_customer_columns[] = {",
        'CORM_MODEL(shop_customer, "customer", shop_customer_columns, .table = "customers")',
    ]:
        assert piece in code, piece
    # Behind a prefix a name that is taken otherwise is free.
    code = generate(corm, "CREATE TABLE stdin (int INTEGER PRIMARY KEY); CREATE TABLE corm (x)", "c", "--prefix", "a_")
    assert "typedef struct a_stdin {" in code and "typedef struct a_corm {" in code


@pytest.mark.parametrize(
    ("language", "prefix", "message"),
    [
        ("c", "corm_", "the library's or those of the C standard"), ("c", "str", "of the C standard"),
        ("c", "Music_", "is no prefix of names"), ("c", "_m", "is no prefix of names"), ("c", "1m", "is no prefix"),
        ("python", "music_", "a prefix is for the names of C"), ("swift", "Music", "a prefix is for the names of C"),
    ],
)  # fmt: skip
def test_prefixes_that_cannot_be(corm: Corm, language: str, prefix: str, message: str) -> None:
    (corm.folder / "schema.sql").write_text(SHOP)
    told = corm.fails("generate", "schema.sql", "--language", language, "--out", "out", "--prefix", prefix)
    assert message in told


@pytest.mark.parametrize(
    ("table", "model"),
    [
        ("people", "Person"), ("order_items", "OrderItem"), ("Categories", "Category"), ("addresses", "Address"),
        ("status", "Status"), ("news", "News"), ("2fa codes", "Table2faCode"), ("naïve", "Naïve"),
        ("XMLFiles", "XMLFile"),
        ("../../etc/passwd", "EtcPasswd"), ("\U0001f600", "Table"), ("Model", "ModelRecord"), ("名前", "名前"),
    ],
)  # fmt: skip
def test_names_of_models(corm: Corm, table: str, model: str) -> None:
    assert f"class {model}(Model" in generate(corm, f'CREATE TABLE "{table}" (id INTEGER PRIMARY KEY, class TEXT);')


def test_times_in_another_form_are_texts(corm: Corm) -> None:  # finding python.md B3
    make(
        corm.folder / "a.db",
        """
        CREATE TABLE rental (id INTEGER PRIMARY KEY, at DATETIME NOT NULL, back TIMESTAMP, unix DATETIME, day DATETIME);
        INSERT INTO rental (at, back, unix, day) VALUES
          ('2005-05-24 22:53:30.000', '2005-05-24 22:53:30', 1700000000, 2460000.5), ('2005', NULL, NULL, 2460001);
        """,
    )
    notes = corm.run("generate", "a.db", "--language", "python", "--out", "out").err
    told = 'column "at" is declared DATETIME and holds "2005-05-24 22:53:30.000", which is not the form of a datetime '
    assert told + "column; it is read as text" in notes
    assert (
        "is declared DATETIME and holds an integer, which is not the form of a datetime column; it is read as a"
        in notes
    )
    code = (corm.folder / "out/models.py").read_text()
    assert "at: Column[str]" in code
    assert "back: Column[datetime | None]" in code
    assert "unix: Column[int | None]" in code
    assert "day: Column[float | None]" in code


def test_changed_names_are_told(corm: Corm) -> None:
    (corm.folder / "a.sql").write_text('CREATE TABLE "a b" ("x y" INT, "x-y" INT, class INT, "1" INT, "\u202e" INT);')
    notes = corm.run("generate", "a.sql", "--language", "python", "--out", "out").err
    for note in [
        'table "a b" is called AB', 'column "a b.x y" is called x_y', 'column "a b.x-y" is called x_y_2',
        'column "a b.class" is called class_', 'column "a b.1" is called column_1', "is called column",
    ]:  # fmt: skip
        assert note in notes
    assert "\u202e" not in notes + (corm.folder / "out/models.py").read_text()


def test_what_models_cannot_say_is_told_in_the_code_too(corm: Corm) -> None:
    code = generate(
        corm,
        "CREATE TABLE t (a TEXT, b INT REFERENCES gone); CREATE INDEX i ON t (lower(a)); CREATE VIEW v AS SELECT 1;"
        "CREATE VIRTUAL TABLE f USING fts5(x);",
    )
    for note in ["index 'i' is over an expression", "refers to 'gone', which has no model", "no primary key",
                 "virtual table 'f' has no model"]:  # fmt: skip
        assert re.search(f"# Note: .*{note}", code)


VIEWS = """
CREATE TABLE item (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, price REAL, sold DATE);
CREATE VIEW totals AS SELECT kind, count(*) AS "all of them", sum(price) AS price, max(sold) AS newest, sold,
    NULL AS none
    FROM item GROUP BY kind;
CREATE VIEW broken AS SELECT of_the_program(id) AS x, id FROM item;
INSERT INTO item (kind, price, sold) VALUES ('a', 1, '2026-01-31'), ('a', 2.5, '2026-02-01'), ('b', 3, NULL);
"""


@pytest.mark.parametrize(
    ("language", "pieces"),
    [
        (
            "python",
            [
                'class Total(Model, table="totals", view=True):', "A row of view totals.", "kind: Column[str | None]",
                "all_of_them: Column[int | None]", "price: Column[float | None]", "newest: Column[str | None]",
                "sold: Column[date | None]", "Total,",
            ],
        ),
        (
            "swift",
            [
                '@Model(table: "totals", view: true)', "var allOfThem: Int64?", "var sold: LocalDate?", "Total.model,",
            ],
        ),
        ("c", [".view = true)", "corm_optional_int64 all_of_them;", "corm_optional_double price;"]),
    ],
)  # fmt: skip
def test_views_have_models_that_are_read(corm: Corm, language: str, pieces: list[str]) -> None:
    """finding python.md section 2, 1"""
    make(corm.folder / "a.db", VIEWS)
    done = corm.run("generate", "a.db", "--language", language, "--out", "out")
    code = "".join(path.read_text() for path in sorted((corm.folder / "out").iterdir()))
    for piece in pieces:
        assert piece in code
    assert "no primary key" not in done.err
    assert 'column "none" has no type; it is read as text' in done.err


@pytest.mark.parametrize("source", ["a.db", "schema.sql"])
def test_numeric_columns_of_integers_are_integers(corm: Corm, source: str) -> None:
    """finding python.md section 2, 2"""
    script = """
        CREATE TABLE actor (id NUMERIC NOT NULL PRIMARY KEY, name TEXT);
        CREATE TABLE film_actor (actor_id INT NOT NULL REFERENCES actor, rate DECIMAL(4, 2), size DECIMAL(10),
            cost NUMERIC, code DECIMAL(4, 2) REFERENCES price);
        CREATE TABLE price (code DECIMAL(4, 2) PRIMARY KEY);
    """
    (corm.folder / "schema.sql").write_text(script)
    make(
        corm.folder / "a.db",
        script
        + """
        INSERT INTO actor VALUES (1, 'Ada'); INSERT INTO price VALUES (0.5);
        INSERT INTO film_actor VALUES (1, 2.5, 3, NULL, NULL), (1, 2, 4, NULL, 0.5);""",
    )
    corm.run("generate", source, "--language", "python", "--out", "out")
    code = (corm.folder / "out/models.py").read_text()
    assert "id: Column[int] = column(primary_key=True)" in code
    assert "rate: Column[float | None]" in code
    assert ("size: Column[int | None]" in code) == (source == "a.db")
    assert "cost: Column[float | None]" in code
    assert "code: Column[float" in code


def test_decimals_keep_their_scale(corm: Corm) -> None:
    script = "CREATE TABLE t (id INTEGER PRIMARY KEY, a DECIMAL_TEXT(2) NOT NULL, b DECIMAL_TEXT(0), c DECIMAL_TEXT);"
    code = generate(corm, script)
    assert "a: Column[Decimal] = column(scale=2)" in code
    assert "scale=0" in code
    assert code.count("scale") == 2
    (corm.folder / "out").rename(corm.folder / "python")
    swift = generate(corm, script, "swift")
    assert "@Column(scale: 2) var a: DecimalText" in swift
    (corm.folder / "out").rename(corm.folder / "swift")
    assert ".scale = CORM_SCALE_0" in generate(corm, script, "c")


def test_check_finds_what_is_stale(corm: Corm) -> None:
    generate(corm, SHOP, "swift")
    before = {path: path.stat().st_mtime_ns for path in (corm.folder / "out").iterdir()}
    generate(corm, SHOP, "swift", "--check")
    generate(corm, SHOP, "swift")
    assert {path: path.stat().st_mtime_ns for path in (corm.folder / "out").iterdir()} == before
    (corm.folder / "schema.sql").write_text(SHOP.split("CREATE TABLE orders")[0])
    check = corm.run("generate", "schema.sql", "--language", "swift", "--out", "out", "--check", status=2)
    assert "stale: out/Customer.swift" in check.out
    assert "no longer made: out/Order.swift" in check.out
    assert {path: path.stat().st_mtime_ns for path in (corm.folder / "out").iterdir()} == before


@pytest.mark.parametrize("language", ["swift", "c", "python"])
def test_what_has_another_name_in_the_folder_is_made_still(corm: Corm, language: str) -> None:
    """finding python.md B12"""
    generate(corm, SHOP, language, "--name", "shop")
    (corm.folder / "music.sql").write_text("CREATE TABLE albums (id INTEGER PRIMARY KEY);")
    for name in ("music", "models"):
        done = corm.run("generate", "music.sql", "--language", language, "--out", "out", "--name", name)
        assert "no longer made" not in done.out
    (corm.folder / "schema.sql").write_text(SHOP.split("CREATE TABLE orders")[0])
    again = corm.run("generate", "schema.sql", "--language", language, "--out", "out", "--name", "shop").out
    assert ("no longer made: out/Order.swift" in again) == (language == "swift")


def test_the_docstring_comes_before_notes(corm: Corm) -> None:
    """finding python.md section 2, 10"""
    code = generate(
        corm,
        "CREATE TABLE t (a INTEGER PRIMARY KEY);"
        "CREATE VIRTUAL TABLE v USING fts5(a); CREATE VIRTUAL TABLE w USING fts5(a);",
    )
    assert code.splitlines()[1] == '"""The models of all tables and views."""'
    assert code.index("# Note: virtual table 'v'") < code.index("import")


@pytest.mark.parametrize(("language", "is_told"), [("swift", False), ("c", True), ("python", False)])
def test_a_key_that_is_given_is_told_where_a_record_can_lack_it(corm: Corm, language: str, is_told: bool) -> None:
    """finding python.md section 2, 7"""
    code = generate(corm, "CREATE TABLE t (id INT NOT NULL PRIMARY KEY);", language)
    assert ("column 'id' is a key that the table does not make: set it in each record" in code) == is_told


def test_conditions_are_on_one_line(corm: Corm) -> None:
    """finding python.md section 2, 9"""
    script = (
        "CREATE TABLE film (rating TEXT, a INT AS (rating\n   ||  1), CONSTRAINT special CHECK (rating IN ('G  G',\n"
        "           'PG') -- or\n  OR rating\n   IS NULL));CREATE INDEX i ON film (rating) WHERE\n\nrating > 1;"
    )
    code = generate(corm, script)
    assert """checks=["rating IN ('G  G', 'PG') OR rating IS NULL"]""" in code
    assert 'computed="rating || 1"' in code
    assert 'where="rating > 1"' in code
    make(corm.folder / "a.db", script)
    assert "check special: rating IN ('G  G', 'PG') OR rating IS NULL\n" in corm.run("inspect", "a.db", "film").out


@pytest.mark.parametrize("language", ["swift", "c", "python"])
def test_a_file_its_script_and_its_bundle_give_the_same(corm: Corm, language: str) -> None:
    make(corm.folder / "schema.sql.db", SHOP)
    one = generate(corm, SHOP, language)
    (corm.folder / "out").rename(corm.folder / "first")
    corm.run("generate", "schema.sql.db", "--language", language, "--out", "out")
    two = "".join(path.read_text() for path in sorted((corm.folder / "out").iterdir()))
    assert two.replace("schema.sql.db", "schema.sql") == one


def templates(corm: Corm, **files: str) -> Path:
    folder = corm.folder / "templates"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def test_own_templates_are_given_the_tables(corm: Corm) -> None:
    """The header of seed 000's model, in Objective-C."""
    templates(
        corm,
        **{
            "{{table.type}}.h.stencil": '{% include "_head" %}\n@interface {{ table.type }} : MModel\n'
            "{% for field in table.fields %}@property (nonatomic, "
            "{% if field.isSimpleType %}assign) NSInteger {% else %}strong) NSString *{% endif %}"
            "{{ field.property }};\n"
            "{% endfor %}@end\n",
            "_head": "// {{ table.name }}, {{ table.keys.0.name }}",
            "tables.txt.stencil": "{% for table in tables %}{{ table.name }} {% endfor %}",
        },
    )
    code = generate(corm, SHOP, "swift", "--template", "templates")
    assert "// customers, id\n@interface Customer : MModel\n@property (nonatomic, assign) NSInteger id;\n" in code
    assert "@property (nonatomic, strong) NSString *email;\n" in code
    assert (corm.folder / "out/tables.txt").read_text().split() == ["customers", "orders"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.stencil", "one\n{% for x in %}\n", r"a\.stencil:2:\d+: "),
        ("a.stencil", "one\n\n{{ x|nothing }}\n", r"a\.stencil:3:\d+: .*nothing"),
        ("a.stencil", "{% if x %}", r"a\.stencil:1:\d+: .*endif"),
        ("a.stencil", '{% include "gone" %}', "gone"),
        ("{{table.name}}.stencil", "", 'makes a file called "\\.\\./x"'),
        ("{{table.nothing}}.stencil", "", 'makes a file called ""'),
        ("same{% if table %}{{ x }}{% endif %}.stencil", "", "two templates or tables make the file"),
        ("a.txt", "", "has no template"),
    ],
)
def test_a_broken_template_is_told_with_its_line(corm: Corm, name: str, text: str, message: str) -> None:
    templates(corm, **{name: text})
    (corm.folder / "a.sql").write_text('CREATE TABLE "../x" (a); CREATE TABLE y (a);')
    error = corm.fails("generate", "a.sql", "--language", "c", "--out", "out", "--template", "templates")
    assert re.search(message, error), error
    assert not (corm.folder / "x").exists()
    assert not (corm.folder / "out").exists()


def test_nothing_is_written_outside(corm: Corm) -> None:
    """Not through a link either, be it the file or its folder."""
    victim = corm.folder / "victim"
    victim.write_text("untouched")
    (corm.folder / "out").mkdir()
    (corm.folder / "out/models.py").symlink_to(victim)
    generate(corm, SHOP)
    assert victim.read_text() == "untouched"
    (corm.folder / "elsewhere").mkdir()
    (corm.folder / "out/sub").symlink_to(corm.folder / "elsewhere")
    folder = templates(corm)
    (folder / "sub").mkdir()
    (folder / "sub/a.txt.stencil").write_text("x")
    error = corm.fails("generate", "schema.sql", "--language", "c", "--out", "out", "--template", "templates")
    assert "leads out of" in error
    assert list((corm.folder / "elsewhere").iterdir()) == []


def test_a_folder_that_cannot_be_written(corm: Corm) -> None:
    (corm.folder / "a.sql").write_text(SHOP)
    (corm.folder / "file").write_text("")
    error = corm.fails("generate", "a.sql", "--language", "c", "--out", "file/out")
    assert "cannot be written: Not a directory" in error
    error = corm.fails("generate", "a.sql", "--language", "c", "--out", "/proc/out")
    assert "cannot be written" in error


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.db", b"", "no table"),
        ("noise.db", bytes(range(256)) * 8, "is encrypted, or is no database"),
        ("bad.sql", b"CREATE TABLE (", "expected"),
        ("virtual.sql", b"CREATE VIRTUAL TABLE v USING fts5(a);", "its columns are its module's"),
        ("cut.json", b'{"version": 1, "tables": [', "it is no JSON"),
        ("other.json", b'{"version": 1, "problems": []}', "something is missing at .tables"),
        ("newer.json", b'{"version": 9, "tables": [], "problems": []}', "version 9"),
        ("gone.db", None, "there is no file"),
    ],
)
def test_what_is_no_schema(corm: Corm, name: str, content: bytes | None, message: str) -> None:
    if content is not None:
        (corm.folder / name).write_bytes(content)
    assert message in corm.fails("generate", name, "--language", "python", "--out", "out")
    assert not (corm.folder / "out").exists()


def test_metadata_gives_the_same_as_the_file(corm: Corm) -> None:
    if not CHINOOK.exists():
        pytest.skip(f"{CHINOOK} is not there")
    (corm.folder / "data.json").write_text(json.dumps(corm.run("inspect", CHINOOK, "--json").json["metadata"]))
    corm.run("generate", "data.json", "--language", "swift", "--out", "one")
    corm.run("generate", CHINOOK, "--language", "swift", "--out", "two")
    for path in (corm.folder / "two").iterdir():
        made = (corm.folder / "one" / path.name).read_text()
        assert made.replace("data.json", "chinook.sqlite") == path.read_text()


def test_two_thousand_tables(corm: Corm) -> None:
    script = "".join(f"CREATE TABLE t{i} (id INTEGER PRIMARY KEY, a INT REFERENCES t{i // 2});" for i in range(2000))
    assert generate(corm, script, "python").count("(Model") == 2000


def test_a_view_of_a_great_value_takes_no_time(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE VIEW v AS SELECT hex(zeroblob(450000000)) AS great, 1 AS small")
    begin = time.monotonic()
    corm.run("generate", "a.db", "--language", "python", "--out", "out")
    assert time.monotonic() - begin < 5
    assert "small: Column[" in (corm.folder / "out/models.py").read_text()

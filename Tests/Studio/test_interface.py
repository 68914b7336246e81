"""What the page asks for, and gets."""

from __future__ import annotations

import csv
import io
import itertools
import json
import random
import sqlite3
import subprocess
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

from running import COMMAND, ENVIRONMENT, make
from studio_server import Start, Studio


def page(studio: Studio, table: str, columns: list[str], place: dict[str, Any], **query: Any) -> Any:
    return studio.ask("rows", table=table, columns=columns, **{"from": place}, **query)


def walk(studio: Studio, table: str, key: str, forwards: bool, **query: Any) -> list[Any]:
    """All keys of a table, page by page."""
    found: list[Any] = []
    answer = page(studio, table, [key], {"start": True} if forwards else {"end": True}, **query)
    while True:
        cells = [row["c"][0] for row in answer["rows"]]
        found = found + cells if forwards else cells + found
        if answer["isEnd" if forwards else "isStart"]:
            return found
        place = {"after": answer["last"]} if forwards else {"before": answer["first"]}
        answer = page(studio, table, [key], place, **query)


def test_pages_are_the_rows_in_order_both_ways(start: Start, tmp_path: Path) -> None:
    """Whatever is sorted by: NULLs, values that are equal, and directions mixed."""
    dice = random.Random(3)
    path = make(tmp_path / "a.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b TEXT); CREATE INDEX t_a ON t (a);")
    connection = sqlite3.connect(path)
    choices = [None, 1, 2, 2.5, "", "x", "ä", b"\x00", 2**60]
    connection.executemany(
        "INSERT INTO t VALUES (?, ?, ?)",
        [(dice.randrange(10**6) * 1000 + i, dice.choice(choices), dice.choice(["p", "q", None])) for i in range(300)],
    )
    connection.commit()
    studio = start(path)
    for sort in (
        [],
        [("a", False)],
        [("a", True)],
        [("b", True)],
        [("a", False), ("b", True)],
        [("b", False), ("a", False)],
        [("id", True)],
    ):
        order = ", ".join(f"{name} {'DESC' if down else 'ASC'}" for name, down in sort) + (", " if sort else "")
        order += "id DESC" if sort and sort[0][1] else "id"
        wanted = [row[0] for row in connection.execute(f"SELECT id FROM t ORDER BY {order}")]
        given = [{"c": name, "d": down} for name, down in sort]
        assert walk(studio, "t", "id", True, sort=given, limit=37) == wanted, sort
        assert walk(studio, "t", "id", False, sort=given, limit=37) == wanted, sort


def test_without_row_numbers_and_without_keys(start: Start, tmp_path: Path) -> None:
    path = make(
        tmp_path / "a.db",
        """
        CREATE TABLE w (k TEXT, n INTEGER, v, PRIMARY KEY (k, n)) WITHOUT ROWID;
        CREATE TABLE r (rowid TEXT, oid TEXT, v);
        CREATE VIEW v AS SELECT n, k FROM w;
        """,
    )
    connection = sqlite3.connect(path)
    for k, n in itertools.product("abc", range(50)):
        connection.execute("INSERT INTO w VALUES (?, ?, ?)", (k, n, n))
        connection.execute("INSERT INTO r VALUES (?, ?, ?)", (k, n, n))
    connection.commit()
    studio = start(path)
    assert walk(studio, "w", "n", True, limit=40) == list(range(50)) * 3
    assert walk(studio, "r", "v", False, limit=40) == list(range(50)) * 3
    assert page(studio, "r", ["v"], {"start": True})["rows"][0]["k"] == [1]
    first = page(studio, "v", ["n"], {"offset": 60}, limit=5)["rows"]
    assert [row["c"][0] for row in first] == [10, 11, 12, 13, 14]
    assert first[0]["k"] == []
    assert studio.ask("count", table="v", columns=[])["count"] == 150


def test_a_share_of_the_keys(start: Start, tmp_path: Path) -> None:
    path = make(
        tmp_path / "a.db",
        """
        CREATE TABLE n (id INTEGER PRIMARY KEY);
        WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 5000) INSERT INTO n SELECT i FROM s;
        CREATE TABLE u (id TEXT PRIMARY KEY) WITHOUT ROWID;
        WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 5000)
        INSERT INTO u SELECT printf('%08x-0000', i * 858993) FROM s;
        """,
    )
    studio = start(path)
    for table in ("n", "u"):
        ids = walk(studio, table, "id", True, limit=500)
        for share in (0, 0.25, 0.5, 0.9, 1):
            answer = page(studio, table, ["id"], {"at": share, "scale": True})
            place = ids.index(answer["rows"][0]["c"][0])
            assert abs(place - share * 4999) < 30, (table, share, place)
            assert abs(answer["at"] - share) < 0.01


def test_filters(start: Start, tmp_path: Path) -> None:
    path = make(
        tmp_path / "a.db",
        """
        CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, price NUMERIC, "any" , "it""s" TEXT);
        INSERT INTO t VALUES (1, 'Ann', 5, 5, 'x'), (2, '100%', 5.5, '5', '_'), (3, NULL, NULL, x'05', 'a_b'),
          (4, '', 10, NULL, '');
        """,
    )
    studio = start(path)

    def ids(*filters: Any, **query: Any) -> list[int]:
        given = [dict(zip(("c", "op", "v"), one, strict=False)) for one in filters]
        return [row["c"][0] for row in page(studio, "t", ["id"], {"start": True}, filters=given, **query)["rows"]]

    assert ids(("name", "contains", "%")) == [2]
    assert ids(("name", "starts", "a")) == [1]
    assert ids(("name", "null")) == [3]
    assert ids(("name", "=", "")) == [4]
    assert ids(("price", ">", "5")) == [2, 4]
    assert ids(("price", "=", {"r": "5.0"})) == [1]
    assert ids(("any", "=", "5")) == [1]
    assert ids(("any", "=", {"h": "05"})) == [3]
    assert ids(('it"s', "contains", "_")) == [2, 3]
    assert ids(("price", ">=", 5), ("name", "notnull")) == [1, 2, 4]
    assert ids(search="a_b") == [3]
    assert studio.ask("count", table="t", columns=[], search="a_b")["count"] == 1
    assert "did you mean" in studio.ask("rows", 400, table="t", columns=["nmae"], **{"from": {"start": True}})["hint"]
    assert studio.ask(
        "rows", 400, table="t", columns=["id"], filters=[{"c": "id", "op": "= 1 OR 1"}], **{"from": {"start": True}}
    )


def test_values_cross_as_they_are(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
    given = [
        None,
        2**53 - 1,
        2**53,
        -(2**63),
        1.0,
        0.1,
        float("inf"),
        "",
        "ä",
        b"",
        b"\x00\xff",
        "x" * 1000,
        "y" * 399 + "ä" * 300,
    ]
    connection.executemany("INSERT INTO t (v) VALUES (?)", [(value,) for value in given])
    connection.execute("INSERT INTO t (v) VALUES (CAST(x'ff41' AS TEXT))")
    connection.commit()
    studio = start(path)
    cells = [row["c"][0] for row in page(studio, "t", ["v"], {"start": True})["rows"]]
    assert cells[:11] == [
        None,
        2**53 - 1,
        {"i": str(2**53)},
        {"i": str(-(2**63))},
        {"r": "1.0"},
        0.1,
        {"r": "9e999"},
        "",
        "ä",
        {"b": 0},
        {"b": 2},
    ]
    assert cells[11] == {"t": "x" * 400, "n": 1000}
    assert cells[12] == {"t": "y" * 399, "n": 999}
    assert cells[13]["n"] == 2
    value = studio.ask("value", table="t", column="v", key=[13], count=400)
    assert (value["text"], value["until"], value["size"]) == ("y" * 399, 399, 999)
    assert studio.ask("value", table="t", column="v", key=[13], **{"from": 399})["text"] == "ä" * 300
    assert studio.ask("value", table="t", column="v", key=[11])["hex"] == "00ff"
    assert not studio.ask("value", table="t", column="v", key=[14])["isValid"]
    assert studio.ask("value", 400, table="t", column="v", key=[99])["code"] == "noRecord"
    for key in ([11], [13]):
        assert studio.ask("value", table="t", column="v", key=key, **{"from": 2**63 - 1})["size"]
        assert studio.ask("value", table="t", column="v", key=key, **{"from": -1}, count=-1)["until"] == 0


def test_values_greater_than_the_memory(start: Start, tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, b BLOB, s TEXT); CREATE TABLE o (x);")
    connection = sqlite3.connect(path)
    size = 300_000_000
    connection.execute("INSERT INTO t VALUES (1, zeroblob(?), 'short')", (size,))
    connection.execute("INSERT INTO t VALUES (2, x'01', CAST(zeroblob(?) AS TEXT))", (40_000_000,))
    connection.execute("INSERT INTO t VALUES (3, x'02', 'last')")
    connection.commit()
    connection.close()
    studio = start(path)
    before = studio.memory
    rows = page(studio, "t", ["b", "s"], {"start": True})["rows"]
    # The texts of a row that is too long are not read; those of the others are.
    assert [row["c"] for row in rows] == [[{"b": size}, "short"], [{"b": 1}, {"b": -1}], [{"b": 1}, "last"]]
    part = studio.ask("value", table="t", column="b", key=[1], **{"from": size - 10}, count=100)
    assert (part["size"], part["hex"]) == (size, "00" * 10)
    assert studio.ask("value", table="t", column="s", key=[2], count=100)["size"] == 40_000_000
    assert studio.memory - before < 40_000_000
    assert studio.memory < 100_000_000


def test_a_hostile_schema(start: Start, tmp_path: Path) -> None:
    names = [
        'a"b',
        "</script><img src=x onerror=alert(1)>",
        "\x1b[31m",
        "日本 🎉",
        "'; DROP TABLE t; --",
        "..",
        "line\nbreak",
    ]
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    script = "".join(f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, {name} TEXT);" for name in quoted)
    script += f"CREATE TABLE wide ({', '.join(f'c{i}' for i in range(2000))});"
    script += "INSERT INTO wide (c0, c1999) VALUES (1, 2);"
    script += "CREATE VIEW endless AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
    script += "SELECT * FROM n ORDER BY i DESC;"
    studio = start(make(tmp_path / "a.db", script))
    tables = studio.ask("schema")["metadata"]["tables"]
    assert {table["name"] for table in tables} >= set(names)
    for name in names:
        assert page(studio, name, [name], {"start": True})["rows"] == []
    assert page(studio, "wide", [f"c{i}" for i in range(2000)], {"start": True})["rows"][0]["c"][0] == 1
    begin = time.monotonic()
    assert studio.ask("sql", 400, sql="SELECT * FROM endless", seconds=1)["code"] == "interrupted"
    assert time.monotonic() - begin < 5


def test_related_counts_and_labels(start: Start, chinook: Path) -> None:
    studio = start(chinook)
    counts = studio.ask("related", table="Artist", keys=[[1], [2], [25]])["counts"]
    assert counts == [{"table": "Album", "columns": ["ArtistId"], "own": ["ArtistId"], "counts": [2, 2, 0]}]
    assert studio.ask("labels", table="Artist", column="ArtistId", values=[1, 2])["labels"] == [
        [1, "AC/DC"],
        [2, "Accept"],
    ]


def test_edits_are_one_transaction_and_are_taken_back(start: Start, chinook: Path) -> None:
    studio = start(chinook, "--write")
    edits = [
        {
            "kind": "update",
            "table": "Album",
            "key": [1],
            "old": {"Title": "For Those About To Rock We Salute You"},
            "new": {"Title": "x'y"},
        },
        {"kind": "insert", "table": "Artist", "new": {"Name": "New"}},
        {"kind": "delete", "table": "PlaylistTrack", "key": [1], "old": {}},
    ]
    before = sqlite3.connect(chinook).execute("SELECT * FROM PlaylistTrack WHERE rowid = 1").fetchone()
    statements = studio.ask("preview", edits=edits)["statements"]
    assert statements[0] == {
        "sql": 'UPDATE main."Album" SET "Title" = ? WHERE "AlbumId" = ? AND "Title" IS ?',
        "values": ["x'y", 1, "For Those About To Rock We Salute You"],
        "along": [],
        "isAll": True,
    }
    assert studio.ask("apply", edits=edits) == {"applied": 3, "undo": 1}
    look = sqlite3.connect(chinook)
    assert look.execute("SELECT Title FROM Album WHERE AlbumId = 1").fetchone() == ("x'y",)
    assert look.execute("SELECT count(*) FROM Artist WHERE Name = 'New'").fetchone() == (1,)
    assert studio.ask("undo") == {"applied": 3, "undo": 0}
    assert look.execute("SELECT Title FROM Album WHERE AlbumId = 1").fetchone() == (
        "For Those About To Rock We Salute You",
    )
    assert look.execute("SELECT count(*) FROM Artist WHERE Name = 'New'").fetchone() == (0,)
    assert look.execute("SELECT * FROM PlaylistTrack WHERE rowid = 1").fetchone() == before
    assert studio.ask("undo", 400)["message"]


def test_rows_that_go_along_are_told_and_come_back(start: Start, tmp_path: Path) -> None:
    path = make(
        tmp_path / "a.db",
        """
        CREATE TABLE city (name TEXT PRIMARY KEY COLLATE NOCASE, mayor TEXT);
        CREATE TABLE street (id INTEGER PRIMARY KEY, city TEXT REFERENCES city (name) ON DELETE CASCADE);
        CREATE TABLE house (
          street INTEGER REFERENCES street (id) ON DELETE CASCADE, number INTEGER, beside INTEGER,
          photo BLOB, label TEXT AS (street || '/' || number), PRIMARY KEY (street, number),
          FOREIGN KEY (street, beside) REFERENCES house (street, number) ON DELETE CASCADE
        ) WITHOUT ROWID;
        CREATE TABLE person (name TEXT, street INTEGER REFERENCES street (id) ON DELETE SET NULL);
        CREATE TABLE many (city TEXT REFERENCES city ON DELETE CASCADE);
        INSERT INTO city VALUES ('Ulm', 'a'), ('Bonn', 'b');
        INSERT INTO street VALUES (1, 'ulm'), (2, 'ULM'), (3, 'Bonn');
        INSERT INTO house VALUES (1, 1, 2, x'00ff'), (1, 2, 1, NULL), (2, 1, NULL, NULL), (3, 1, NULL, NULL);
        INSERT INTO person VALUES ('Ada', 1), ('Bob', 3), ('Eve', 2);
        """,
    )
    look = sqlite3.connect(path, isolation_level=None)

    def everything() -> list[object]:
        tables = ["city", "street", "house", "person", "many"]
        return [look.execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall() for name in tables[:4]] + [
            look.execute("SELECT count(*) FROM many").fetchone()
        ]

    before = everything()
    studio = start(path, "--write")
    key = look.execute("SELECT rowid FROM city WHERE name = 'Ulm'").fetchone()[0]
    edits = [{"kind": "delete", "table": "city", "key": [key], "old": {"name": "Ulm"}}]
    told = studio.ask("preview", edits=edits)
    assert told["canBeUndone"]
    assert sorted(told["statements"][0]["along"], key=lambda part: str(part["table"])) == [
        {"table": "house", "deleted": 3, "changed": 0},
        {"table": "person", "deleted": 0, "changed": 2},
        {"table": "street", "deleted": 2, "changed": 0},
    ]
    assert studio.ask("apply", edits=edits) == {"applied": 1, "undo": 1}
    assert len(everything()[2]) == 1  # type: ignore[arg-type]
    studio.ask("undo")
    assert everything() == before
    # What was added to a row since does not go with it unseen.
    studio.ask("apply", edits=[{"kind": "insert", "table": "city", "new": {"name": "Kiel"}}])
    look.execute("INSERT INTO street VALUES (9, 'Kiel')")
    assert studio.ask("undo", 400)["code"] == "conflict"
    look.execute("DELETE FROM street WHERE id = 9")
    studio.ask("undo")
    assert everything() == before
    # Too many to be kept: that is told before, and nothing can be taken back.
    look.execute(
        "WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10001) INSERT INTO many SELECT 'Ulm' FROM n"
    )
    assert not studio.ask("preview", edits=edits)["canBeUndone"]
    assert studio.ask("apply", edits=edits) == {"applied": 1, "undo": 0}
    assert everything()[-1] == (0,)


def test_what_is_too_deep_or_too_long_to_be_kept(start: Start, tmp_path: Path) -> None:
    path = make(
        tmp_path / "a.db",
        """
        CREATE TABLE node (id INTEGER PRIMARY KEY, up INTEGER REFERENCES node (id) ON DELETE CASCADE);
        CREATE INDEX node_up ON node (up);
        WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
        INSERT INTO node SELECT i, CASE WHEN i > 1 THEN i - 1 END FROM n;
        CREATE TABLE album (id INTEGER PRIMARY KEY);
        CREATE TABLE photo (id INTEGER PRIMARY KEY, album INTEGER REFERENCES album (id) ON DELETE CASCADE, raw BLOB);
        INSERT INTO album VALUES (1), (2);
        WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100)
        INSERT INTO photo SELECT i, 1, zeroblob(1000000) FROM n;
        INSERT INTO photo VALUES (101, 2, zeroblob(1000000)), (102, NULL, zeroblob(200000000));
        """,
    )
    studio = start(path, "--write")
    before = studio.memory
    for table, key, is_kept in (
        ("node", 1, False),
        ("node", 2900, True),
        ("album", 1, False),
        ("album", 2, True),
        ("photo", 102, False),
    ):
        told = studio.ask("preview", edits=[{"kind": "delete", "table": table, "key": [key], "old": {}}])
        assert told["canBeUndone"] == is_kept, table
        assert told["statements"][0]["isAll"] == is_kept
    # SQLite goes no deeper than a thousand rows.
    refused = studio.ask("apply", 400, edits=[{"kind": "delete", "table": "node", "key": [1], "old": {}}])
    assert "too many levels" in refused["message"]
    assert sqlite3.connect(path).execute("SELECT count(*) FROM node").fetchone() == (3000,)
    # A row that is longer than what is kept goes without being read.
    assert studio.ask("apply", edits=[{"kind": "delete", "table": "photo", "key": [102], "old": {}}])["undo"] == 0
    assert sqlite3.connect(path).execute("SELECT max(id) FROM photo").fetchone() == (101,)
    assert studio.memory - before < 60_000_000


def test_a_conflict_changes_nothing(start: Start, chinook: Path) -> None:
    studio = start(chinook, "--write")
    other = sqlite3.connect(chinook)
    other.execute("UPDATE Artist SET Name = 'theirs' WHERE ArtistId = 2")
    other.commit()
    edits = [
        {"kind": "update", "table": "Artist", "key": [1], "old": {"Name": "AC/DC"}, "new": {"Name": "mine 1"}},
        {"kind": "update", "table": "Artist", "key": [2], "old": {"Name": "Accept"}, "new": {"Name": "mine 2"}},
    ]
    conflict = studio.ask("apply", 409, edits=edits)
    assert conflict["edit"] == 1
    assert conflict["row"] == {"ArtistId": 2, "Name": "theirs"}
    names = other.execute("SELECT Name FROM Artist WHERE ArtistId < 3").fetchall()
    assert names == [("AC/DC",), ("theirs",)]
    other.execute("DELETE FROM PlaylistTrack")
    other.commit()
    gone = studio.ask("apply", 409, edits=[{"kind": "delete", "table": "PlaylistTrack", "key": [1], "old": {}}])
    assert gone["row"] is None
    # What the file refuses is told as it is, and nothing of the set stays.
    error = studio.ask(
        "apply",
        400,
        edits=[edits[0], {"kind": "update", "table": "Album", "key": [1], "old": {}, "new": {"ArtistId": 9999}}],
    )
    assert error["code"] == "foreignKey"
    assert other.execute("SELECT Name FROM Artist WHERE ArtistId = 1").fetchone() == ("AC/DC",)


def test_sql(start: Start, chinook: Path) -> None:
    studio = start(chinook, "--write")
    answer = studio.ask(
        "sql", sql="SELECT Name, ? AS n FROM Artist WHERE ArtistId = :id", parameters={"1": {"r": "1.0"}, "id": 1}
    )
    assert answer["columns"] == ["Name", "n"]
    assert answer["rows"] == [["AC/DC", {"r": "1.0"}]]
    assert "SEARCH Artist" in answer["plan"][0]["detail"]
    error = studio.ask("sql", 400, sql="SELECT nmae FROM Artist")
    assert (error["message"], error["offset"]) == ("no such column: nmae", 7)
    assert studio.ask("sql", 400, sql="BEGIN")["code"] == "transaction"
    assert "parameter" in studio.ask("sql", 400, sql="SELECT ?")["message"]
    trigger = "AFTER UPDATE ON Artist BEGIN UPDATE Album SET Title = '' WHERE ArtistId = new.ArtistId; END"
    assert studio.ask("sql", sql=f"CREATE TRIGGER a {trigger}")["changes"] == 0
    assert studio.ask("sql", sql="UPDATE Artist SET Name = 'x' WHERE ArtistId < 4")["changes"] == 3
    assert studio.ask("sql", sql="SELECT * FROM Track")["isCut"]


def test_a_statement_stops_when_its_browser_goes(start: Start, chinook: Path) -> None:
    import socket

    studio = start(chinook)
    endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    body = json.dumps({"file": 0, "sql": endless, "seconds": 600}).encode()
    head = f"POST {studio.base}/api/sql HTTP/1.1\r\nHost: {studio.host}\r\nCookie: {studio.cookie}\r\n"
    head += "Content-Type: application/json\r\n"
    connection = socket.create_connection(("127.0.0.1", studio.port))
    connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    time.sleep(0.5)

    def used() -> int:
        fields = Path(f"/proc/{studio.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    begin = used()
    time.sleep(0.5)
    assert used() - begin > 3
    connection.close()
    time.sleep(0.5)
    begin = used()
    time.sleep(0.5)
    assert used() - begin < 3
    assert page(studio, "Artist", ["Name"], {"start": True})["rows"]


def test_export(start: Start, chinook: Path) -> None:
    studio = start(chinook)
    query = {
        "file": 0,
        "table": "Artist",
        "columns": ["ArtistId", "Name"],
        "filters": [{"c": "Name", "op": "starts", "v": "A"}],
        "sort": [{"c": "Name", "d": True}],
    }

    def export(format: str) -> str:
        status, headers, body = studio.request("GET", "/api/export?q=" + quote(json.dumps(query | {"format": format})))
        assert status == 200
        assert headers["content-disposition"].startswith("attachment")
        return body.decode()

    wanted = (
        sqlite3.connect(chinook)
        .execute("SELECT ArtistId, Name FROM Artist WHERE Name LIKE 'A%' ORDER BY Name DESC, ArtistId DESC")
        .fetchall()
    )
    assert [(int(row[0]), row[1]) for row in list(csv.reader(io.StringIO(export("csv"))))[1:]] == wanted
    assert [tuple(row.values()) for row in json.loads(export("json"))] == wanted
    copy = sqlite3.connect(":memory:")
    copy.execute("CREATE TABLE Artist (ArtistId, Name)")
    copy.executescript(export("sql"))
    assert copy.execute("SELECT * FROM Artist").fetchall() == wanted


def test_commits_of_others_are_told(start: Start, chinook: Path) -> None:
    import socket

    studio = start(chinook)
    listener = socket.create_connection(("127.0.0.1", studio.port), timeout=5)
    listener.sendall(
        f"GET {studio.base}/api/events HTTP/1.1\r\nHost: {studio.host}\r\nCookie: {studio.cookie}\r\n\r\n".encode()
    )
    time.sleep(0.3)
    listener.recv(65536)
    make(chinook, "UPDATE Artist SET Name = 'x' WHERE ArtistId = 1")
    begin = time.monotonic()
    assert b'"commits":1' in listener.recv(4096)
    assert time.monotonic() - begin < 1


def test_checks_and_the_plan_of_a_migration(start: Start, tmp_path: Path) -> None:
    path = make(
        tmp_path / "a.db",
        "CREATE TABLE p (id INTEGER PRIMARY KEY);"
        "CREATE TABLE c (id INTEGER PRIMARY KEY, p INTEGER REFERENCES p (id), old TEXT);"
        "INSERT INTO c VALUES (1, 7, 'kept');",
    )
    (tmp_path / "new.sql").write_text(
        "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (id INTEGER PRIMARY KEY, p INTEGER REFERENCES p (id));"
    )
    studio = start(path, "--write", "--schema", "new.sql")
    findings = studio.ask("check")["findings"]
    assert {finding["check"] for finding in findings} == {"foreign_keys", "indexes"}
    assert studio.ask("inspect")["file"]["page_size"] == 4096
    target = studio.ask("target")
    assert target["drops"] == ["c.old"]
    assert studio.ask("migrate", 400)["code"] == "migration"
    assert "lose" in studio.ask("migrate", 400, drops=["c.old"])["message"]
    losses = studio.ask("target", drops=["c.old"])["losses"]
    assert losses == ['1 value of "c.old"'] or losses
    assert sqlite3.connect(path).execute("SELECT old FROM c").fetchone() == ("kept",)
    assert studio.ask("migrate", drops=["c.old"], losses=losses)["applied"]
    assert [row[1] for row in sqlite3.connect(path).execute("PRAGMA table_info(c)")] == ["id", "p"]
    assert studio.ask("target")["plan"]["steps"] == []


def test_the_steps_of_a_bundle(start: Start, tmp_path: Path) -> None:
    (tmp_path / "one.sql").write_text("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)")
    (tmp_path / "two.sql").write_text("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT)")
    for arguments in (
        ["generate-migration", "steps", "one", "one.sql"],
        ["generate-migration", "steps", "two", "two.sql"],
    ):
        subprocess.run([str(COMMAND), *arguments], cwd=tmp_path, env=ENVIRONMENT, check=True, timeout=60)
    migrate = [str(COMMAND), "migrate", "a.db", "steps", "--create", "--to", "0001_one"]
    subprocess.run(migrate, cwd=tmp_path, env=ENVIRONMENT, check=True, timeout=60)
    studio = start(tmp_path / "a.db", "--write", "--bundle", "steps")
    target = studio.ask("target")
    assert [(step["id"], step["state"]) for step in target["steps"]] == [
        ("0001_one", "applied"),
        ("0002_two", "pending"),
    ]
    assert "ADD COLUMN" in target["pending"][0]["sql"].upper()
    assert studio.ask("migrate", losses=[]) == {"applied": ["0002_two"]}
    assert {step["state"] for step in studio.ask("target")["steps"]} == {"applied"}


def test_an_encrypted_file_asks_for_its_key(start: Start, tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", "CREATE TABLE t (x); INSERT INTO t VALUES ('secret');")
    subprocess.run(
        [str(COMMAND), "encrypt", str(path)], env=ENVIRONMENT | {"CORM_KEY": "correct horse"}, check=True, timeout=60
    )
    studio = start(path)
    assert studio.ask("schema", 423)["code"] == "keyMissing"
    assert studio.ask("unlock", 423, key="wrong")["code"] == "wrongKey"
    assert studio.ask("unlock", key="correct horse") == {"isLocked": False}
    assert page(studio, "t", ["x"], {"start": True})["rows"][0]["c"] == ["secret"]
    given = start(path, CORM_KEY="correct horse")
    assert page(given, "t", ["x"], {"start": True})["rows"][0]["c"] == ["secret"]


def test_key_value_stores(start: Start, tmp_path: Path) -> None:
    for name, key, value in (("settings", "theme", "dark"), ("settings", "size", "2"), ("cache", "a", "b")):
        subprocess.run(
            [str(COMMAND), "kv", "put", "a.db", name, key, value], cwd=tmp_path, env=ENVIRONMENT, check=True, timeout=60
        )
    studio = start(tmp_path / "a.db", "--write")
    assert studio.ask("stores") == {"stores": ["cache", "settings"]}
    entries = studio.ask("entries", store="settings")["entries"]
    assert [(entry["key"], entry["value"]) for entry in entries] == [("size", "2"), ("theme", "dark")]
    assert studio.ask("entries", store="settings", prefix="th")["entries"][0]["key"] == "theme"
    version = entries[1]["version"]
    assert studio.ask("put", store="settings", key="theme", version=version, value="light")["entry"]["value"] == "light"
    assert studio.ask("put", 400, store="settings", key="theme", version=version, value="x")["code"] == "conflict"


def test_several_files(start: Start, chinook: Path, tmp_path: Path) -> None:
    studio = start(chinook, make(tmp_path / "b.db", "CREATE TABLE t (x); INSERT INTO t VALUES (5)"))
    names = [file["name"] for file in json.loads(studio.request("GET", "/api/files")[2])["files"]]
    assert names == ["chinook.sqlite", "b.db"]
    assert studio.ask("rows", file=1, table="t", columns=["x"], **{"from": {"start": True}})["rows"][0]["c"] == [5]


def test_what_others_write_is_seen_after_a_write_of_ours(start: Start, chinook: Path) -> None:
    """The locks that keep the log stay, whatever is opened later."""
    studio = start(chinook, "--write")
    edits = [{"kind": "update", "table": "Artist", "key": [1], "old": {"Name": "AC/DC"}, "new": {"Name": "ours"}}]
    for _ in range(2):
        studio.ask("sql", sql="SELECT 1")
        make(chinook, "UPDATE Artist SET Name = 'AC/DC' WHERE ArtistId = 1")
        studio.ask("apply", edits=edits)
        make(chinook, "UPDATE Artist SET Name = 'theirs' WHERE ArtistId = 1")
        assert page(studio, "Artist", ["Name"], {"start": True})["rows"][0]["c"] == ["theirs"]

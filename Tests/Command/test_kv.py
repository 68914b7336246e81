"""corm kv."""

from __future__ import annotations

from command_runs import Corm, rows
from running import make


def test_put_get_delete(corm: Corm) -> None:
    corm.run("kv", "put", "a.db", "settings", "theme", "dark")
    assert corm.run("kv", "get", "a.db", "settings", "theme").out == "dark\n"
    corm.run("kv", "put", "a.db", "settings", "theme", "-", stdin="two\nlines")
    assert corm.run("kv", "get", "a.db", "settings", "theme").out == "two\nlines\n"
    assert corm.fails("kv", "get", "a.db", "Settings", "theme").startswith('corm: the store "Settings" has no key')
    corm.run("kv", "delete", "a.db", "settings", "theme")
    assert "has no key" in corm.fails("kv", "delete", "a.db", "settings", "theme")
    assert "there is no file" in corm.fails("kv", "get", "b.db", "settings", "theme")
    assert "there is no file" in corm.fails("kv", "delete", "b.db", "settings", "theme")


def test_json(corm: Corm) -> None:
    corm.run("kv", "put", "a.db", "s", "k", '{"a": [1]}', "--json")
    entry = corm.run("kv", "get", "a.db", "s", "k", "--json").json
    assert entry["value"] == {"a": [1]}
    assert entry["created"] == entry["updated"]
    assert entry["expires"] is None
    assert "is no JSON" in corm.fails("kv", "put", "a.db", "s", "k", "{", "--json")
    assert "is no JSON" in corm.fails("kv", "put", "new.db", "s", "k", "{", "--json")
    assert not (corm.folder / "new.db").exists()
    corm.run("kv", "put", "a.db", "s", "t", '{"a": [1]}')
    listed = corm.run("kv", "list", "a.db", "s", "--json").json
    assert [entry["value"] for entry in listed] == [{"a": [1]}, '{"a": [1]}']


def test_list(corm: Corm) -> None:
    assert corm.run("kv", "put", "a.db", "s", "b", "1").out == ""
    for number in range(5):
        corm.run("kv", "put", "a.db", "s", f"a\n{number}", "\x1b[31mred")
    lines = corm.run("kv", "list", "a.db", "s").out.splitlines()
    assert len(lines) == 6
    assert lines[-1] == "b\t1"
    assert "\x1b" not in lines[0]
    assert len(corm.run("kv", "list", "a.db", "s", "--prefix", "a").out.splitlines()) == 5
    assert corm.run("kv", "list", "a.db", "s", "--prefix", "x", "--json").json == []
    assert corm.run("kv", "list", "a.db", "other").out == ""


def test_what_expires(corm: Corm) -> None:
    corm.run("kv", "put", "a.db", "s", "k", "1", "--expires", "3600")
    assert corm.run("kv", "get", "a.db", "s", "k", "--json").json["expires"] > 1_700_000_000_000
    corm.run("kv", "put", "a.db", "s", "gone", "1", "--expires", "0.001")
    assert "has no key" in corm.fails("kv", "get", "a.db", "s", "gone")
    for seconds in ("0", "-1", "nan", "1e300"):
        assert "cannot live" in corm.fails("kv", "put", "a.db", "s", "k", "1", f"--expires={seconds}")


def test_another_programs_table(corm: Corm) -> None:
    path = make(corm.folder / "a.db", "CREATE TABLE corm_key_value (x)")
    assert "another program's" in corm.fails("kv", "list", "a.db", "s")
    assert "another program's" in corm.fails("kv", "put", "a.db", "s", "k", "1")
    assert rows(path, "SELECT count(*) FROM corm_key_value") == [(0,)]

"""corm import: what is rejected, what fails as a whole, what is interrupted."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import time

import pytest
from command_runs import Corm, everything, put
from running import make

# --- Rejected records ---


def test_a_line_that_is_rejected_is_so_to_its_end(corm: Corm) -> None:
    """Where the end is not read yet, the rest was a record of its own."""
    count = 262144 // 4 - 5
    put(corm, "t.csv", b"name,n\n" + b"a,1\n" * count + b'5" a long pipe that lies over the end of a block,12\nb,2\n')
    result = corm.run("import", "a.db", "t.csv", status=2)
    assert result.out == f"{count + 1} rows imported, 1 rejected\n"
    assert f"line {count + 2}: " in result.err
    assert everything(corm, "t")[-2:] == [("a", 1), ("b", 2)]


def test_the_keys_of_a_rejected_record_are_no_columns(corm: Corm) -> None:
    for name, bad in (
        ("a", '{"a": 2, "b": tru}'),
        ("b", '{"A": tru}'),
        ("c", '{"": 1, "c": 2} x'),
        ("d", '{"e": 1, "e": 1}'),
    ):
        put(corm, "t.ndjson", f'{{"a": 1}}\n{bad}\n{{"a": 3}}\n'.encode())
        assert corm.run("import", f"{name}.db", "t.ndjson", status=2).out == "2 rows imported, 1 rejected\n"
        assert everything(corm, "t", f"{name}.db") == [(1,), (3,)]


def test_a_first_record_without_titles_says_how_many_fields_there_are(corm: Corm) -> None:
    put(corm, "t.csv", b'5" pipe,12\na,2\n')
    make(corm.folder / "b.db", "CREATE TABLE t (name TEXT, n INTEGER)")
    for name in ("a", "b"):
        err = corm.run("import", f"{name}.db", "t.csv", "--no-header", status=1).err
        assert "the first record is no CSV: field 1 has a quote and does not begin with one" in err
    assert not (corm.folder / "a.db").exists()


def test_records_that_do_not_fit_are_left_out_and_told(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER CHECK (n > 0), name TEXT)")
    put(
        corm,
        "t.csv",
        b'id,n,name\n1,1,a\n1,2,twice\n2,x,b\n3,-1,c\n4,1\n5,1,a,b\n6,1,"x" y\n7,1,a"b\n8,1,\xff\n9,1.5,z\n'
        b'99999999999999999999,1,z\n10,2,"two\nlines"\n11,1,"never closed\n12,3,last\n',
    )
    result = corm.run("import", "a.db", "t.csv", "--rejects", "bad.csv", status=2)
    assert result.out == "3 rows imported, 11 rejected\n"
    assert everything(corm, "t") == [(1, 1, "a"), (10, 2, "two\nlines"), (12, 3, "last")]
    lines = result.err.splitlines()
    assert lines[0].startswith("rejected: line 3: UNIQUE constraint failed: t.id")
    assert lines[-1] == "and 1 more"
    told = list(csv.DictReader((corm.folder / "bad.csv").open(newline="")))
    assert [int(one["line"]) for one in told] == [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15]
    assert told[0]["record"] == "1,2,twice"
    assert "is no integer" in told[1]["reason"]
    assert "CHECK" in told[2]["reason"]
    assert told[3]["reason"] == "it has 2 fields where 3 are wanted"
    assert told[5]["record"] == '6,1,"x" y'
    assert told[7]["reason"] == "it is not UTF-8"
    assert "never closed" in told[10]["reason"]


def test_csv_that_is_no_csv_of_ours(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (a TEXT, b TEXT)")
    for data in ["a,b\nx,y\n".encode("utf-16"), "x,y\n".encode("utf-16-le"), "x,y\n".encode("utf-16-be")]:
        put(corm, "t.csv", data)
        assert "the data is UTF-16" in corm.fails("import", "a.db", "t.csv", "--no-header")
    # Lines that end as on old Macs.
    put(corm, "t.csv", "a,b\rx,y\r")
    assert "carriage return" in corm.fails("import", "a.db", "t.csv")
    put(corm, "t.csv", "a,b\r\nx,y\r1,2\r\n1,2\r\n")
    assert "carriage return" in corm.run("import", "a.db", "t.csv", status=2).err
    assert everything(corm, "t") == [("1", "2")]
    put(corm, "t.csv", "a,b\0\n1,2\n")
    assert "column 2 holds a NUL" in corm.fails("import", "new.db", "t.csv")


def test_the_lines_of_a_field_that_is_too_long_are_no_records(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (a, b)")
    put(corm, "t.csv", 'a,b\n1,"' + "x,y\n" * 17_000_000 + '"\n')
    assert "the record in line 2 is longer than 64 MB" in corm.fails("import", "a.db", "t.csv")
    put(corm, "t.json", '[{"a": 1},\n{"a": "' + "x,y " * 17_000_000 + '"}]')
    assert "the record in line 2 is longer than 64 MB" in corm.fails("import", "a.db", "t.json")
    assert everything(corm, "t") == []


def test_lines_that_are_no_object_are_rejected(corm: Corm) -> None:
    put(corm, "t.ndjson", '{"a": 1}\n[1]\n{"a": 2\n{"a": 3} x\n{"a": 1, "a": 2}\n{"a": 4}\n')
    result = corm.run("import", "a.db", "t.ndjson", "--json", status=2)
    assert result.json == {"table": "t", "imported": 2, "rejected": 4}
    assert everything(corm, "t") == [(1,), (4,)]


def test_unknown_keys_are_rejected(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (a)")
    put(corm, "t.json", '[{"a": 1}, {"a": 2, "b": 3}, 5]')
    assert 'no column "b"' in corm.run("import", "a.db", "t.json", status=2).err
    assert everything(corm, "t") == [(1,)]


def test_a_broken_foreign_key_rejects_its_record(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE t (p REFERENCES p)")
    put(corm, "t.csv", "p\n1\n")
    assert "FOREIGN KEY" in corm.run("import", "a.db", "t.csv", status=2).err


# --- What fails as a whole leaves the file as it was ---


@pytest.mark.parametrize(
    "text", ['[{"a": 1}, {"a": 2', '[{"a": 1}, {"a": tru', '[{"a": 1} {"a": 2}]', '{"a": 1}', "[1] x", ""]
)
def test_json_that_is_cut_or_broken_imports_nothing(corm: Corm, text: str) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (a)")
    put(corm, "t.json", text)
    assert "the document is no JSON" in corm.fails("import", "a.db", "t.json", "--rejects", "bad.csv")
    assert everything(corm, "t") == []
    assert "no JSON" in corm.fails("import", "new.db", "t.json")
    assert sorted(os.listdir(corm.folder)) == ["a.db", "t.json"]


def test_what_cannot_be_read_or_written(corm: Corm) -> None:
    put(corm, "t.csv", "a\n1\n")
    put(corm, "empty.csv", "")
    put(corm, "wide.csv", "a,b\n1,2\n".encode("utf-16"))
    assert "nothing to import" in corm.fails("import", "a.db", "empty.csv")
    assert "UTF-16" in corm.fails("import", "a.db", "wide.csv")
    assert "written over" in corm.fails("import", "a.db", "t.csv", "--rejects", "t.csv")
    assert "written over" in corm.fails("import", "new.db", "t.csv", "--rejects", "./new.db")
    assert "cannot be opened" in corm.fails("import", "a.db", "missing.csv")
    assert "folder" in corm.fails("import", "a.db", ".", "--format", "csv", "--table", "t")
    assert "folder" in corm.fails("import", "a.db", "t.csv", "--rejects", "no/such/file")
    assert "--format" in corm.fails("import", "a.db", "-", status=64)
    assert "--table" in corm.fails("import", "a.db", "-", "--format", "csv", status=64)
    assert "no SQLite database" in corm.fails("import", "t.csv", "t.csv")
    assert sorted(os.listdir(corm.folder)) == ["empty.csv", "t.csv", "wide.csv"]


def test_a_trigger_that_rolls_back_fails_the_import(corm: Corm) -> None:
    script = (
        "CREATE TABLE t (a); CREATE TRIGGER r BEFORE INSERT ON t WHEN new.a = 3 BEGIN SELECT raise(ROLLBACK, 'no'); END"
    )
    make(corm.folder / "a.db", script)
    put(corm, "t.csv", "a\n1\n2\n3\n4\n")
    assert "line 4: no" in corm.fails("import", "a.db", "t.csv")
    assert everything(corm, "t") == []


def test_a_report_that_finds_no_room_fails_the_import(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (a INTEGER)")
    put(corm, "t.csv", "a\n1\nx\n")
    assert "cannot be written" in corm.fails("import", "a.db", "t.csv", "--rejects", "/dev/full")
    assert everything(corm, "t") == []


def test_a_failed_import_takes_no_file_away_that_another_made(corm: Corm) -> None:
    put(corm, "t.csv", "a\n" + "1\n" * 2000)
    for round in range(20):
        name = f"{round}.db"
        failing = corm.start("import", name, "t.csv", "--table", "sqlite_t")
        other = corm.start("import", name, "t.csv")
        assert b"reserved" in failing.communicate(timeout=20)[1]
        _, err = other.communicate(timeout=20)
        # Either it says that the file is gone, or the rows are there.
        assert (other.returncode == 0) != bool(err)
        if other.returncode == 0:
            assert len(everything(corm, "t", name)) == 2000


def slow_import(corm: Corm, *arguments: str) -> subprocess.Popen[bytes]:
    """An import that waits for more of its data."""
    import_ = corm.start("import", "a.db", "-", "--format", "csv", "--table", "t", *arguments, TMPDIR=str(corm.folder))
    assert import_.stdin is not None
    import_.stdin.write(b"a\n" + b"1\n" * 200_000)
    import_.stdin.flush()
    time.sleep(0.5)
    return import_


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("is_new", [True, False])
def test_an_interrupted_import_leaves_nothing(corm: Corm, number: int, is_new: bool) -> None:
    if not is_new:
        make(corm.folder / "a.db", "CREATE TABLE t (a)")
    import_ = slow_import(corm, "--rejects", "bad.csv")
    import_.send_signal(number)
    # While it waits: its standard input stays open.
    assert import_.wait(timeout=20) == 130
    _, err = import_.communicate()
    assert err.decode() == "corm: interrupted\n"
    assert os.listdir(corm.folder) == ([] if is_new else ["a.db"])
    if not is_new:
        assert everything(corm, "t") == []


def test_a_killed_import_leaves_the_file_as_it_was(corm: Corm) -> None:
    make(corm.folder / "a.db", "CREATE TABLE t (a); INSERT INTO t VALUES ('mine')")
    import_ = slow_import(corm)
    import_.kill()
    import_.communicate()
    assert everything(corm, "t") == [("mine",)]


def test_progress_is_shown_on_a_terminal(corm: Corm) -> None:
    put(corm, "t.csv", "a,b,c\n" + "12345,some text that is not short,0.125\n" * 400_000)
    shown = corm.terminal("import", "a.db", "t.csv")
    assert "importing, " in shown
    assert shown.endswith("400000 rows imported\n")
    assert "importing" not in corm.run("import", "a.db", "t.csv").err


def test_ctrl_c_on_a_terminal(corm: Corm) -> None:
    put(corm, "t.csv", "a,b,c\n" + "12345,some text that is not short,0.125\n" * 1_000_000)
    make(corm.folder / "a.db", "CREATE TABLE t (a, b, c)")
    shown = corm.terminal("import", "a.db", "t.csv", status=130, interrupt=lambda text: "importing" in text)
    assert "interrupted" in shown
    assert everything(corm, "t") == []

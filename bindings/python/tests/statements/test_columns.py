"""Results as columns, for pyarrow, polars and numpy where they are installed, and as JSON."""

from __future__ import annotations

import gc
import importlib
import json
import resource
import uuid
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from models import Entry, Everything, Person

import cormorant
from cormorant import Database

MANY = (
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 69999) "
    "SELECT i, i * 0.5 AS half, nullif(i % 3, 0) AS rest, 'text ' || i AS t FROM n"
)


def installed(name: str) -> Any:
    return pytest.importorskip(name, reason=f"{name} is not installed")


def test_a_result_as_a_table_of_pyarrow(db: Database) -> None:
    pyarrow = installed("pyarrow")
    table = pyarrow.table(db.query(MANY))
    assert [str(field.type) for field in table.schema] == ["int64", "double", "int64", "string"]
    assert table.column("i").num_chunks == 2
    table.validate(full=True)
    assert table.slice(69_998).to_pylist() == [
        {"i": 69_998, "half": 34_999.0, "rest": 2, "t": "text 69998"},
        {"i": 69_999, "half": 34_999.5, "rest": None, "t": "text 69999"},
    ]


def test_a_result_as_a_frame_of_polars(db: Database) -> None:
    polars = installed("polars")
    frame = polars.DataFrame(db.query(MANY))
    assert frame.columns == ["i", "half", "rest", "t"]
    assert frame.shape == (70_000, 4)
    assert frame.row(69_999) == (69_999, 34_999.5, None, "text 69999")


def test_a_result_as_a_frame_of_pandas(db: Database) -> None:
    pandas = installed("pandas")
    installed("pyarrow")
    frame = pandas.DataFrame.from_arrow(db.query(MANY))
    assert list(frame.columns) == ["i", "half", "rest", "t"]
    assert frame.iloc[69_999]["t"] == "text 69999"


def test_columns_as_numpy_arrays(db: Database) -> None:
    numpy = installed("numpy")
    arrays = db.query(MANY).numpy()
    assert {name: str(array.dtype) for name, array in arrays.items()} == {
        "i": "int64", "half": "float64", "rest": "int64", "t": "object",
    }  # fmt: skip
    assert (arrays["i"] == numpy.arange(70_000)).all()
    assert (arrays["half"] == numpy.arange(70_000) * 0.5).all()
    assert arrays["rest"][1:4].tolist() == [1, 2, None]
    assert arrays["rest"].count() == 70_000 - 23_334
    assert arrays["t"][[0, 65_536, 69_999]].tolist() == ["text 0", "text 65536", "text 69999"]


def test_texts_and_blobs_are_not_left_out_of_numpy(db: Database) -> None:
    installed("numpy")
    token, moment = uuid.uuid4(), datetime(2024, 1, 1, 6, 30, tzinfo=timezone.utc)
    db.insert_many(
        [
            Everything(text="é\0", data=b"\0\xff", token=token, amount=Decimal("1.50"), extra=[1], moment=moment),
            Everything(text="", data=b""),
            Everything(),
        ]
    )
    arrays = db.cursor(Everything).numpy()
    assert list(arrays) == [item.name for item in Everything.__model__.columns]
    assert arrays["text"].tolist() == ["é\0", "", None]
    assert arrays["data"].tolist() == [b"\0\xff", b"", None]
    assert arrays["token"].tolist() == [str(token), None, None]
    assert arrays["amount"].tolist() == ["1.50", None, None]
    assert arrays["extra"].tolist() == ["[1]", None, None]
    nulls = db.query("SELECT NULL AS a UNION ALL SELECT NULL").numpy()
    assert nulls["a"].tolist() == [None, None]
    with pytest.raises(cormorant.ProgrammingError, match="two columns are called 'a'"):
        db.query("SELECT 1 AS a, 2 AS a").numpy()


def test_records_as_json_are_what_write_json_writes(db: Database) -> None:
    """Mended: truth values came as 1, JSON as a text in a text"""
    moment = datetime(2024, 1, 1, 6, 30, 0, 123456, tzinfo=timezone.utc)
    records = [Everything(flag=True, extra={"a": [1]}, moment=moment, data=b"x"), Everything(flag=False)]
    db.insert_many(records)
    text = db.cursor(Everything).json()
    assert text == cormorant.write_json(db.fetch_all(Everything))
    assert json.loads(text)[0]["flag"] is True
    assert db.cursor(Person).json() == "[]"
    db.insert_many(Person(f"n{n}") for n in range(2_500))
    assert [item["name"] for item in json.loads(db.cursor(Person, order_by="id").json())] == [
        f"n{n}" for n in range(2_500)
    ]


def test_a_stream_is_had_again_while_nobody_has_read_from_it(db: Database) -> None:
    """Mended: duckdb looks at the schema first"""
    pyarrow = installed("pyarrow")
    result = db.query(MANY)
    first = pyarrow.RecordBatchReader.from_stream(result)
    assert first.schema.names == ["i", "half", "rest", "t"]
    again = pyarrow.RecordBatchReader.from_stream(result)
    with pytest.raises(pyarrow.ArrowInvalid, match="given out again"):
        first.read_all()
    assert again.read_next_batch().num_rows == 65_536
    with pytest.raises(cormorant.ProgrammingError, match="were read"):
        result.__arrow_c_stream__()
    result.close()
    del result
    assert again.read_all().num_rows == 70_000 - 65_536


def test_duckdb_reads_a_result_by_its_name(db: Database) -> None:
    duckdb = installed("duckdb")
    db.insert_many(Person(f"n{n}", n) for n in range(10))
    people = db.cursor(Person)
    assert duckdb.connect().sql("SELECT sum(age) FROM people").fetchall() == [(45,)]
    assert people is not None


def test_a_frame_without_names_is_refused_unless_rows_are_asked_for(db: Database) -> None:
    """Mended: of records it had one column, of tuples columns without names"""
    db.insert_many(Person(f"n{n}", n) for n in range(10))
    with pytest.raises(cormorant.ProgrammingError, match="from_arrow"):
        db.cursor(Person).__array__()
    for result in (db.query("SELECT 1").dicts(), db.cursor(Person).tuples(), db.cursor(Person).dicts()):
        assert not hasattr(result, "__array__")
    pandas = installed("pandas")
    with pytest.raises(cormorant.ProgrammingError, match="from_arrow"):
        pandas.DataFrame(db.cursor(Person))
    with pytest.raises(cormorant.ProgrammingError, match="from_arrow"):
        pandas.DataFrame(db.query("SELECT name, age FROM people"))
    assert pandas.DataFrame(db.cursor(Person).tuples()).shape == (10, 5)
    assert list(pandas.DataFrame(db.cursor(Person).dicts()).columns)[1] == "name"


def test_every_numeric_type_and_null_in_numpy(db: Database) -> None:
    numpy = installed("numpy")
    db.execute("CREATE TABLE t (a INTEGER, b BOOLEAN, c REAL, d TIMESTAMP, e TEXT)")
    assert {name: array.shape for name, array in db.query("SELECT * FROM t").numpy().items()} == dict.fromkeys(
        "abcde", (0,)
    )
    db.execute(
        "INSERT INTO t VALUES (1, 1, 0.5, '1970-01-01 00:00:01', 'x'), (NULL, NULL, NULL, NULL, NULL), "
        "(3, 0, 2, '1970-01-02 00:00:00', '')"
    )
    arrays = db.query("SELECT * FROM t").numpy()
    assert arrays["a"].tolist() == [1, None, 3]
    assert arrays["b"].tolist() == [True, None, False]
    assert numpy.array_equal(arrays["c"], [0.5, numpy.nan, 2.0], equal_nan=True)
    assert arrays["d"].tolist() == [datetime(1970, 1, 1, 0, 0, 1), None, datetime(1970, 1, 2)]
    assert db.query("SELECT a FROM t WHERE a = 1").numpy()["a"].dtype == "int64"


def test_numpy_arrays_keep_their_memory(path: Path) -> None:
    installed("numpy")
    with Database(path) as database:
        array = database.query("SELECT 7 AS n UNION ALL SELECT 8").numpy()["n"]
    gc.collect()
    assert array.tolist() == [7, 8]


def test_numpy_that_is_missing_says_how_to_install_it(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    result = db.query("SELECT 1 AS n")
    with pytest.raises(ImportError, match="pip install numpy"):
        result.numpy()
    assert result.fetch_all() == [(1,)]


def test_a_value_of_another_type_is_named(db: Database) -> None:
    with pytest.raises(cormorant.DataError, match='row 2 has text in column "n"') as caught:
        db.query("SELECT column1 AS n FROM (VALUES (1), (2), ('three'))").__arrow_c_stream__()
    assert caught.value.code == "CORM_E_TYPE"
    installed("numpy")
    with pytest.raises(cormorant.DataError, match="row 65536 has a real"):
        db.query(
            "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 65536) "
            "SELECT CASE i WHEN 65536 THEN 0.5 ELSE i END FROM n"
        ).numpy()


def test_a_result_is_given_out_once_and_before_it_is_read(db: Database) -> None:
    result = db.query(MANY)
    assert result.fetch_one() == (0, 0.0, None, "text 0")
    with pytest.raises(cormorant.ProgrammingError, match="were read"):
        result.__arrow_c_stream__()
    result = db.query("SELECT 1")
    assert type(result.__arrow_c_stream__()).__name__ == "PyCapsule"
    for use in (result.numpy, result.json, result.fetch_one, result.fetch_all, lambda: list(result)):
        with pytest.raises(cormorant.ProgrammingError, match="given out"):
            use()
    result.close()
    given = db.query("SELECT 1")
    assert given.dicts().fetch_all() == [{"1": 1}]
    with pytest.raises(cormorant.ProgrammingError, match="given out"):
        given.fetch_all()


LATE = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 70000) "
    "SELECT iif(i < 70000, i, 'x') AS a FROM n"
)


def test_an_error_after_the_first_batch_is_raised(db: Database, capfd: pytest.CaptureFixture[str]) -> None:
    pyarrow = installed("pyarrow")
    for _ in range(3):
        with pytest.raises(pyarrow.ArrowInvalid, match="CORM_E_TYPE: row 69999 has text"):
            pyarrow.table(db.query(LATE))
    assert capfd.readouterr().err == ""


def test_a_capsule_that_goes_while_an_exception_is_raised(db: Database) -> None:
    # The call drops it, its only holder, when it has raised.
    with pytest.raises(TypeError, match="PyCapsule"):
        int(db.query("SELECT 1").__arrow_c_stream__())  # type: ignore[call-overload]


def test_a_capsule_that_nobody_takes_ends_its_statement(db: Database) -> None:
    db.execute("CREATE TABLE t (n)")
    db.execute_many("INSERT INTO t VALUES (?)", [(n,) for n in range(70_000)])
    capsule = db.query("SELECT n FROM t").__arrow_c_stream__()
    with pytest.raises(cormorant.OperationalError):
        db.execute("DROP TABLE t")
    del capsule
    db.execute("DROP TABLE t")


def test_streams_do_not_leak(db: Database) -> None:
    installed("numpy")

    def use(times: int) -> None:
        for _ in range(times):
            db.query(MANY.replace("69999", "20000")).numpy()
            db.query(MANY.replace("69999", "20000")).__arrow_c_stream__()

    use(3)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    use(12)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8_000


def test_records_as_json_have_their_properties(db: Database) -> None:
    db.insert(Entry(text="first"))
    [record] = json.loads(db.cursor(Entry).json())
    assert list(record) == list(db.cursor(Entry).columns)
    assert record["text"] == "first"
    assert json.loads(db.cursor(Person).json()) == []

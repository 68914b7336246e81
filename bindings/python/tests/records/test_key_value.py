"""Key-value stores: a dict in the file."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

import cormorant
from cormorant import BusyError, Database, Store

VALUES: list[Any] = [
    None, 0, -(2**63), 2**63 - 1, 0.0, 2.0, float("inf"), "", "a\0b", "é\U0001f600", b"", b"\0\xff", True, False, [],
    {}, {"a": [1, 2.5, None, {"b": "\0"}]}, "[1]",
]  # fmt: skip


@pytest.fixture
def store(db: Database) -> Store:
    return db.store("settings")


def refused(code: str, call: Callable[[], object]) -> cormorant.Error:
    with pytest.raises(cormorant.Error) as caught:
        call()
    assert caught.value.code == code, caught.value
    assert "\n" not in caught.value.message
    return caught.value


def test_values_come_back_as_they_went_in(store: Store) -> None:
    for index, value in enumerate(VALUES):
        store[f"k{index}"] = value
    for index, value in enumerate(VALUES):
        found = store[f"k{index}"]
        assert (type(found), found) == (type(value), value)
    assert [value for _, value in sorted(store.items(), key=lambda item: int(item[0][1:]))] == VALUES
    assert len(list(store.values())) == len(VALUES)


def test_it_is_a_dict(store: Store) -> None:
    assert not store
    assert store.get("a", 5) == 5
    with pytest.raises(KeyError):
        store["a"]
    with pytest.raises(KeyError):
        del store["a"]
    store.update({"b": 1}, a=2)
    store.update([("c", 3)])
    assert dict(store) == {"a": 2, "b": 1, "c": 3}
    assert store.pop("a") == 2
    assert store.setdefault("b", 7) == 1
    assert "b" in store
    other: Any = 5
    assert other not in store
    assert len(store) == 2
    del store["b"]
    store.clear()
    assert list(store) == []


def test_keys_and_values_that_no_store_holds(store: Store) -> None:
    for value, code in (
        (2**63, "CORM_E_RANGE"), (float("nan"), "CORM_E_RANGE"), ("\ud800", "CORM_E_ENCODING"),
        ({1, 2}, "CORM_E_TYPE"), (object(), "CORM_E_TYPE"), ([float("nan")], "CORM_E_JSON"),
        ({"a": {1}}, "CORM_E_JSON"),
    ):  # fmt: skip
        refused(code, lambda value=value: store.put("k", value))  # type: ignore[misc]
    wrong: Any = 5
    for key, code in (("\ud800", "CORM_E_ENCODING"), (wrong, "CORM_E_TYPE")):
        refused(code, lambda key=key: store[key])  # type: ignore[misc]
        refused(code, lambda key=key: store.put(key, 1))  # type: ignore[misc]
    error = refused("CORM_E_RANGE", lambda: store.put_many([("a", 1), ("b", 2**63)]))
    assert error.record_index == 1
    error = refused("CORM_E_RANGE", lambda: store.put_many([("a", 1), ("b", float("nan"))]))
    assert (error.message, error.record_index) == ("the value is NaN, which cannot be stored", 1)
    assert refused("CORM_E_RANGE", lambda: store.put_many([("a", 2**63)])).record_index == 0
    assert refused("CORM_E_RANGE", lambda: store.put("a", 2**63)).record_index == -1
    assert not store


def test_what_expires_as_it_is_popped_is_not_there(store: Store) -> None:
    class Late(Store):
        """Whose entries expire as soon as they were seen."""

        def __contains__(self, key: object) -> bool:
            found = super().__contains__(key)
            self.clear()
            return found

        def __iter__(self) -> Iterator[str]:
            for key in super().__iter__():
                self.delete(key)
                yield key

    late = Late(store._database, store.name)
    store["a"] = 1
    assert late.pop("a", None) in (1, None)
    store.update(a=1, b=2)
    assert late.popitem() == ("a", 1)
    assert (dict(store), late.popitem(), dict(store)) == ({"b": 2}, ("b", 2), {})
    for empty in (late.popitem, lambda: late.pop("a")):
        with pytest.raises(KeyError):
            empty()
    assert late.pop("a", 5) == 5


def test_entries_may_go_and_come_while_iterating(store: Store) -> None:
    store.put_many({f"k{number:05}": number for number in range(3_000)})
    for key in store:
        del store[key]
        store[f"z{key}"] = 1
        if len(key) > 6:
            break
    assert len(store) == 3_000


@pytest.mark.parametrize(("lifetime", "wanted"), [(1e16, "less"), (math.inf, "less"), (-math.inf, "more"), (0, "more")])
def test_a_lifetime_that_cannot_be_is_told_what_it_is(store: Store, lifetime: float, wanted: str) -> None:
    error = refused("CORM_E_RANGE", lambda: store.put("k", 1, expires=lifetime))
    assert (error.hint or "").startswith(f"give {wanted}")


def test_expired_entries_are_never_seen(store: Store, db: Database) -> None:
    store.put("a", 1, expires=0.02)
    store.put("b", 2, expires=timedelta(hours=1))
    store.put("c", 3, expires=datetime(2000, 1, 1, tzinfo=timezone.utc))
    assert store.entry("b").expires > datetime.now(timezone.utc)  # type: ignore[union-attr, operator]
    assert "a" in store
    time.sleep(0.03)
    assert "a" not in store
    assert store.get("a") is None
    assert "c" not in store
    assert list(store) == ["b"]
    assert len(store) == 1
    assert store.delete("c") is False
    assert db.query("SELECT count(*) FROM corm_key_value").fetch_all() == [(2,)]
    assert store.purge() == 1
    assert db.query("SELECT count(*) FROM corm_key_value").fetch_all() == [(1,)]
    store["b"] = 3
    assert store.entry("b").expires is None  # type: ignore[union-attr]
    for bad in (0, -1, float("nan"), 1e300, timedelta(0)):
        refused("CORM_E_RANGE", lambda bad=bad: store.put("k", 1, expires=bad))  # type: ignore[misc]


def test_times(store: Store) -> None:
    before = datetime.now(timezone.utc) - timedelta(milliseconds=1)
    store["a"] = 1
    first = store.entry("a")
    assert first is not None
    assert before <= first.created == first.updated <= datetime.now(timezone.utc)
    time.sleep(0.003)
    store["a"] = 2
    second = store.entry("a")
    assert second is not None
    assert second.created == first.created < second.updated
    assert store.entry("b") is None


def test_a_closed_database(path: Path) -> None:
    with Database(path) as db:
        store = db.store("a")
        store.put_many({f"k{number:05}": number for number in range(1_500)})
        entries = store.scan()
        next(entries)
    assert not path.with_name(path.name + "-wal").exists()
    refused("CORM_E_MISUSE", lambda: store["k00000"])
    refused("CORM_E_MISUSE", lambda: store.put("k", 1))
    refused("CORM_E_MISUSE", lambda: list(entries))
    refused("CORM_E_MISUSE", lambda: db.store("a"))


def test_names_without_nul(db: Database) -> None:
    assert "the store's name holds a NUL" in refused("CORM_E_ENCODING", lambda: db.store("a\0b")).message
    assert "the table's name holds a NUL" in refused("CORM_E_ENCODING", lambda: db.store("a").adopt("t\0")).message


class Meddled(Store):
    """Another connection deletes what is asked for, behind the answer."""

    other: Store

    def __getitem__(self, key: str) -> Any:
        value = super().__getitem__(key)
        with contextlib.suppress(BusyError):
            self.other.delete(key)
        return value


def test_what_asks_and_writes_is_one_transaction(db: Database, path: Path) -> None:
    with Database(path, busy_timeout=0.01) as second:
        store, plain = Meddled(db, "s"), db.store("s")
        store.other = second.store("s")
        plain["k"] = 1
        assert store.pop("k") == 1
        plain["k"] = 2
        assert store.popitem() == ("k", 2)
        plain["k"] = 3
        assert store.setdefault("k", 4) == 3
        assert plain.setdefault("l", 5) == plain.pop("l") == 5
        assert dict(plain.items()) == {"k": 3}
        assert store.pop("l", None) is None
        with pytest.raises(KeyError, match="l"):
            store.pop("l")
        assert db.transaction_depth == 0


def test_what_only_reads_needs_no_transaction_of_its_own(db: Database, path: Path) -> None:
    store = db.store("s")
    store["k"] = 1
    with Database(path, busy_timeout=0.01) as second, second.transaction():
        # Nor the lock of who writes.
        assert (store.setdefault("k", 2), store.pop("l", None)) == (1, None)
        with pytest.raises(KeyError, match="l"):
            store.pop("l")
    with db.read():
        assert (store.setdefault("k", 2), store.pop("l", 3)) == (1, 3)
        with pytest.raises(KeyError):
            db.store("empty").popitem()
        with pytest.raises(cormorant.Error):
            store.pop("k")
    db.execute("BEGIN")
    assert (store.setdefault("k", 2), store.pop("l", 3), store.pop("k")) == (1, 3, 1)
    db.execute("ROLLBACK")
    db.execute("BEGIN")
    assert store.popitem() == ("k", 1)
    db.execute("COMMIT")
    assert dict(store) == {}
    with pytest.raises(cormorant.DataError, match="key"):
        store.pop(5)  # type: ignore[arg-type]


def test_a_shared_transaction_takes_an_entry_out(db: Database) -> None:
    with db.shared_transaction() as tx:
        store = tx.store("s")
        store["a"] = 1
        assert (store.pop("a"), store.setdefault("b", 2), store.popitem()) == (1, 2, ("b", 2))

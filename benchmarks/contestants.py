"""Who takes part, in what works, and with what budgets."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BUILT = ROOT / ".build" / "bench"


@dataclass(frozen=True)
class Work:
    """One thing to do. `native` is its name in the hand-written C, which also says what the right answer is."""

    name: str
    title: str
    native: str
    # "new": into an empty file. "read": from the filled file. "change": to a copy of the filled file.
    kind: str
    # How many operations, given the number of rows in the table.
    count: Callable[[int], int]


def _all(rows: int) -> int:
    return rows


def _half(rows: int) -> int:
    return rows // 2


def _quarter(rows: int) -> int:
    return rows // 4


def _few(rows: int) -> int:
    return max(rows // 100, 1)


WORKS = [
    Work("insert", "insert", "insert", "new", _all),
    Work("insert_objects", "insert objects", "insert", "new", _all),
    Work("insert_each", "insert, a call each", "insert", "new", _all),
    Work("autocommit", "insert, a commit each", "autocommit", "change", _few),
    Work("fetch", "fetch all", "fetch", "read", _all),
    Work("fetch_objects", "fetch all as objects", "fetch", "read", _all),
    Work("filter", "filter and order", "filter", "read", _all),
    Work("lookup", "lookup by key", "lookup", "read", _half),
    Work("lookup_transaction", "lookup in a transaction", "lookup_transaction", "read", _half),
    Work("update3", "update 3 columns, a call each", "update3", "change", _half),
    Work("update3_batch", "update 3 columns, batch", "update3", "change", _half),
    Work("update9", "update 9 columns, a call each", "update9", "change", _half),
    Work("save", "save, a call each", "update9", "change", _half),
    Work("update9_batch", "update 9 columns, batch", "update9", "change", _half),
    Work("delete", "delete, a call each", "delete", "change", _quarter),
    Work("delete_batch", "delete, batch", "delete", "change", _quarter),
]
NAMES = tuple(work.name for work in WORKS)
READS = ("fetch", "fetch_objects", "filter", "lookup", "lookup_transaction")
BATCHES = ("insert", "update3_batch", "update9_batch", "delete_batch")


@dataclass(frozen=True)
class Contestant:
    key: str
    title: str
    command: tuple[str, ...]
    works: tuple[str, ...]
    # The greatest ratio to the anchor that PERFORMANCE allows, by work.
    budgets: dict[str, float]
    # A slow peer does one operation for `scale` of the anchor's; its time is scaled up.
    scale: int = 1
    # It knows works by `Work.native`.
    native: bool = False


@dataclass(frozen=True)
class Sheet:
    """Contestants measured side by side; the first is the anchor, 1.00."""

    key: str
    title: str
    contestants: list[Contestant]


def _built(*command: str) -> tuple[str, ...]:
    return (str(BUILT / command[0]), *command[1:])


def _python(name: str) -> tuple[str, ...]:
    return (sys.executable, str(HERE / "python" / f"contestant_{name}.py"))


def _without(*names: str) -> tuple[str, ...]:
    return tuple(name for name in NAMES if name not in names)


def _budgets(**by_work: float) -> dict[str, float]:
    return by_work


# Every write by C and Swift is held to the budget of bulk writes, whether in one call or in a call each.
_WRITES = dict.fromkeys((name for name in NAMES if name not in READS), 1.10)

NATIVE = Contestant(
    "c", "C by hand", _built("native"), _without("insert_objects", "fetch_objects", "save"), {}, native=True
)

COMPILED = Sheet(
    "compiled",
    "C and Swift",
    [
        NATIVE,
        # The anchor gives each text an allocation; in this one texts share blocks, as Cormorant's do.
        Contestant(
            "c-blocks",
            "C, text blocks",
            _built("native-arena"),
            ("fetch", "filter", "lookup", "lookup_transaction"),
            {},
            native=True,
        ),
        Contestant(
            "cormorant-c",
            "Cormorant C",
            _built("cormorant"),
            NATIVE.works,
            _WRITES | _budgets(fetch=1.05, filter=1.05, lookup=1.15, lookup_transaction=1.15),
        ),
        Contestant(
            "cormorant-swift",
            "Cormorant Swift",
            _built("release/bench-cormorant"),
            NATIVE.works,
            _WRITES | _budgets(fetch=1.10, filter=1.10, lookup=1.25, lookup_transaction=1.25),
        ),
        # GRDB inserts and updates record by record; deletes alone come in a batch.
        *(
            Contestant(
                f"grdb-{kind}",
                f"GRDB {title}",
                _built("release/bench-grdb", kind),
                tuple(name for name in NATIVE.works if name not in ("update3_batch", "update9_batch")),
                {},
            )
            for kind, title in (("records", "records"), ("codable", "Codable"))
        ),
    ],
)

PYTHON = Sheet(
    "python",
    "Python",
    [
        Contestant("sqlite3", "sqlite3", _python("sqlite3"), NAMES, {}),
        Contestant(
            "cormorant-python",
            "Cormorant",
            _python("cormorant"),
            NAMES,
            dict.fromkeys(("insert_objects", "update3_batch", "update9_batch", "delete_batch"), 0.90)
            | dict.fromkeys(("insert_each", "update3", "update9", "save", "delete"), 1.20)
            | _budgets(
                insert=0.75,
                autocommit=1.00,
                fetch=0.55,
                fetch_objects=0.60,
                filter=0.65,
                lookup=0.75,
                lookup_transaction=0.75,
            ),
        ),
        Contestant(
            "sqlalchemy-core",
            "SQLAlchemy Core",
            _python("sqlalchemy_core"),
            _without("insert_objects", "fetch_objects", "save"),
            {},
            scale=10,
        ),
        Contestant(
            "sqlalchemy-orm",
            "SQLAlchemy ORM",
            _python("sqlalchemy_orm"),
            _without("insert", "fetch", "save"),
            {},
            scale=10,
        ),
        Contestant("peewee", "peewee", _python("peewee"), _without("insert", "save"), {}, scale=10),
    ],
)

SHEETS = [COMPILED, PYTHON]


@dataclass(frozen=True)
class Goal:
    """How many times faster than a peer PERFORMANCE asks one to be."""

    key: str
    peer: str
    works: tuple[str, ...]
    times: float


_PEER_WRITES = ("insert", "insert_each", "autocommit", "update3", "update9", "delete")
_PEER_READS = ("fetch", "filter", "lookup", "lookup_transaction")

GOALS = [
    Goal("cormorant-swift", "grdb-codable", _PEER_WRITES, 5),
    Goal("cormorant-swift", "grdb-codable", _PEER_READS, 3),
    Goal("cormorant-swift", "grdb-records", _PEER_WRITES + _PEER_READS, 1),
    *(
        Goal("cormorant-python", peer, works, times)
        for peer in ("sqlalchemy-orm", "peewee")
        for works, times in (
            (("insert_objects",), 20),
            (("fetch_objects", "filter"), 8),
            (("lookup", "lookup_transaction"), 40),
        )
    ),
]

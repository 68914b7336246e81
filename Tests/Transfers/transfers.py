"""Moves money between the accounts of a file in two threads while two others look; see run."""

from __future__ import annotations

import os
import random
import sys
import threading
import time
import traceback
from collections.abc import Callable

from cormorant import Database, OperationalError

ACCOUNTS = 50
TOTAL = 50_000


def write_always(db: Database, worker: int, thread: int) -> None:
    choose = random.Random(worker * 7 + thread)
    number = worker * 1_000_000_000 + thread * 100_000_000
    while True:
        number += 1
        source, target, amount = choose.randint(1, ACCOUNTS), choose.randint(1, ACCOUNTS), choose.randint(0, 99)
        try:
            with db.transaction():
                db.execute("UPDATE account SET balance = balance - ? WHERE id = ?", [amount, source])
                db.execute("UPDATE account SET balance = balance + ? WHERE id = ?", [amount, target])
                db.execute("INSERT INTO transfer VALUES (?, ?, ?, ?)", [number, source, target, amount])
        except OperationalError as error:
            if error.code != "CORM_E_BUSY":
                raise
        else:
            os.write(1, b"%d\n" % number)


def read_always(db: Database) -> None:
    def number(sql: str) -> int:
        return int(db.query(sql).fetch_all()[0][0])

    while True:
        assert number("SELECT sum(balance) FROM account") == TOTAL
        with db.read():
            low, count = (
                number("SELECT sum(balance) FROM account WHERE id <= 25"),
                number("SELECT count(*) FROM transfer"),
            )
            time.sleep(0.001)
            assert low + number("SELECT sum(balance) FROM account WHERE id > 25") == TOTAL
            assert number("SELECT count(*) FROM transfer") == count


def guarded(work: Callable[[], None]) -> None:
    try:
        work()
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def main() -> None:
    path, worker = sys.argv[1], int(sys.argv[2])
    db = Database(path, busy_timeout=30)
    works: list[Callable[[], None]] = [
        lambda: write_always(db, worker, 1),
        lambda: write_always(db, worker, 2),
        lambda: read_always(db),
        lambda: read_always(db),
    ]
    threads = [threading.Thread(target=guarded, args=[work]) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()

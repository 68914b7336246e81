"""Watches a file, as watch_file.c does."""

import sys
import time

from cormorant import Database, Event


def tell(event: Event[tuple[int]]) -> None:
    print(event.rows[0][0], f"{time.monotonic():.6f}", flush=True)


with Database(sys.argv[1]) as database, database.observe_live(None, "SELECT number FROM state", callback=tell):
    sys.stdin.read()

"""failover_client.py URL FIRST STEP: commits numbers, two rows each, reads them, and prints what became of them."""

import sys
import time

from commit_client import Entry
from cormorant import ConflictError, Database, DisconnectedError, Error


def commit(db: Database, number: int) -> str:
    try:
        with db.transaction():
            db.insert(Entry(number, 0))
            db.insert(Entry(number, 1))
    except DisconnectedError as error:
        return "unknown" if "is not known" in str(error) else "rolled-back"
    except ConflictError:
        return "rolled-back"
    return "committed"


def main() -> None:
    url, number, step = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with Database(url) as db:
        while True:
            fate = commit(db, number)
            print(fate, number, flush=True)
            if fate == "committed":
                try:
                    there = len(db.fetch_all(Entry, id=number))
                except DisconnectedError:
                    there = 2
                if there != 2:
                    print("unseen", number, flush=True)
            else:
                time.sleep(0.02)
            number += step


if __name__ == "__main__":
    try:
        main()
    except Error as error:
        print("failed", type(error).__name__, str(error).replace("\n", " "), flush=True)
        raise

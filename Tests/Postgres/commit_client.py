"""commit_client.py URL FIRST: commits numbers from FIRST on, two rows and a batch that is copied in a transaction, and
prints each that is.
"""

import sys

from cormorant import Column, Database, Model, column

# Of a batch; more than the client sends at once.
COUNT = 300


class Entry(Model):
    id: Column[int] = column(primary_key=True)
    half: Column[int] = column(primary_key=True)


class Copied(Model):
    id: Column[int] = column(primary_key=True)
    place: Column[int] = column(primary_key=True)
    text: Column[str]


def main() -> None:
    url, first = sys.argv[1], int(sys.argv[2])
    with Database(url) as db:
        number = first
        while True:
            with db.transaction():
                db.insert(Entry(number, 0))
                db.insert_many([Copied(number, place, "x" * 300) for place in range(COUNT)])
                db.insert(Entry(number, 1))
            print(number, flush=True)
            number += 1


if __name__ == "__main__":
    main()

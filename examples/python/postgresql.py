"""The same models on a PostgreSQL server: postgresql.py URL."""

from __future__ import annotations

import sys
import tempfile

from cormorant import Bundle, Column, Database, DisconnectedError, Error, Model, UniqueViolation, column, key

END = (
    "DO 'BEGIN PERFORM pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE application_name = ''served'' AND state = ''idle in transaction''; END'"
)


class Account(Model):
    id: Column[int] = key()
    owner: Column[str] = column(unique=True)
    balance: Column[int] = column(check="balance >= 0")


def use(db: Database) -> None:
    """Nothing here says which engine it is."""
    db.create_tables(Account)
    db.insert_many([Account("Ada", 100), Account("Bob", 20)])
    for account in db.fetch_all(Account.where(Account.balance > 50)):
        print(account.owner, account.balance)


def transfer(db: Database, payer: str, payee: str, amount: int) -> None:
    """Runs in a transaction of transact()."""
    for owner, change in ((payer, -amount), (payee, amount)):
        account = db.fetch_one(Account, owner=owner)
        account.balance += change
        db.update(account)


def pay(db: Database) -> None:
    """Of transactions that are in each other's way one is rolled back, and is run again."""
    db.transact(transfer, "Ada", "Bob", 30)


def refuse(db: Database) -> None:
    """In a transaction, what may fail goes into a nested one, which alone is rolled back then."""
    with db.transaction():
        db.insert(Account("Cid", 5))
        try:
            with db.transaction():
                db.insert(Account("Ada", 1))
        except UniqueViolation as error:
            print(error.message)
        db.insert(Account("Dan", 5))
    print(db.count(Account), "accounts")


def lack(db: Database) -> None:
    """What an engine does not have is refused by name."""
    try:
        db.vacuum()
    except Error as error:
        print(error.code)


def watch(url: str) -> None:
    """Commits of this program are told at once, those of others within half a second."""
    with Database(f"{url}?outbox=install&poll=500") as db, Database(url) as other, db.observe(Account) as changes:
        for writer in (db, other):
            writer.execute("UPDATE account SET balance = balance + 1 WHERE owner = 'Bob'")
            event = changes.next()
            assert event is not None
            print(event.changes[0].kind, "by others" if event.is_foreign else "by this program")


class Grown(Model, table="account"):
    """The same table, a year later."""

    id: Column[int] = key()
    owner: Column[str] = column(unique=True)
    balance: Column[int] = column(check="balance >= 0")
    currency: Column[str] = column(default="EUR", default_sql="'EUR'", index=True)


def grow(db: Database) -> None:
    """A table of millions of rows would be changed so, too: the index by itself, while others write."""
    for step in db.plan(Grown).steps:
        print(step.summary, "-", step.risk)
    db.sync(Grown)
    print(len(db.plan(Grown).steps), "steps are left")


def write_step(db: Database, folder: str) -> None:
    """A step of a bundle, with SQL for the server beside that for files."""
    Bundle.generate(folder, "accounts", Grown, server=db)
    Bundle(folder).adopt(db)
    print(*(state.state for state in Bundle(folder).status(db)))


def serve(url: str) -> None:
    """What only reads is answered by a standby among the hosts, as far as there is one, and shows what was written."""
    with Database(f"{url}?readers=standby&application_name=served") as db, Database(url) as other:
        db.insert(Account("Eve", 10))
        with db.read():
            print(db.count(Account), "accounts")
        try:
            with db.transaction():
                db.insert(Account("Fay", 10))
                # As a primary does that fails.
                other.execute(END)
                db.insert(Account("Gus", 10))
        except DisconnectedError as error:
            print(error.hint)
        # The next call finds the new primary, or says that there is none yet.
        print(db.count(Account), "accounts")


def main(url: str) -> None:
    with Database(url) as db:
        use(db)
        pay(db)
        print([account.balance for account in db.fetch_all(Account, order_by="owner")])
        refuse(db)
        lack(db)
    serve(url)
    watch(url)
    with Database(url) as db, tempfile.TemporaryDirectory() as folder:
        grow(db)
        write_step(db, folder)


if __name__ == "__main__":
    main(sys.argv[1])

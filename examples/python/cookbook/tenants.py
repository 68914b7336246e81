"""A file for each tenant: opened when it is first used, at most eight at a time, all migrated together."""

from __future__ import annotations

from cormorant import Bundle, Column, Model, Registry, column


class Invoice(Model):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    customer: Column[str]
    paid: Column[bool] = column(default=False)


STEPS = Bundle()
STEPS.add("0001_invoices", up=lambda db: db.create_tables(Invoice))

with Registry("{name}.db", limit=8) as tenants:
    for name in ("acme", "bolt"):
        with tenants.use(name) as db:
            STEPS.apply(db)
            Invoice(f"first customer of {name}").insert(db)
    # The next release: all files that are there, each in a transaction of its own.
    STEPS.add("0002_reminders", "CREATE TABLE reminder (invoice_id INTEGER NOT NULL REFERENCES invoice, day TEXT)")
    for name, error in tenants.migrate(STEPS).items():
        print(name, "failed:", error)
    with tenants.use("bolt") as db:
        print(db.fetch_all(Invoice))

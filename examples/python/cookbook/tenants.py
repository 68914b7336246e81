"""A file for each tenant: opened when it is first used, at most eight at a time, all migrated together."""

from __future__ import annotations

from cormorant import Bundle, Column, Model, Registry, column


class Invoice(Model):
    id: Column[int] = column(primary_key=True)
    customer: Column[str]
    paid: Column[bool] = column(default=False)


STEPS = Bundle()
STEPS.add("0001_invoices", up=lambda db: db.create_tables(Invoice))
STEPS.add("0002_reminders", "CREATE TABLE reminder (invoice_id INTEGER NOT NULL REFERENCES invoice, day TEXT)")

with Registry("{name}.db", limit=8) as tenants:
    # The files that are there, each in transactions of its own: one that fails leaves the others as they should be.
    for name, error in tenants.migrate(STEPS).items():
        print(name, "failed:", error)
    for name in ("acme", "bolt"):
        with tenants.use(name) as db:
            STEPS.apply(db)  # a file that is new
            db.save(Invoice(1, f"first customer of {name}"))
    with tenants.use("bolt") as db:
        print(db.fetch_all(Invoice))

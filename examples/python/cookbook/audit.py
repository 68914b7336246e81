"""An audit log: triggers write it, so that no writer can forget it; it is part of each transaction."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from cormorant import Column, Database, Error, Model, column, key

TRIGGERS = """
CREATE TRIGGER IF NOT EXISTS price_changed AFTER UPDATE OF price ON product WHEN old.price IS NOT new.price
BEGIN
    INSERT INTO audit (at, what, key, old, new)
    VALUES (CURRENT_TIMESTAMP, 'price', new.id, json_object('price', old.price), json_object('price', new.price));
END;
CREATE TRIGGER IF NOT EXISTS audit_is_kept BEFORE DELETE ON audit
BEGIN
    SELECT raise(ABORT, 'the audit log is kept');
END;
"""


class Product(Model):
    id: Column[int] = key()
    name: Column[str]
    price: Column[int]


class Audit(Model):
    id: Column[int] = key()
    at: Column[datetime]
    what: Column[str]
    key: Column[int]
    old: Column[dict[str, Any]] = column(json=True)
    new: Column[dict[str, Any]] = column(json=True)


with Database(":memory:") as db:
    db.sync(Product, Audit)  # leaves triggers alone
    db.execute_script(TRIGGERS)
    product = Product("lamp", 30).insert(db)
    product.price = 35
    product.update(db)
    for entry in db.fetch_all(Audit):
        print(entry.what, entry.key, entry.old, entry.new)
    try:
        db.execute("DELETE FROM audit")
    except Error as error:
        print(error)

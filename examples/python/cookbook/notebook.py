"""Notebooks: a query is a frame, a frame is rows."""

from __future__ import annotations

import duckdb
import pandas
import polars

from cormorant import Column, Database, Model, func, key, select


class Sale(Model):
    id: Column[int] = key()
    city: Column[str]
    year: Column[int]
    amount: Column[float]


with Database(":memory:") as db:
    db.create_tables(Sale)
    frame = pandas.DataFrame({"city": ["Oslo", "Rome", "Rome"], "year": [2024, 2024, 2025], "amount": [1.5, 2.0, 4.0]})
    print(db.insert_arrow(Sale, frame), "rows from pandas")

    query = select(Sale.city, func.sum(Sale.amount).label("amount")).group_by(Sale.city).order_by(Sale.city)
    print(pandas.DataFrame.from_arrow(db.cursor(query)))
    print(polars.DataFrame(db.cursor(query)).rows())
    sales = db.cursor(select(Sale))
    print(duckdb.execute("SELECT year, max(amount) FROM sales GROUP BY year ORDER BY year").fetchall())

"""The file of a database in the browser."""

from __future__ import annotations

from cormorant import Database

with Database("app.db") as db:
    db.execute("CREATE TABLE IF NOT EXISTS note (id INTEGER PRIMARY KEY, text TEXT)")
    studio = db.studio()  # prints the address, which studio.url has, too
    studio.close()

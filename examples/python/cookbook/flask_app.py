"""Flask under gunicorn, with or without --preload: a database for each process, opened when it is first used."""

from __future__ import annotations

import os
from threading import Lock

from flask import Flask, Response, abort, jsonify

from cormorant import Column, Database, Model, column, insert

PATH = os.environ.get("HITS", "hits.db")


class Hit(Model):
    page: Column[str] = column(primary_key=True)
    number: Column[int] = column(default=1)


_opened: dict[int, Database] = {}
_lock = Lock()


def database() -> Database:
    """This process's. One that was opened before a fork is its parent's, and of no use here."""
    with _lock:
        if os.getpid() not in _opened:
            _opened[os.getpid()] = Database(PATH, auto_sync=True)
        return _opened[os.getpid()]


app = Flask(__name__)


@app.post("/<page>")
def hit(page: str) -> Response:
    upsert = insert(Hit).values(page=page, number=1).on_conflict("page").do_update(number=Hit.number + 1)
    [found] = database().fetch_all(upsert.returning())
    return jsonify(page=found.page, number=found.number)


@app.get("/<page>")
def show(page: str) -> Response:
    found = database().find(Hit, page) or abort(404)
    return jsonify(page=found.page, number=found.number)


if __name__ == "__main__":
    client = app.test_client()
    print(client.post("/home").json, client.post("/home").json, client.get("/none").status_code)
    database().close()

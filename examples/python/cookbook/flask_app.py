"""Flask under gunicorn, with or without --preload: one database, which each process that is forked opens anew."""

from __future__ import annotations

import os

from flask import Flask, Response, abort, jsonify

from cormorant import Column, Database, Model, column, insert

PATH = os.environ.get("HITS", "hits.db")


class Hit(Model):
    page: Column[str] = column(primary_key=True)
    number: Column[int] = column(default=1)


db = Database(PATH, auto_sync=True)
os.register_at_fork(after_in_child=db.reopen)

app = Flask(__name__)


@app.post("/<page>")
def hit(page: str) -> Response:
    first = insert(Hit).values({Hit.page: page, Hit.number: 1})
    upsert = first.on_conflict(Hit.page).do_update({Hit.number: Hit.number + 1})
    [found] = db.fetch_all(upsert.returning())
    return jsonify(page=found.page, number=found.number)


@app.get("/<page>")
def show(page: str) -> Response:
    found = db.find(Hit, page) or abort(404)
    return jsonify(page=found.page, number=found.number)


if __name__ == "__main__":
    client = app.test_client()
    print(client.post("/home").json, client.post("/home").json, client.get("/none").status_code)
    db.close()

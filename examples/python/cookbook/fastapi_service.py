"""FastAPI: endpoints of both kinds, and a transaction for each request that needs one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Body, Depends, FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse
from fastapi.testclient import TestClient

from cormorant import Column, Database, IntegrityError, Model, column, select, update


class Account(Model, checks=["cents >= 0"]):
    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    owner: Column[str]
    cents: Column[int] = column(default=0)


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    with Database("bank.db") as db:
        db.sync(Account)
        app.state.db = db
        yield


def database(request: Request) -> Database:
    db: Database = request.app.state.db
    return db


Bank = Annotated[Database, Depends(database)]
app = FastAPI(lifespan=lifespan)


@app.exception_handler(IntegrityError)
def refuse(request: Request, error: IntegrityError) -> JSONResponse:
    """What a CHECK, a unique key or a reference refuses is the client's to mend."""
    return JSONResponse({"detail": error.message}, status_code=409)


@app.post("/accounts", status_code=201)
def create(account: Annotated[Account, Body()], db: Bank) -> Account:
    """A plain function runs on a thread of FastAPI's: it calls the database as it is."""
    return account.insert(db)


@app.get("/accounts/{number}")
async def show(number: int, db: Bank) -> Account:
    """A coroutine runs on the loop's thread: it awaits the database, on a thread of the database's own."""
    account = await db.perform(Database.find, Account, number)
    if account is None:
        raise HTTPException(404, "no such account")
    return account


def transfer(db: Database, source: int, target: int, cents: int) -> int:
    """A transaction is one function. What it raises takes everything back."""
    with db.transaction():
        for number, change in ((source, -cents), (target, cents)):
            if not db.execute(update(Account).set(cents=Account.cents + change).where(Account.id == number)):
                raise HTTPException(404, f"no account {number}")
        return db.fetch_all(select(Account.cents).where(Account.id == source))[0][0]


@app.post("/transfers")
def transfer_plain(source: int, target: int, cents: int, db: Bank) -> int:
    return transfer(db, source, target, cents)


@app.post("/async/transfers")
async def transfer_awaited(source: int, target: int, cents: int, db: Bank) -> int:
    return await db.perform(transfer, source, target, cents)


if __name__ == "__main__":
    with TestClient(app) as client:
        print(client.post("/accounts", json={"owner": "Ada", "cents": 1000}).json())
        client.post("/accounts", json={"owner": "Ben"})
        print(client.post("/transfers?source=1&target=2&cents=300").json())
        print(client.post("/async/transfers?source=1&target=2&cents=300").json())
        print(client.post("/async/transfers?source=1&target=2&cents=500").json())
        print(client.get("/accounts/1").json(), client.get("/accounts/2").json())

"""FastAPI: endpoints of both kinds, and a transaction for each request that writes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse
from fastapi.testclient import TestClient
from pydantic import BaseModel

from cormorant import (
    AsyncDatabase,
    AsyncTransaction,
    Column,
    Database,
    IntegrityError,
    Model,
    column,
    key,
    select,
    update,
)


class Account(Model, checks=["cents >= 0"]):
    id: Column[int] = key()
    owner: Column[str]
    cents: Column[int] = column(default=0)


class NewAccount(BaseModel):
    """What a client may say of one: a body that is an Account could bring a key."""

    owner: str
    cents: int = 0


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    async with AsyncDatabase("bank.db") as db:
        await db.sync(Account)
        app.state.db = db
        yield


def database(request: Request) -> AsyncDatabase:
    db: AsyncDatabase = request.app.state.db
    return db


async def transaction(db: Annotated[AsyncDatabase, Depends(database)]) -> AsyncIterator[AsyncTransaction]:
    """Committed after the endpoint, rolled back by what it raises."""
    async with db.transaction() as tx:
        yield tx


async def plain_transaction(tx: Annotated[AsyncTransaction, Depends(transaction, scope="function")]) -> Database:
    """The same transaction for endpoints that are plain functions."""
    return tx.database


Bank = Annotated[AsyncDatabase, Depends(database)]
Transaction = Annotated[AsyncDatabase, Depends(transaction, scope="function")]
PlainTransaction = Annotated[Database, Depends(plain_transaction, scope="function")]
app = FastAPI(lifespan=lifespan)


@app.exception_handler(IntegrityError)
def refuse(request: Request, error: IntegrityError) -> JSONResponse:
    """What a CHECK, a unique key or a reference refuses is the client's to mend."""
    return JSONResponse({"detail": error.message}, status_code=409)


@app.post("/accounts", status_code=201)
def create(account: NewAccount, db: PlainTransaction) -> Account:
    """A plain function runs on a thread of FastAPI's, and calls the database as it is."""
    return Account(**account.model_dump()).insert(db)


@app.get("/accounts/{number}")
async def show(number: int, db: Bank) -> Account:
    """A coroutine awaits its calls; one that reads once needs no transaction."""
    account = await db.find(Account, number)
    if account is None:
        raise HTTPException(404, "no such account")
    return account


@app.post("/transfers")
async def transfer(source: int, target: int, cents: int, db: Transaction) -> int:
    """Both accounts, or none: what is raised takes everything back."""
    for number, change in ((source, -cents), (target, cents)):
        add = update(Account).set({Account.cents: Account.cents + change}).where(Account.id == number)
        if not await db.execute(add):
            raise HTTPException(404, f"no account {number}")
    return await db.fetch_value(select(Account.cents).where(Account.id == source)) or 0


if __name__ == "__main__":
    with TestClient(app) as client:
        print(client.post("/accounts", json={"owner": "Ada", "cents": 1000}).json())
        client.post("/accounts", json={"owner": "Ben"})
        print(client.post("/transfers?source=1&target=2&cents=300").json())
        print(client.post("/transfers?source=1&target=2&cents=300").json())
        print(client.post("/transfers?source=1&target=2&cents=500").json())
        print(client.post("/transfers?source=1&target=3&cents=100").json())
        print(client.get("/accounts/1").json(), client.get("/accounts/2").json())

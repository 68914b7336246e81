"""The shed as a web service."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from typing import Annotated

from cormorant import Database
from fastapi import Depends, FastAPI, Request
from fastapi.responses import JSONResponse

from models import Loan, Tool
from shed import Refused, free_tools, give_back, lend
from store import open_shed


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Opened by each worker once it runs, so that nothing of it is carried through a fork."""
    with open_shed(os.environ.get("SHED", "shed.db")) as db:
        app.state.db = db
        yield


def database(request: Request) -> Database:
    db: Database = request.app.state.db
    return db


Shed = Annotated[Database, Depends(database)]
app = FastAPI(lifespan=lifespan)


@app.exception_handler(Refused)
def refused(request: Request, error: Refused) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, status_code=409)


@app.get("/tools/free")
def free(db: Shed) -> list[Tool]:
    return free_tools(db)


@app.post("/tools/{tool_id}/loans", status_code=201)
def borrow(tool_id: int, member_id: int, db: Shed) -> Loan:
    return lend(db, tool_id, member_id, date.today())


@app.post("/tools/{tool_id}/return")
async def bring_back(tool_id: int, db: Shed) -> Loan:
    """A coroutine hands the whole transaction to perform(); nothing is awaited in it."""
    return await db.perform(give_back, tool_id, date.today())

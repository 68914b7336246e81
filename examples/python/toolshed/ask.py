"""Questions to a shed in memory."""

from datetime import date

from cormorant import Database, select

from fill import fill
from models import MODELS, Member, Tool
from shed import Refused, deposits, free_tools, give_back, lend, overdue

with Database(":memory:") as db:
    db.create_tables(*MODELS)
    fill(db)
    print("free:", [tool.name for tool in free_tools(db)])
    for loan, tool, member in overdue(db, date(2026, 4, 1)):
        print("overdue:", tool.name, "from", member.name, "since", loan.due)
    members = db.fetch_all(Member, order_by="name")
    db.load(members, Member.loans)
    print("loans:", {member.name: len(member.loans) for member in members})
    print("deposits:", deposits(db))
    try:
        lend(db, 1, 2, date(2026, 4, 1))
    except Refused as error:
        print("refused:", error)
    print("back:", give_back(db, 1, date(2026, 4, 1)).returned)
    print("deposits:", deposits(db))
    print((select(Tool.name).where(Tool.loans.none())).sql)

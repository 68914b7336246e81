"""Records go into a file and come out again."""

from decimal import Decimal

from cormorant import Database, UniqueViolation

from models import MODELS, Member, Tool

with Database(":memory:") as db:
    db.create_tables(*MODELS)
    ada = Member("Ada", "ada@example.org").insert(db)
    saw = Tool("circular saw", Decimal("49.90"), {"watts": 1200, "blades": ["wood", "steel"]}).insert(db)
    print(ada)
    print(db.find(Tool, saw.id))
    try:
        Member("Another Ada", "ADA@example.org").insert(db)
    except UniqueViolation as error:
        print("refused:", error.message)

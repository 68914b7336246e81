"""Makes shed.db, with something to look at."""

from fill import fill
from models import Tool
from store import open_shed

with open_shed("shed.db") as db:
    if not db.count(Tool):
        fill(db)
    print(db.count(Tool), "tools in", db)

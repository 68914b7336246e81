"""Files that one does not trust, and what is left of damaged ones."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

# In a checkout the package need not be installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings" / "python" / "src"))

from cormorant import Damage, Database, repair


def main(folder: Path) -> None:
    path, new_path = folder / "notes.db", folder / "repaired.db"
    with Database(path) as db:
        db.execute_script("CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('a')")

    def tell(damage: Damage) -> None:
        print(damage.path, damage.page, damage.message, damage.hint, file=sys.stderr)

    with Database(path, damaged=tell, keep_schema=True) as db:
        print(db.query("SELECT count(*) FROM note").fetch_all())

    with Database(path, mode="read_only", untrusted=True) as db:
        print(db.query("SELECT text FROM note").fetch_all())

    report = repair(path, new_path)
    for table in report.tables:
        print(table.name, table.rows, "rows,", table.lost_rows, "lost, with", table.lost_pages, "pages")
    print("rows without a table:", report.found_rows)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        main(Path(temporary))

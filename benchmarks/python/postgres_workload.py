"""What the contestants on PostgreSQL share besides the workload: the table, and the parts of the server's URL."""

from dataclasses import dataclass
from operator import attrgetter
from urllib.parse import unquote

from workload import COLUMNS

LIST = ", ".join(COLUMNS)
CREATE = """
    CREATE TABLE item (id bigint PRIMARY KEY, quantity bigint NOT NULL, grade bigint NOT NULL, region bigint NOT NULL,
    price float8 NOT NULL, weight float8 NOT NULL, name text COLLATE "C" NOT NULL, city text COLLATE "C" NOT NULL,
    code text COLLATE "C" NOT NULL, note text COLLATE "C")"""
SAVE = ", ".join(f"{name} = excluded.{name}" for name in COLUMNS[1:])


@dataclass(slots=True)
class Item:
    id: int
    quantity: int
    grade: int
    region: int
    price: float
    weight: float
    name: str
    city: str
    code: str
    note: str | None


as_tuple = attrgetter(*COLUMNS)


def parts(url: str) -> dict[str, str]:
    """Of the URL of scripts/postgres-server: user, folder of the socket, database."""
    user, rest = url.split("://", 1)[1].split("@", 1)
    host, database = rest.split("/", 1)
    return {"user": user, "host": unquote(host), "database": database}

"""SQLAlchemy 2's ORM on PostgreSQL, over psycopg."""

from postgres_workload import CREATE, parts
from sqlalchemy import URL, create_engine, select, text
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.orm import DeclarativeBase, Mapped, MappedAsDataclass, Session, mapped_column
from workload import COLUMNS, Job, checksum, run


class Base(MappedAsDataclass, DeclarativeBase):
    pass


class Item(Base):
    __tablename__ = "item"
    id: Mapped[int] = mapped_column(primary_key=True)
    quantity: Mapped[int]
    grade: Mapped[int]
    region: Mapped[int]
    price: Mapped[float]
    weight: Mapped[float]
    name: Mapped[str]
    city: Mapped[str]
    code: Mapped[str]
    note: Mapped[str | None]


def connect(job: Job):
    where = parts(job.path)
    url = URL.create("postgresql+psycopg", where["user"], database=where["database"], query={"host": where["host"]})
    engine = create_engine(url)
    engine.connect().close()
    return engine


def insert(job: Job) -> None:
    engine, items = connect(job), [Item(*row) for row in job.rows_to_insert()]
    with Session(engine) as session:
        session.execute(text(CREATE))
        session.commit()
        with job.measured():
            session.add_all(items)
            session.commit()


def fetch(job: Job) -> None:
    with Session(connect(job)) as session:
        session.get_one(Item, 1)
        session.expunge_all()
        with job.measured():
            items = session.scalars(select(Item)).all()
        job.checksum = checksum(tuple(getattr(item, name) for name in COLUMNS) for item in items)


def lookup(job: Job) -> None:
    engine, keys = connect(job), job.keys_to_find()
    total = 0
    with Session(engine) as session:
        session.get_one(Item, 1)
    with job.measured():
        for key in keys:
            with Session(engine) as session:
                item = session.get_one(Item, key)
                total += item.quantity + len(item.name)
    job.checksum = total


def save(job: Job) -> None:
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in job.rows_to_update()]
    statement = upsert(Item)
    statement = statement.on_conflict_do_update(
        index_elements=["id"], set_={name: statement.excluded[name] for name in COLUMNS[1:]}
    )
    with Session(connect(job)) as session, job.measured():
        session.execute(statement, rows)
        session.commit()


run({"insert": insert, "fetch": fetch, "lookup": lookup, "save": save})

"""SQLAlchemy 2's ORM."""

from sqlalchemy import create_engine, delete, event, select, update
from sqlalchemy.orm import DeclarativeBase, Mapped, MappedAsDataclass, Session, mapped_column
from workload import COLUMNS, FILTER_REGION, Job, checksum, run


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
    engine = create_engine(f"sqlite:///{job.path}")

    @event.listens_for(engine, "connect")
    def pragmas(connection, _record) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA secure_delete = FAST")

    engine.connect().close()
    return engine


def insert(job: Job) -> None:
    engine, items = connect(job), [Item(*row) for row in job.rows_to_insert()]
    Base.metadata.create_all(engine)
    with Session(engine) as session, job.measured():
        session.add_all(items)
        session.commit()


def insert_each(job: Job) -> None:
    engine, items = connect(job), [Item(*row) for row in job.rows_to_insert()]
    Base.metadata.create_all(engine)
    with Session(engine) as session, job.measured():
        for item in items:
            session.add(item)
            session.flush()
        session.commit()


def autocommit(job: Job) -> None:
    engine, items = connect(job), [Item(*row) for row in job.rows_to_append()]
    # Otherwise each commit expires every object that the session has seen, and the time grows with the square of them.
    with Session(engine, expire_on_commit=False) as session, job.measured():
        for item in items:
            session.add(item)
            session.commit()


def fetch_objects(job: Job) -> None:
    fetch_query(job, select(Item))


def fetch_query(job: Job, query) -> None:
    with Session(connect(job)) as session:
        with job.measured():
            items = session.scalars(query).all()
        job.checksum = checksum(tuple(getattr(item, name) for name in COLUMNS) for item in items)


def filter_(job: Job) -> None:
    fetch_query(job, select(Item).where(Item.region == FILTER_REGION).order_by(Item.quantity, Item.id))


def lookup(job: Job) -> None:
    engine, keys = connect(job), job.keys_to_find()
    total = 0
    with job.measured():
        for key in keys:
            with Session(engine) as session:
                item = session.get_one(Item, key)
                total += item.quantity + len(item.name)
    job.checksum = total


def lookup_transaction(job: Job) -> None:
    keys = job.keys_to_find()
    total = 0
    with Session(connect(job)) as session, job.measured():
        session.connection().exec_driver_sql("BEGIN")  # Python's sqlite3 begins none for a SELECT
        for key in keys:
            item = session.get_one(Item, key)
            total += item.quantity + len(item.name)
    job.checksum = total


def update_objects(job: Job, names: tuple[str, ...]) -> None:
    """The objects are at hand, as after a query; what is measured is to change them and to commit."""
    rows = job.rows_to_update()
    positions = [(name, COLUMNS.index(name)) for name in names]
    with Session(connect(job)) as session:
        items = {item.id: item for item in session.scalars(select(Item).where(Item.id < 2 * job.count))}
        with job.measured():
            for row in rows:
                item = items[row[0]]
                for name, position in positions:
                    setattr(item, name, row[position])
            session.commit()


def update_batch(job: Job, names: tuple[str, ...]) -> None:
    items = [Item(*row) for row in job.rows_to_update()]
    with Session(connect(job)) as session, job.measured():
        session.execute(update(Item), [{name: getattr(item, name) for name in ("id", *names)} for item in items])
        session.commit()


def delete_objects(job: Job) -> None:
    keys = set(job.keys_to_delete())
    with Session(connect(job)) as session:
        items = [item for item in session.scalars(select(Item).where(Item.id < 4 * job.count)) if item.id in keys]
        with job.measured():
            for item in items:
                session.delete(item)
            session.commit()


def delete_batch(job: Job) -> None:
    keys = job.keys_to_delete()
    with Session(connect(job)) as session, job.measured():
        # SQLite takes 32,766 bindings in a statement.
        for start in range(0, len(keys), 30_000):
            session.execute(delete(Item).where(Item.id.in_(keys[start : start + 30_000])))
        session.commit()


run(
    {
        "insert_objects": insert,
        "insert_each": insert_each,
        "autocommit": autocommit,
        "fetch_objects": fetch_objects,
        "filter": filter_,
        "lookup": lookup,
        "lookup_transaction": lookup_transaction,
        "update3": lambda job: update_objects(job, ("quantity", "price", "name")),
        "update9": lambda job: update_objects(job, COLUMNS[1:]),
        "update3_batch": lambda job: update_batch(job, ("quantity", "price", "name")),
        "update9_batch": lambda job: update_batch(job, COLUMNS[1:]),
        "delete": delete_objects,
        "delete_batch": delete_batch,
    }
)

"""What the page about SQLAlchemy has on the left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import (
    Column,
    ForeignKey,
    Table,
    case,
    create_engine,
    delete,
    event,
    exists,
    func,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, joinedload, mapped_column, relationship, selectinload


class Base(DeclarativeBase):
    pass


album_tag = Table(
    "album_tag",
    Base.metadata,
    Column("id", primary_key=True),
    Column("album_id", ForeignKey("album.id")),
    Column("tag_id", ForeignKey("tag.id")),
)


class Artist(Base):
    __tablename__ = "artist"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    albums: Mapped[list[Album]] = relationship(back_populates="artist", order_by="Album.id")


class Album(Base):
    __tablename__ = "album"
    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str]
    year: Mapped[int]
    price: Mapped[float | None]
    artist_id: Mapped[int] = mapped_column(ForeignKey("artist.id", ondelete="CASCADE"), index=True)
    artist: Mapped[Artist] = relationship(back_populates="albums")
    tags: Mapped[list[Tag]] = relationship(secondary=album_tag)


class Tag(Base):
    __tablename__ = "tag"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)


@contextmanager
def opened(path: str) -> Iterator[Session]:
    engine = create_engine(f"sqlite:///{path}")
    event.listen(engine, "connect", lambda connection, _: connection.execute("PRAGMA foreign_keys = ON"))
    with Session(engine) as session:
        yield session
        session.commit()
    engine.dispose()


def by_key(session: Session) -> Any:
    return session.get(Album, 2)


def one(session: Session) -> Any:
    return session.scalars(select(Artist).filter_by(name="Nina")).first()


def all_of_a_table(session: Session) -> Any:
    return session.scalars(select(Album).order_by(Album.title)).all()


def order(session: Session) -> Any:
    return session.scalars(select(Album).order_by(Album.year.desc(), Album.title)).all()


def slice_(session: Session) -> Any:
    return session.scalars(select(Album).order_by(Album.id).limit(2).offset(2)).all()


def count(session: Session) -> Any:
    return session.scalar(select(func.count()).select_from(Album).where(Album.year > 2000))


def any_(session: Session) -> Any:
    return session.scalar(select(exists().where(Album.year > 2000)))


def some_columns(session: Session) -> Any:
    return session.execute(select(Album.title, Album.year).order_by(Album.id)).all()


def dicts(session: Session) -> Any:
    return session.execute(select(Album.title, Album.year).order_by(Album.id)).mappings().all()


def values(session: Session) -> Any:
    return session.scalars(select(Album.title).order_by(Album.title)).all()


def distinct(session: Session) -> Any:
    return session.execute(select(Album.year).distinct().order_by(Album.year)).all()


def stream(session: Session) -> Any:
    return [album.title for album in session.scalars(select(Album).order_by(Album.id).execution_options(yield_per=100))]


def both(session: Session) -> Any:
    return session.scalars(select(Album).where(Album.year > 1990, Album.price < 12).order_by(Album.id)).all()


def either(session: Session) -> Any:
    return session.scalars(select(Album).where(or_(Album.year < 1990, Album.price > 14)).order_by(Album.id)).all()


def negated(session: Session) -> Any:
    return session.scalars(select(Album).where(~(Album.year == 2004)).order_by(Album.id)).all()


def in_list(session: Session) -> Any:
    return session.scalars(select(Album).where(Album.year.in_([1998, 2004])).order_by(Album.id)).all()


def between(session: Session) -> Any:
    return session.scalars(select(Album).where(Album.year.between(1990, 2004)).order_by(Album.id)).all()


def null(session: Session) -> Any:
    return session.scalars(select(Album).where(Album.price.is_(None))).all()


def contains(session: Session) -> Any:
    return session.scalars(select(Album).where(Album.title.icontains("% off", autoescape=True))).all()


def starts(session: Session) -> Any:
    return session.scalars(select(Album).where(Album.title.istartswith("Sea", autoescape=True))).all()


def calculated(session: Session) -> Any:
    return session.execute(
        select(Album.title, Album.price * 2).where(Album.price.is_not(None)).order_by(Album.id)
    ).all()


def choice(session: Session) -> Any:
    return session.execute(select(Album.title, case((Album.year < 2000, "old"), else_="new")).order_by(Album.id)).all()


def piece_of_sql(session: Session) -> Any:
    return session.scalars(select(Album).where(text("length(title) > :n")).order_by(Album.id), {"n": 6}).all()


def aggregate(session: Session) -> Any:
    return session.execute(select(func.max(Album.year), func.avg(Album.price))).one()


def group(session: Session) -> Any:
    return session.execute(select(Album.year, func.count()).group_by(Album.year).order_by(Album.year)).all()


def having(session: Session) -> Any:
    return session.execute(select(Album.year, func.count()).group_by(Album.year).having(func.count() > 1)).all()


def subquery(session: Session) -> Any:
    average = select(func.avg(Album.price)).scalar_subquery()
    return session.scalars(select(Album).where(Album.price > average).order_by(Album.id)).all()


def in_subquery(session: Session) -> Any:
    return session.scalars(select(Artist).where(Artist.id.in_(select(Album.artist_id).where(Album.year < 1990)))).all()


def window(session: Session) -> Any:
    rank = func.row_number().over(partition_by=Album.artist_id, order_by=Album.year.desc())
    return session.execute(select(Album.title, rank).order_by(Album.id)).all()


def best_of_each(session: Session) -> Any:
    rank = func.row_number().over(partition_by=Album.artist_id, order_by=[Album.year.desc(), Album.id])
    t = select(Album.title, rank.label("rank")).subquery()
    return session.execute(select(t.c.title, t.c.rank).where(t.c.rank == 1).order_by(t.c.title)).all()


def along(session: Session) -> Any:
    return session.scalars(select(Album).join(Album.artist).where(Artist.name == "Nina").order_by(Album.id)).all()


def related_any(session: Session) -> Any:
    return session.scalars(select(Artist).where(Artist.albums.any(Album.year < 1990))).all()


def related_none(session: Session) -> Any:
    return session.scalars(select(Artist).where(~Artist.albums.any())).all()


def related_count(session: Session) -> Any:
    query = select(Artist.name, func.count(Album.id)).outerjoin(Artist.albums).group_by(Artist.id)
    return session.execute(query.order_by(Artist.id)).all()


def pairs(session: Session) -> Any:
    return session.execute(select(Album, Artist).join(Album.artist).order_by(Album.id)).all()


def left_join(session: Session) -> Any:
    query = select(Artist.name, Album.title).outerjoin(Artist.albums)
    return session.execute(query.order_by(Artist.id, Album.id)).all()


def load_one(session: Session) -> Any:
    albums = session.scalars(select(Album).options(joinedload(Album.artist)).order_by(Album.id)).all()
    return [album.artist.name for album in albums]


def load_many(session: Session) -> Any:
    artists = session.scalars(select(Artist).options(selectinload(Artist.albums)).order_by(Artist.id)).all()
    return [[album.title for album in artist.albums] for artist in artists]


def load_through(session: Session) -> Any:
    album = session.get(Album, 1)
    return sorted(tag.name for tag in album.tags)


def by_tag(session: Session) -> Any:
    return session.scalars(select(Album).where(Album.tags.any(Tag.name == "jazz")).order_by(Album.id)).all()


def create(session: Session) -> Any:
    album = Album(title="New", year=2025, artist_id=3)
    session.add(album)
    session.flush()
    return album.id


def create_many(session: Session) -> Any:
    session.add_all([Tag(name="a"), Tag(name="b")])


def create_related(session: Session) -> Any:
    artist = Artist(name="Quin")
    artist.albums = [Album(title="First", year=2020), Album(title="Second", year=2021)]
    session.add(artist)


def change(session: Session) -> Any:
    album = session.get(Album, 1)
    album.title = "Deeper Sea"


def change_where(session: Session) -> Any:
    return session.execute(update(Album).values(price=Album.price + 1).where(Album.year < 2005)).rowcount


def remove(session: Session) -> Any:
    session.delete(session.get(Album, 3))


def remove_where(session: Session) -> Any:
    return session.execute(delete(Album).where(Album.price.is_(None))).rowcount


def upsert(session: Session) -> Any:
    row = insert(Tag).values(id=1, name="blues")
    session.execute(row.on_conflict_do_update(index_elements=["id"], set_={"name": "blues"}))


def insert_missing(session: Session) -> Any:
    session.execute(insert(Tag).values(name="jazz").on_conflict_do_nothing())


def get_or_create(session: Session) -> Any:
    tag = session.scalars(select(Tag).filter_by(name="soul")).first()
    if tag is None:
        tag = Tag(name="soul")
        session.add(tag)
        session.flush()
    return tag


def read_again(session: Session) -> Any:
    album = session.get(Album, 1)
    session.execute(text("UPDATE album SET year = 1999 WHERE id = 1"))
    session.refresh(album)
    return album.year


def all_or_nothing(session: Session) -> Any:
    try:
        session.add_all([Tag(name="lost"), Tag(name="jazz")])
        session.commit()
    except IntegrityError:
        session.rollback()
        return "refused"


def savepoint(session: Session) -> Any:
    session.add(Tag(name="kept"))
    try:
        with session.begin_nested():
            session.add(Tag(name="jazz"))
    except IntegrityError:
        pass


def sql(session: Session) -> Any:
    return session.execute(text("SELECT title FROM album WHERE year = :year ORDER BY id"), {"year": 2004}).all()


def sql_records(session: Session) -> Any:
    query = text("SELECT * FROM artist WHERE name < :name ORDER BY id")
    return session.scalars(select(Artist).from_statement(query), {"name": "P"}).all()


def sql_exists(session: Session) -> Any:
    newer = select(Album.id).where(Album.artist_id == Artist.id, Album.year > 2010)
    return session.scalars(select(Artist).where(newer.exists())).all()

"""Ten of the questions in SQLAlchemy, for docs/python/chinook.md, and printed as chinook.py prints its own."""

from __future__ import annotations

import json
import sys

from sqlalchemy import ForeignKey, Select, create_engine, func, literal, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, aliased, mapped_column, relationship


class Base(DeclarativeBase):
    pass


class Artist(Base):
    __tablename__ = "Artist"

    id: Mapped[int] = mapped_column("ArtistId", primary_key=True)
    name: Mapped[str | None] = mapped_column("Name")


class Album(Base):
    __tablename__ = "Album"

    id: Mapped[int] = mapped_column("AlbumId", primary_key=True)
    title: Mapped[str] = mapped_column("Title")
    artist_id: Mapped[int] = mapped_column("ArtistId", ForeignKey(Artist.id))
    artist: Mapped[Artist] = relationship()
    tracks: Mapped[list[Track]] = relationship(back_populates="album")


class Genre(Base):
    __tablename__ = "Genre"

    id: Mapped[int] = mapped_column("GenreId", primary_key=True)
    name: Mapped[str | None] = mapped_column("Name")


class PlaylistTrack(Base):
    __tablename__ = "PlaylistTrack"

    playlist_id: Mapped[int] = mapped_column("PlaylistId", ForeignKey("Playlist.PlaylistId"), primary_key=True)
    track_id: Mapped[int] = mapped_column("TrackId", ForeignKey("Track.TrackId"), primary_key=True)


class Track(Base):
    __tablename__ = "Track"

    id: Mapped[int] = mapped_column("TrackId", primary_key=True)
    name: Mapped[str] = mapped_column("Name")
    album_id: Mapped[int | None] = mapped_column("AlbumId", ForeignKey(Album.id))
    genre_id: Mapped[int | None] = mapped_column("GenreId", ForeignKey(Genre.id))
    composer: Mapped[str | None] = mapped_column("Composer")
    milliseconds: Mapped[int] = mapped_column("Milliseconds")
    album: Mapped[Album | None] = relationship(back_populates="tracks")
    genre: Mapped[Genre | None] = relationship()
    lines: Mapped[list[InvoiceLine]] = relationship(back_populates="track")


class Playlist(Base):
    __tablename__ = "Playlist"

    id: Mapped[int] = mapped_column("PlaylistId", primary_key=True)
    name: Mapped[str | None] = mapped_column("Name")
    tracks: Mapped[list[Track]] = relationship(secondary="PlaylistTrack")


class Employee(Base):
    __tablename__ = "Employee"

    id: Mapped[int] = mapped_column("EmployeeId", primary_key=True)
    last_name: Mapped[str] = mapped_column("LastName")
    reports_to: Mapped[int | None] = mapped_column("ReportsTo", ForeignKey("Employee.EmployeeId"))
    manager: Mapped[Employee | None] = relationship(remote_side=[id])


class Customer(Base):
    __tablename__ = "Customer"

    id: Mapped[int] = mapped_column("CustomerId", primary_key=True)
    last_name: Mapped[str] = mapped_column("LastName")
    agent_id: Mapped[int | None] = mapped_column("SupportRepId", ForeignKey(Employee.id))
    agent: Mapped[Employee | None] = relationship()
    invoices: Mapped[list[Invoice]] = relationship(back_populates="customer")


class Invoice(Base):
    __tablename__ = "Invoice"

    id: Mapped[int] = mapped_column("InvoiceId", primary_key=True)
    customer_id: Mapped[int] = mapped_column("CustomerId", ForeignKey(Customer.id))
    date: Mapped[str] = mapped_column("InvoiceDate")
    country: Mapped[str | None] = mapped_column("BillingCountry")
    total: Mapped[float] = mapped_column("Total")
    customer: Mapped[Customer] = relationship(back_populates="invoices")


class InvoiceLine(Base):
    __tablename__ = "InvoiceLine"

    id: Mapped[int] = mapped_column("InvoiceLineId", primary_key=True)
    invoice_id: Mapped[int] = mapped_column("InvoiceId", ForeignKey(Invoice.id))
    track_id: Mapped[int] = mapped_column("TrackId", ForeignKey(Track.id))
    unit_price: Mapped[float] = mapped_column("UnitPrice")
    quantity: Mapped[int] = mapped_column("Quantity")
    invoice: Mapped[Invoice] = relationship()
    track: Mapped[Track] = relationship(back_populates="lines")


led_zeppelin_rock = (
    select(Track.name, Album.title, Artist.name)
    .join(Track.album)
    .join(Album.artist)
    .join(Track.genre)
    .where(Artist.name == "Led Zeppelin", Genre.name == "Rock")
    .order_by(Album.title, Track.id)
)

_composers = func.count(Track.composer.distinct())
albums_of_many_composers = (
    select(Album.title, _composers, func.count())
    .join(Album.tracks)
    .group_by(Album.id)
    .having(_composers >= 5)
    .order_by(_composers.desc(), Album.title)
)

_averages = (
    select(Track.genre_id, func.avg(Track.milliseconds).label("average")).group_by(Track.genre_id).subquery("averages")
)
tracks_long_for_their_genre = (
    select(Track.name, Genre.name, Track.milliseconds)
    .join(Track.genre)
    .join(_averages, _averages.c.genre_id == Track.genre_id)
    .where(Track.milliseconds > _averages.c.average * 2)
    .order_by(Track.id)
)

_place = func.row_number().over(partition_by=Track.genre_id, order_by=[Track.milliseconds.desc(), Track.id])
_placed = (
    select(
        Genre.name.label("genre"),
        Track.name.label("track"),
        Track.milliseconds.label("length"),
        _place.label("place"),
    )
    .join(Track.genre)
    .subquery("placed")
)
longest_tracks_of_each_genre = (
    select(_placed.c.genre, _placed.c.track, _placed.c.length)
    .where(_placed.c.place <= 3)
    .order_by(_placed.c.genre, _placed.c.place)
)

_month = func.strftime("%Y-%m", Invoice.date)
_months = select(_month.label("month"), func.sum(Invoice.total).label("total")).group_by(_month).cte("months")
average_of_three_months = select(
    _months.c.month, func.round(func.avg(_months.c.total).over(order_by=_months.c.month, rows=(-1, 1)), 2)
).order_by(_months.c.month)

_revenue = func.round(func.sum(InvoiceLine.unit_price * InvoiceLine.quantity), 2)
top_ten_artists = (
    select(Artist.name, _revenue)
    .select_from(InvoiceLine)
    .join(InvoiceLine.track)
    .join(Track.album)
    .join(Album.artist)
    .group_by(Artist.id)
    .order_by(_revenue.desc(), Artist.name)
    .limit(10)
)

tracks_never_sold = select(Track.id, Track.name).where(~Track.lines.any()).order_by(Track.id)

_manager = aliased(Employee)
employees_and_their_managers = (
    select(Employee.last_name, _manager.last_name)
    .outerjoin(Employee.manager.of_type(_manager))
    .order_by(Employee.last_name)
)

_chain = (
    select(Employee.id, literal(0).label("level"), Employee.last_name.label("path"))
    .where(Employee.reports_to.is_(None))
    .cte("chain", recursive=True)
)
_chain = _chain.union_all(
    select(Employee.id, _chain.c.level + 1, _chain.c.path + " > " + Employee.last_name).join(
        _chain, Employee.reports_to == _chain.c.id
    )
)
reporting_chain = select(_chain).order_by(_chain.c.path)

playlists_with_metal = (
    select(Playlist.id, Playlist.name)
    .where(Playlist.tracks.any(Track.genre.has(Genre.name == "Metal")))
    .order_by(Playlist.id)
)


def main(path: str) -> None:
    with Session(create_engine(f"sqlite:///{path}")) as session:
        for question, statement in globals().items():
            if isinstance(statement, Select) and not question.startswith("_"):
                print(json.dumps(question))
                for row in session.execute(statement):
                    print(json.dumps(list(row)))


if __name__ == "__main__":
    main(sys.argv[1])

"""The Chinook database, a shop for music: its tables as models."""

from __future__ import annotations

from cormorant import Column, Model, column, many_to_many, to_many, to_one


class Artist(Model, table="Artist"):
    albums = to_many("Album")

    id: Column[int] = column(primary_key=True, name="ArtistId")
    name: Column[str | None] = column(name="Name")


class Album(Model, table="Album"):
    artist = to_one(Artist)
    tracks = to_many("Track")

    id: Column[int] = column(primary_key=True, name="AlbumId")
    title: Column[str] = column(name="Title")
    artist_id: Column[int] = column(name="ArtistId", references=Artist)


class Genre(Model, table="Genre"):
    tracks = to_many("Track")

    id: Column[int] = column(primary_key=True, name="GenreId")
    name: Column[str | None] = column(name="Name")


class MediaType(Model, table="MediaType"):
    id: Column[int] = column(primary_key=True, name="MediaTypeId")
    name: Column[str | None] = column(name="Name")


class Track(Model, table="Track"):
    album = to_one(Album)
    media_type = to_one(MediaType)
    genre = to_one(Genre)
    lines = to_many("InvoiceLine")
    playlists = many_to_many("Playlist", through="PlaylistTrack")

    id: Column[int] = column(primary_key=True, name="TrackId")
    name: Column[str] = column(name="Name")
    album_id: Column[int | None] = column(name="AlbumId", references=Album)
    media_type_id: Column[int] = column(name="MediaTypeId", references=MediaType)
    genre_id: Column[int | None] = column(name="GenreId", references=Genre)
    composer: Column[str | None] = column(name="Composer")
    milliseconds: Column[int] = column(name="Milliseconds")
    bytes: Column[int | None] = column(name="Bytes")
    unit_price: Column[float] = column(name="UnitPrice")


class Playlist(Model, table="Playlist"):
    tracks = many_to_many(Track, through="PlaylistTrack")

    id: Column[int] = column(primary_key=True, name="PlaylistId")
    name: Column[str | None] = column(name="Name")


class PlaylistTrack(Model, table="PlaylistTrack", primary_key=("playlist_id", "track_id")):
    playlist_id: Column[int] = column(name="PlaylistId", references=Playlist)
    track_id: Column[int] = column(name="TrackId", references=Track)


class Employee(Model, table="Employee"):
    manager = to_one("Employee")
    customers = to_many("Customer")

    id: Column[int] = column(primary_key=True, name="EmployeeId")
    last_name: Column[str] = column(name="LastName")
    first_name: Column[str] = column(name="FirstName")
    title: Column[str | None] = column(name="Title")
    reports_to: Column[int | None] = column(name="ReportsTo", references="Employee")
    birth_date: Column[str | None] = column(name="BirthDate")
    hire_date: Column[str | None] = column(name="HireDate")
    city: Column[str | None] = column(name="City")
    country: Column[str | None] = column(name="Country")
    email: Column[str | None] = column(name="Email")


class Customer(Model, table="Customer"):
    agent = to_one(Employee)
    invoices = to_many("Invoice")

    id: Column[int] = column(primary_key=True, name="CustomerId")
    first_name: Column[str] = column(name="FirstName")
    last_name: Column[str] = column(name="LastName")
    company: Column[str | None] = column(name="Company")
    city: Column[str | None] = column(name="City")
    state: Column[str | None] = column(name="State")
    country: Column[str | None] = column(name="Country")
    email: Column[str] = column(name="Email")
    agent_id: Column[int | None] = column(name="SupportRepId", references=Employee)


class Invoice(Model, table="Invoice"):
    customer = to_one(Customer)
    lines = to_many("InvoiceLine")

    id: Column[int] = column(primary_key=True, name="InvoiceId")
    customer_id: Column[int] = column(name="CustomerId", references=Customer)
    date: Column[str] = column(name="InvoiceDate")
    country: Column[str | None] = column(name="BillingCountry")
    total: Column[float] = column(name="Total")


class InvoiceLine(Model, table="InvoiceLine"):
    invoice = to_one(Invoice)
    track = to_one(Track)

    id: Column[int] = column(primary_key=True, name="InvoiceLineId")
    invoice_id: Column[int] = column(name="InvoiceId", references=Invoice)
    track_id: Column[int] = column(name="TrackId", references=Track)
    unit_price: Column[float] = column(name="UnitPrice")
    quantity: Column[int] = column(name="Quantity")

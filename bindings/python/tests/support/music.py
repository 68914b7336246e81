"""Models with relations, which the tests share."""

from __future__ import annotations

from cormorant import Column, Model, column, many_to_many, to_many, to_one


class Artist(Model, table="artists"):
    albums = to_many(lambda: Album)

    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    name: Column[str]


class Album(Model, table="albums"):
    artist = to_one(Artist)
    tracks = to_many(lambda: Track)

    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    title: Column[str]
    artist_id: Column[int] = column(references=Artist)
    year: Column[int | None] = column(default=None)


class Track(Model, table="tracks"):
    album = to_one(Album)
    playlists = many_to_many(lambda: Playlist, through="Entry")

    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    title: Column[str]
    album_id: Column[int] = column(references=Album)
    seconds: Column[int] = column(default=200)


class Playlist(Model, table="playlists"):
    tracks = many_to_many(Track, through="Entry")

    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    name: Column[str]


class Entry(Model, table="playlist_entries", primary_key=("playlist_id", "track_id")):
    playlist_id: Column[int] = column(references=Playlist)
    track_id: Column[int] = column(references=Track)


class Employee(Model, table="employees"):
    manager = to_one("Employee")
    reports = to_many("Employee")

    id: Column[int | None] = column(primary_key=True, default=None, kw_only=True)
    name: Column[str]
    manager_id: Column[int | None] = column(references="employees", default=None)


MODELS = (Artist, Album, Track, Playlist, Entry, Employee)

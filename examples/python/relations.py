"""Relations: conditions along them, loading, saving together."""

from __future__ import annotations

from music import Album, Artist, music

from cormorant import Database, NotLoadedError, is_loaded, select


def ask(db: Database) -> None:
    """A condition and an aggregate along relations."""
    query = select(Artist.name, Artist.albums.count()).where(Artist.albums.any(Album.year < 2000))
    for name, albums in db.fetch_all(query):
        print(f"{name}: {albums} albums")
    print([album.title for album in db.fetch_all(Album.where(Album.artist.name == "Otto"))])


def compare(db: Database) -> None:
    """With a record: the one that a relation leads to, or one of them."""
    for album in db.fetch_all(Album):
        artist = db.fetch_one(Artist.where(Artist.albums.contains(album)))
        print(album.title, artist and artist.name, db.count(Album.where(Album.artist == artist)))
    nina, otto = db.one(Artist, name="Nina"), db.one(Artist, name="Otto")
    print(db.count(Album.where(Album.artist.in_([nina, otto]))), len(db.fetch_all(Album, artist=nina)))


def load(db: Database) -> None:
    """The related records of many, in one statement for each level."""
    artists = db.fetch_all(Artist, order_by="name")
    db.load(artists, Artist.albums, order_by="-year", limit=1)
    for artist in artists:
        print(f"the newest of {artist.name}: {artist.albums[0].title}")
    try:
        print(artists[0].albums[0].artist)
    except NotLoadedError as error:
        print(error.message)


def load_levels(db: Database) -> None:
    """Several levels at once, and with the query itself: each relation is one statement, all of one snapshot."""
    albums = db.fetch_all(Album, order_by="id")
    db.load(albums, Album.artist / Artist.albums)
    for album in albums:
        if album.artist:
            print(album.title, "and", [other.title for other in album.artist.albums if other.id != album.id])
    for artist in db.fetch_all(select(Artist).load(Artist.albums).order_by("name")):
        print(artist.name, [album.title for album in artist.albums], is_loaded(artist, Artist.albums))


def save(db: Database) -> None:
    """An artist and the albums go in together: keys and foreign keys are filled in."""
    pia = Artist("Pia")
    pia.albums = [Album("Tide", 2020, None), Album("Ebb", 2022, None)]
    db.save_graph(pia)
    print(pia.id, [(album.id, album.artist_id) for album in pia.albums])
    pia.albums.pop()
    db.save_graph(pia, delete_removed=True)
    print(db.count(Album.where(Album.artist_id == pia.id)))


if __name__ == "__main__":
    with music() as database:
        for show in (ask, compare, load, load_levels, save):
            show(database)

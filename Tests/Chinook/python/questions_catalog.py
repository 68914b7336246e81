"""Questions about artists, albums and tracks. Each query is named as its question in questions.json."""

from cormorant import case, func, name, scalar, select
from models import Album, Artist, Genre, MediaType, Track

artists_without_albums = select(Artist.name).where(Artist.albums.none()).order_by(Artist.name)

artists_with_a_live_album = (
    select(Artist.name, Artist.albums.count())
    .where(Artist.albums.any(Album.title.contains("live")))
    .order_by(Artist.name)
)

led_zeppelin_rock = (
    select(Track.name, Track.album.title, Track.album.artist.name)
    .where(Track.album.artist.name == "Led Zeppelin", Track.genre.name == "Rock")
    .order_by(Track.album.title, Track.id)
)

_composers = func.count(Track.composer).distinct()
albums_of_many_composers = (
    select(Album.title, _composers.label("composers"), func.count())
    .join(Album.tracks)
    .group_by(Album.id)
    .having(_composers >= 5)
    .order_by("-composers", "title")
)

_averages = (
    select(Track.genre_id, func.avg(Track.milliseconds).label("average")).group_by(Track.genre_id).subquery("averages")
)
tracks_long_for_their_genre = (
    select(Track.name, Track.genre.name, Track.milliseconds)
    .join(_averages, _averages.c.genre_id == Track.genre_id)
    .where(Track.milliseconds > _averages.c.average * 2)
    .order_by(Track.id)
)

_placed = select(
    Track.genre.name.label("genre"),
    Track.name.label("track"),
    Track.milliseconds.label("length"),
    func.row_number().over(partition_by=Track.genre_id, order_by=[Track.milliseconds.desc(), Track.id]).label("place"),
).subquery("placed")
longest_tracks_of_each_genre = (
    select(_placed.c.genre, _placed.c.track, _placed.c.length)
    .where(_placed.c.place <= 3)
    .order_by(_placed.c.genre, _placed.c.place)
)

_ranked = select(
    Track.genre_id,
    Track.milliseconds,
    func.count().over(partition_by=Track.genre_id).label("size"),
    func.row_number().over(partition_by=Track.genre_id, order_by=Track.milliseconds).label("place"),
).cte("ranked")
median_length_of_each_genre = (
    select(Genre.name, func.avg(_ranked.c.milliseconds))
    .join(_ranked, _ranked.c.genre_id == Genre.id)
    .where(_ranked.c.place.between((_ranked.c.size + 1) / 2, (_ranked.c.size + 2) / 2))
    .group_by(Genre.id)
    .order_by(Genre.name)
)

_quarters = select(
    Track.milliseconds.label("length"), func.ntile(4).over(order_by=Track.milliseconds).label("quarter")
).cte("quarters")
quarters_by_length = (
    select(_quarters.c.quarter, func.count(), func.min(_quarters.c.length), func.max(_quarters.c.length))
    .group_by(_quarters.c.quarter)
    .order_by(_quarters.c.quarter)
)

_kind = case(
    (Track.milliseconds < 180_000, "short"),
    (Track.milliseconds <= 600_000, "medium"),
    (Track.milliseconds <= 1_800_000, "long"),
    else_="video",
)
tracks_by_kind_of_length = (
    select(_kind.label("kind"), func.count()).group_by(name(None, "kind")).order_by(func.min(Track.milliseconds))
)

names_with_a_percent_sign = select(Track.id, Track.name).where(Track.name.contains("%")).order_by(Track.id)

_all_tracks = scalar(select(func.count()).from_(Track))
share_of_each_media_type = (
    select(MediaType.name, func.count().label("tracks"), func.round(func.count() * 100.0 / _all_tracks, 2))
    .join(Track, Track.media_type_id == MediaType.id)
    .group_by(MediaType.id)
    .order_by("-tracks", "name")
)

tracks_page_by_page = (
    select(Track).order_by(Track.composer.asc(nulls="last"), Track.milliseconds.desc(), Track.id).limit(500)
)

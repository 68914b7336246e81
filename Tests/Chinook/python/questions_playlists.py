"""Questions about playlists and their tracks. Each query is named as its question in questions.json."""

from cormorant import alias, exists, func, select
from models import Playlist, PlaylistTrack, Track

_genres = func.count(Track.genre_id).distinct()
playlists_with_the_most_genres = (
    select(Playlist.name, _genres.label("genres"), func.count())
    .join(Playlist.tracks)
    .group_by(Playlist.id)
    .order_by("-genres", Playlist.id)
    .limit(5)
)

playlists_with_metal = (
    select(Playlist.id, Playlist.name).where(Playlist.tracks.any(Track.genre.name == "Metal")).order_by(Playlist.id)
)

_hours = func.round(Playlist.tracks.sum(Track.milliseconds) / 3_600_000.0, 1)
hours_of_each_playlist = select(Playlist.name, Playlist.tracks.count(), _hours).order_by(
    _hours.desc(nulls="last"), Playlist.id
)

_playlists = Track.playlists.count()
tracks_on_the_most_playlists = (
    select(Track.id, Track.name, _playlists.label("playlists")).order_by("-playlists", Track.id).limit(10)
)

# The same tracks: none on the one that is not on the other, and none the other way round.
_other = alias(Playlist, "other")
_mine = select(PlaylistTrack.track_id).where(PlaylistTrack.playlist_id == Playlist.id)
_others = select(PlaylistTrack.track_id).where(PlaylistTrack.playlist_id == _other.id)
twin_playlists = (
    select(Playlist.id, _other.id, Playlist.name)
    .join(_other, Playlist.id < _other.id)
    .where(exists(_mine), ~exists(_mine.except_(_others)), ~exists(_others.except_(_mine)))
)

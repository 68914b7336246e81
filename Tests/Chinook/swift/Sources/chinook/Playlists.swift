import Cormorant

// Questions about playlists and their tracks.

private let playlistsWithTheMostGenres = Playlist.join(PlaylistTrack.self) { $0.id == $1.playlistID }
    .group { playlist, entry in playlist.id }
    .order { playlist, entry in (entry.track.genreID.count().distinct().desc(), playlist.id) }
    .limit(5)
    .select { playlist, entry in (playlist.name, entry.track.genreID.count().distinct(), count()) }

private let playlistsWithMetal = Playlist.where { $0.tracks.contains { $0.genre.name == "Metal" } }
    .order { $0.id }
    .select { ($0.id, $0.name) }

private func hours(_ playlist: Playlist.Columns) -> SQLExpression<Double?> {
    (playlist.tracks.sum { $0.milliseconds }.read(as: Double?.self) / 3_600_000).rounded(digits: 1)
}

private let hoursOfEachPlaylist = Playlist.all.order { (hours($0).desc().nullsLast(), $0.id) }
    .select { ($0.name, $0.tracks.count(), hours($0)) }

private let tracksOnTheMostPlaylists = Track.all.order { ($0.playlists.count().desc(), $0.id) }
    .limit(10)
    .select { ($0.id, $0.name, $0.playlists.count()) }

private func tracks(of playlist: Playlist.Columns) -> SelectQuery<Int64, PlaylistTrack.Columns> {
    PlaylistTrack.where { $0.playlistID == playlist.id }.select { $0.trackID }
}

// The same tracks: none on the one that is not on the other, and none the other way round.
private let twinPlaylists = Playlist.join(Playlist.self, as: "other") { $0.id < $1.id }
    .where { one, other in
        tracks(of: one).exists() && !tracks(of: one).except(tracks(of: other)).exists()
            && !tracks(of: other).except(tracks(of: one)).exists()
    }
    .select { one, other in (one.id, other.id, one.name) }

let playlistQuestions: [Question] = [
    Question("playlists_with_the_most_genres", playlistsWithTheMostGenres),
    Question("playlists_with_metal", playlistsWithMetal),
    Question("hours_of_each_playlist", hoursOfEachPlaylist),
    Question("tracks_on_the_most_playlists", tracksOnTheMostPlaylists),
    Question("twin_playlists", twinPlaylists),
]

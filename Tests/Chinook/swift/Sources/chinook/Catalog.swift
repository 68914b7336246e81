import Cormorant

// Questions about artists, albums and tracks.

private let artistsWithoutAlbums = Artist.where { $0.albums.isEmpty() }.order { $0.name }.select { $0.name }

private let artistsWithALiveAlbum = Artist.where { $0.albums.contains { $0.title.contains("live") } }
    .order { $0.name }
    .select { ($0.name, $0.albums.count()) }

private let ledZeppelinRock = Track.where { $0.album.artist.name == "Led Zeppelin" && $0.genre.name == "Rock" }
    .order { ($0.album.title, $0.id) }
    .select { ($0.name, $0.album.title, $0.album.artist.name) }

private let albumsOfManyComposers = Album.join(Track.self) { album, track in track.albumID == album.id }
    .group { album, track in album.id }
    .having { album, track in track.composer.count().distinct() >= 5 }
    .order { album, track in (track.composer.count().distinct().desc(), album.title) }
    .select { album, track in (album.title, track.composer.count().distinct(), count()) }

@Model
struct GenreAverage {
    var genreID: Int64?
    var milliseconds: Double?
}

private let averages = Track.group { $0.genreID }
    .select { GenreAverage.Columns(genreID: $0.genreID, milliseconds: $0.milliseconds.average()) }

private let tracksLongForTheirGenre = Track.join(GenreAverage.self, from: averages) { $0.genreID == $1.genreID }
    .where { track, average in track.milliseconds.read(as: Double?.self) > average.milliseconds * 2 }
    .order { track, average in track.id }
    .select { track, average in (track.name, track.genre.name, track.milliseconds) }

@Model
struct PlacedTrack {
    var genre: String?
    var name: String
    var milliseconds: Int64
    var place: Int64
}

private let placedTracks = Track.select {
    PlacedTrack.Columns(
        genre: $0.genre.name, name: $0.name, milliseconds: $0.milliseconds,
        place: call("row_number").over(.partition(by: $0.genreID).order(by: $0.milliseconds.desc(), $0.id)))
}

private let longestTracksOfEachGenre = PlacedTrack.from(placedTracks).where { $0.place <= 3 }
    .order { ($0.genre, $0.place) }
    .select { ($0.genre, $0.name, $0.milliseconds) }

@Model
struct RankedTrack {
    var genreID: Int64?
    var milliseconds: Int64
    var size: Int
    var place: Int
}

private let rankedTracks = Track.select {
    RankedTrack.Columns(
        genreID: $0.genreID, milliseconds: $0.milliseconds, size: count().over(.partition(by: $0.genreID)),
        place: call("row_number").over(.partition(by: $0.genreID).order(by: $0.milliseconds)))
}.cte("ranked")

private let medianLengthOfEachGenre = Genre.join(RankedTrack.self, from: rankedTracks) { $1.genreID == $0.id }
    .where { genre, ranked in ranked.place.isBetween((ranked.size + 1) / 2, (ranked.size + 2) / 2) }
    .group { genre, ranked in genre.id }
    .order { genre, ranked in genre.name }
    .select { genre, ranked in (genre.name, ranked.milliseconds.average()) }

@Model
struct QuarteredTrack {
    var milliseconds: Int64
    var quarter: Int64
}

private let quarteredTracks = Track.select {
    QuarteredTrack.Columns(
        milliseconds: $0.milliseconds, quarter: call("ntile", SQLExpression(4)).over(.order(by: $0.milliseconds)))
}.cte("quarters")

private let quartersByLength = quarteredTracks.group { $0.quarter }
    .order { $0.quarter }
    .select { ($0.quarter, count(), $0.milliseconds.min(), $0.milliseconds.max()) }

private func kind(of track: Track.Columns) -> SQLExpression<String> {
    when(track.milliseconds < 180_000, "short")
        .when(track.milliseconds <= 600_000, "medium")
        .when(track.milliseconds <= 1_800_000, "long")
        .otherwise("video")
}

private let tracksByKindOfLength = Track.all.group { kind(of: $0) }
    .order { $0.milliseconds.min() }
    .select { (kind(of: $0), count()) }

private let namesWithAPercentSign = Track.where { $0.name.contains("%") }.order { $0.id }.select { ($0.id, $0.name) }

private let allTracks = Track.select { _ in count().read(as: Double.self) }.scalar()

private let shareOfEachMediaType = MediaType.join(Track.self) { $0.id == $1.mediaTypeID }
    .group { media, track in media.id }
    .order { media, track in (count().desc(), media.name) }
    .select { media, track in
        (media.name, count(), (count().read(as: Double?.self) * 100 / allTracks).rounded(digits: 2))
    }

private let tracksPageByPage = Track.all
    .order { ($0.composer.asc().nullsLast(), $0.milliseconds.desc(), $0.id) }
    .limit(500)

let catalogQuestions: [Question] = [
    Question("artists_without_albums", artistsWithoutAlbums),
    Question("artists_with_a_live_album", artistsWithALiveAlbum),
    Question("led_zeppelin_rock", ledZeppelinRock),
    Question("albums_of_many_composers", albumsOfManyComposers),
    Question("tracks_long_for_their_genre", tracksLongForTheirGenre),
    Question("longest_tracks_of_each_genre", longestTracksOfEachGenre),
    Question("median_length_of_each_genre", medianLengthOfEachGenre),
    Question("quarters_by_length", quartersByLength),
    Question("tracks_by_kind_of_length", tracksByKindOfLength),
    Question("names_with_a_percent_sign", namesWithAPercentSign),
    Question("share_of_each_media_type", shareOfEachMediaType),
    Question("tracks_page_by_page", pages: tracksPageByPage),
]

import CormorantFoundation
import Foundation

extension Recipes {
    /// A record is a plain struct, so `Codable` is Swift's own; `JSON` is a column of any `Codable` value.
    static func codable() throws {
        let database = try tracks(1)
        let received = Data(#"{"title": "Tide", "seconds": 181, "tags": ["sea", "slow"]}"#.utf8)
        var track = try JSONDecoder().decode(Track.self, from: received)
        try database.insert(&track)
        print(String(decoding: try JSONEncoder().encode(track.tags), as: UTF8.self))
        print(try database.fetchAll(Track.where { $0.title == "Tide" }).writeJSON())
    }
}

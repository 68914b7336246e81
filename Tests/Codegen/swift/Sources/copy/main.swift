// Reads every row of a file with the generated models, and writes it to a new file that sync made of them.
import Cormorant

func copy<R: Record>(_ type: R.Type, from source: Database, to copy: Database) throws {
    var records = try source.fetchAll(R.self)
    try copy.insert(contentsOf: &records)
}

/// Prints what sync would do to the file that the models were made from: nothing.
func copyAll(from source: Database, to copied: Database) throws {
    print(try source.plan(Models.all).sql, terminator: "")
    try copied.sync(Models.all)
    let types: [any Record.Type] = [
        Album.self, Artist.self, Customer.self, Employee.self, Genre.self, Invoice.self, InvoiceLine.self,
        MediaType.self, Playlist.self, PlaylistTrack.self, Track.self,
    ]
    for type in types { try copy(type, from: source, to: copied) }
}

func find(in source: Database) throws -> Bool {
    try Track.fetchAll(albumID: 1, in: source).contains { $0.trackID == 1 }
}

/// The finders wait in tasks: without a call that does, `await` is a warning.
func findInTask(in source: Database) async throws -> Bool {
    let track = try await Track.find(trackID: 1, in: source)
    let tracks = try await Track.fetchAll(albumID: 1, in: source)
    return try await PlaylistTrack.find(playlistID: 1, trackID: 1, in: source) != nil
        && tracks.contains { $0.trackID == track?.trackID }
}

let arguments = CommandLine.arguments
var options = OpenOptions()
options.foreignKeys = false  // the tables come in any order
let source = try Database(path: arguments[1], options: options)
try copyAll(from: source, to: Database(path: arguments[2], options: options))
guard try find(in: source), try await findInTask(in: source) else { fatalError("the finders find something else") }

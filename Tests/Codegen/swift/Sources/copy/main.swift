// Reads every row of a file with the generated models, and writes it to a new file that sync made of them.
import Cormorant

func copy<R: Record>(_ type: R.Type, from source: Database, to copy: Database) throws {
    var records = try source.fetchAll(R.self)
    try copy.insert(contentsOf: &records)
}

let arguments = CommandLine.arguments
var options = OpenOptions()
options.foreignKeys = false  // the tables come in any order
let source = try Database(path: arguments[1], options: options)
// What sync would do to the file that the models were made from: nothing.
print(try source.plan(Models.all).sql, terminator: "")
let copied = try Database(path: arguments[2], options: options)
try copied.sync(Models.all)
let types: [any Record.Type] = [
    Album.self, Artist.self, Customer.self, Employee.self, Genre.self, Invoice.self, InvoiceLine.self, MediaType.self,
    Playlist.self, PlaylistTrack.self, Track.self,
]
for type in types { try copy(type, from: source, to: copied) }

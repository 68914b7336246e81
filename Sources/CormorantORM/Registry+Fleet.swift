import CormorantBase
import CormorantSQLite

extension Registry {
    /// Runs `body` with one database after another. Those that were not open are closed again at once, so that those in use
    /// stay open.
    /// - Parameters:
    ///   - names: nil: all whose files are there.
    ///   - told: is told of each what became of it; false stops, and the call throws `interrupted`.
    package func forEach(
        _ names: [String]?, _ body: (Lease) throws -> Int,
        told: (_ name: String, _ index: Int, _ count: Int, _ result: Result<Int, CormorantError>) -> Bool
    ) throws {
        let names = try names ?? allNames().filter { fileExists(try location($0).path) }
        for (index, name) in names.enumerated() {
            let result: Result<Int, CormorantError>
            do {
                let lease = try use(name, isPassing: true)
                defer { try? lease.release() }
                result = .success(try body(lease))
            } catch let error as CormorantError {
                result = .failure(error)
            }
            guard told(name, index, names.count, result) else {
                throw CormorantError(
                    .interrupted, "stopped after \(index + 1) of \(names.count) databases",
                    hint: "call again to go on: what is done is not done anew")
            }
        }
    }

    /// Attaches a database of the registry to another one, under a name of its own, until that one is given back.
    public func attach(_ name: String, to database: Database, as schema: String) throws {
        let place = try location(name)
        database.retireReaders()
        try database.withConnection { try $0.attach(place.path, as: schema, codecs: place.options.codecs) }
    }
}

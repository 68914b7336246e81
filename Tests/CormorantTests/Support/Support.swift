import Cormorant
import Foundation
import Testing

/// A folder that goes with its last reference.
final class TemporaryFolder {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("cormorant-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }
}

let testKey = ProcessInfo.processInfo.environment["CORMORANT_TEST_KEY"]

/// That of CORMORANT_TEST_KEY, where none of the files is there already as a plain one.
func testEncryption(_ files: String...) throws -> Encryption? {
    let beginsPlain = files.contains { file in
        let handle = FileHandle(forReadingAtPath: file)
        defer { try? handle?.close() }
        return (try? handle?.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
    }
    guard let testKey, !beginsPlain else { return nil }
    return try Encryption(key: CipherKey(testKey))
}

/// A database file. With CORMORANT_TEST_KEY, it is encrypted with that key unless it is there already as a plain one.
func openDatabase(path: String, options: OpenOptions = OpenOptions()) throws -> Database {
    var options = options
    if options.encryption == nil, !path.isEmpty, path != ":memory:" {
        options.encryption = try testEncryption(path, options.template ?? "")
    }
    return try Database(path: path, options: options)
}

/// A database in memory with the tables of some records.
func memoryDatabase(_ types: any Record.Type...) throws -> Database {
    let database = try Database(path: ":memory:")
    try database.createTables(types.map { $0.model })
    return database
}

/// Expects an error of the library with a code, and returns it.
@discardableResult
func expectError<Result>(
    _ code: ErrorCode, _ body: () throws -> Result, location: SourceLocation = #_sourceLocation
) -> CormorantError? {
    do {
        _ = try body()
        Issue.record("no error, \(code.name) was expected", sourceLocation: location)
    } catch let error as CormorantError {
        if error.code == code { return error }
        Issue.record("\(error), \(code.name) was expected", sourceLocation: location)
    } catch {
        Issue.record("\(error), \(code.name) was expected", sourceLocation: location)
    }
    return nil
}

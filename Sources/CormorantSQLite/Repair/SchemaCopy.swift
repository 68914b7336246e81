import CormorantBase
import CormorantPlatform

/// Where a copy of a file's schema stands, for databases that keep one.
package func schemaCopyPath(_ path: String) -> String { path + "-corm-schema" }

extension Connection {
    /// Brings the copy of the schema up to date. Not to be had, it is missing where a repair would want it: that is no error.
    package func keepSchema() {
        guard engine == nil, !isReadOnly, let path = filePath else { return }
        try? writeSchemaCopy(of: path, codecs) { try schemaScript() }
    }

    /// What the copy of a file's schema is to hold, once this one has taken that one's place; nil where there is no copy.
    func schemaToKeep(of path: String) -> [String]? {
        fileExists(schemaCopyPath(path)) ? try? schemaScript() : nil
    }

    private func schemaScript() throws -> [String] {
        let statement = try Statement(self, "SELECT sql FROM main.sqlite_schema WHERE sql NOT NULL ORDER BY rowid")
        defer { statement.finalize() }
        var texts: [String] = []
        while try statement.step() { texts.append(Row(statement).cell(0).string ?? "") }
        return texts
    }
}

/// After another file took the place of one that was encrypted otherwise: takes the copy of that one's schema away, which is encrypted as
/// it was, and what a killed process left of it.
/// - Parameter texts: what the new copy holds; nil: there is none.
func renewSchemaCopy(_ texts: [String]?, of file: String, _ codecs: (any PageCodecSource)?) {
    let path = schemaCopyPath(file)
    removeFile(path)
    try? UnfinishedFile(of: path).remove()
    if let texts { try? writeSchemaCopy(of: file, codecs) { texts } }
}

/// Writes the copy of a file's schema, unless it is as it should be.
/// - Parameter script: its statements as they are now.
func writeSchemaCopy(
    of file: String, _ codecs: (any PageCodecSource)?, _ script: () throws -> [String]
) throws {
    let path = schemaCopyPath(file)
    var texts = try script()
    // From a file that has lost its schema nothing is learnt.
    if try texts.isEmpty || readSchemaCopy(path, codecs) == texts { return }
    let unfinished = try UnfinishedFile(of: path, patience: 1000)
    defer { unfinished.remove() }
    let temporary = unfinished.path
    // Once more: what another one that was waited for has written may be newer.
    texts = try script()
    var options = OpenOptions(journalMode: .memory, synchronous: .off)
    options.codecs = codecs
    let copy = try Connection(path: temporary, options: options)
    defer { copy.close() }
    try copy.script("BEGIN; CREATE TABLE schema (sql TEXT NOT NULL)")
    let insert = try Statement(copy, "INSERT INTO schema VALUES (?)")
    defer { insert.finalize() }
    for text in texts {
        try insert.bind(.text(text), 1)
        _ = try insert.step()
        insert.reset()
    }
    insert.finalize()
    try copy.script("COMMIT")
    copy.close()
    try keepRights(of: file, on: temporary)
    try synchronize(temporary)
    try replace(path, by: temporary)
}

/// The CREATE statements of a copy; nil where there is none, or it cannot be read.
func readSchemaCopy(
    _ path: String, _ codecs: (any PageCodecSource)?, _ monitor: ProgressMonitor? = nil
) throws -> [String]? {
    guard fileExists(path) else { return nil }
    var options = OpenOptions(mode: .readOnly, untrusted: true)
    options.codecs = codecs
    guard let copy = try? Connection(path: path, options: options) else { return nil }
    defer { withExtendedLifetime(monitor) { copy.close() } }
    copy.setMonitor(monitor)
    // Not what somebody made in its place: a view may have rows without end.
    let isTable = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema' AND rootpage > 0"
    guard let table = try? Statement(copy, isTable) else { return nil }
    defer { table.finalize() }
    guard (try? table.step()) ?? false, let statement = try? Statement(copy, "SELECT sql FROM schema ORDER BY rowid")
    else { return nil }
    defer { statement.finalize() }
    var texts: [String] = []
    while (try? statement.step()) ?? false { texts.append(Row(statement).cell(0).string ?? "") }
    return texts
}

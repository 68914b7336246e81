import CormorantBase
import CormorantQuery

/// What the values of one name are, over all records: from it comes the column's type.
private struct ColumnGuess {
    var hasInteger = false
    /// Of more digits than a double holds.
    var hasLongInteger = false
    var hasReal = false
    /// Of more digits than any number of SQLite holds.
    var hasLongNumber = false
    var hasBool = false
    var hasText = false
    var hasBlob = false

    mutating func see(_ field: ImportField) {
        switch field.kind {
        case .missing, .null: break
        case .text, .json: hasText = true
        case .base64: hasBlob = true
        case .bool: hasBool = true
        case .number, .plain, .quoted: seeText(field.bytes, isNumber: field.kind == .number)
        }
    }

    private mutating func seeText(_ bytes: UnsafeBufferPointer<UInt8>, isNumber: Bool) {
        if isNumber || isPlainNumber(bytes) {
            switch NumberForm(bytes) {
            case .integer(let value):
                hasInteger = true
                if value.magnitude > 1 << 53 { hasLongInteger = true }
                return
            case .real where !isNumber || exactDouble(bytes) != nil:
                hasReal = true
                return
            case .real, nil: hasLongNumber = true
            }
        }
        if isWord(bytes, "true") || isWord(bytes, "false") {
            hasBool = true
        } else if isBlobLiteral(bytes) {
            hasBlob = true
        } else {
            hasText = true
        }
    }

    /// - Parameter isTyped: whether values say themselves what they are.
    func declaration(isTyped: Bool) -> String {
        if hasLongNumber { return "TEXT" }
        let hasNumber = hasInteger || hasReal
        switch (hasNumber, hasBool, hasText, hasBlob) {
        case (true, false, false, false):
            if !hasReal { return "INTEGER" }
            return hasLongInteger ? (isTyped ? "" : "TEXT") : "REAL"
        case (false, true, false, false): return "BOOLEAN"
        case (false, false, false, true): return "BLOB"
        case (false, false, _, false): return "TEXT"
        // Values of several kinds stay what they are.
        default: return isTyped ? "" : "TEXT"
        }
    }
}

func isWord(_ bytes: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
    bytes.count == word.utf8CodeUnitCount && bytes.indices.allSatisfy { bytes[$0] | 0x20 == word.utf8Start[$0] }
}

/// The CREATE TABLE for all records of a reader.
/// - Parameters:
///   - isTyped: whether values say themselves what they are, as JSON's do and CSV's do not.
///   - key: names of the primary key's columns.
///   - isServer: whether the types are PostgreSQL's.
func inferredTable(
    _ name: String, _ reader: any RecordReader, isTyped: Bool, key: [String], isServer: Bool,
    _ progress: (Int64) throws -> Void
) throws -> String {
    var guesses: [ColumnGuess] = []
    var count = 0
    reading: while true {
        switch try reader.next() {
        case .end: break reading
        case .malformed: break
        case .record:
            while guesses.count < reader.names.count { guesses.append(ColumnGuess()) }
            for (index, field) in reader.fields.enumerated() { guesses[index].see(field) }
        }
        count += 1
        if count % 1024 == 0 { try progress(reader.position) }
    }
    let names = reader.names
    guard !names.isEmpty else {
        throw CormorantError(.type, "there is nothing to import", hint: "give records with at least one name")
    }
    var seen = Set<[UInt8]>()
    for (index, name) in names.enumerated() {
        guard !name.isEmpty else {
            throw CormorantError(
                .type, "column \(index + 1) has no title", hint: "give each column one, or --no-header")
        }
        guard !name.utf8.contains(0) else {
            throw CormorantError(
                .encoding, "the title of column \(index + 1) holds a NUL character", hint: "give it another one")
        }
        guard seen.insert(foldedBytes(name)).inserted else {
            throw CormorantError(
                .type, "two columns are called \"\(visible(name))\"", hint: "give each column a title of its own")
        }
    }
    while guesses.count < names.count { guesses.append(ColumnGuess()) }
    for column in key where !names.contains(where: { sameIdentifier($0, column) }) {
        throw CormorantError(
            .type, "--upsert names \"\(visible(column))\", which is no column of the data",
            hint: nearestNames(to: column, names))
    }
    let single = key.count == 1 ? key[0] : nil
    var lines = zip(names, guesses).map { name, guess in
        let declared = guess.declaration(isTyped: isTyped)
        let type = isServer ? serverType(declared) : declared
        let isKey = single.map { sameIdentifier($0, name) } ?? false
        return quoteIdentifier(name) + (type.isEmpty ? "" : " \(type)")
            + (isKey ? " PRIMARY KEY" + (type == "INTEGER" ? "" : " NOT NULL") : "")
    }
    if key.count > 1 { lines.append("PRIMARY KEY (\(key.map(quoteIdentifier).joined(separator: ", ")))") }
    return "CREATE TABLE \(quoteIdentifier(name)) (\n  \(lines.joined(separator: ",\n  "))\n)"
}

/// As models' columns have them.
private func serverType(_ declaration: String) -> String {
    switch declaration {
    case "INTEGER": "bigint"
    case "REAL": "double precision"
    case "BOOLEAN": "boolean"
    case "BLOB": "bytea"
    default: "text COLLATE \"C\""
    }
}

private func isBlobLiteral(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    text.count >= 3 && text[0] | 0x20 == UInt8(ascii: "x") && bytes(blobLiteral: text) != nil
}

import CormorantBase
import CormorantEngine

// What another engine's connection is handed.
extension Connection {
    /// Throws where the connection is another engine's.
    /// - Parameter what: what only SQLite has, as a noun: "backups".
    package func requireSQLite(_ what: @autoclosure () -> String) throws {
        guard let engine else { return }
        throw CormorantError(
            .unsupported, "\(engine.engineName) has no \(what()) here",
            hint: "open a file of SQLite's for that, or use what the server has of its own")
    }

    /// Whether a transaction is open, one of a server's that has failed included.
    package var isOpenOnServer: Bool { handle == nil ? engine?.isInTransaction ?? false : isInTransaction }

    @usableFromInline @inline(never)
    var isInTransactionOfEngine: Bool { engine.map { $0.isInTransaction && !$0.hasFailedTransaction } ?? false }

    @inline(never)
    var changesOfEngine: Int64 { engine?.changes ?? 0 }

    @inline(never)
    var totalChangesOfEngine: Int64 { engine?.totalChanges ?? 0 }

    func script(_ sql: String, on engine: any EngineConnection) throws {
        let before = engine.schemaChanges
        defer { if engine.schemaChanges != before { schemaChanges &+= 1 } }
        let isBegun = savepoints > 0
        try engine.script(sql) { word in isBegun ? notForSQL(word, sql) : nil }
    }

    /// Of a statement after an error that has ended the server's transaction.
    package func failedTransaction() -> CormorantError {
        CormorantError(
            .transaction, "an error has ended this transaction, in which nothing more can be done",
            hint:
                "roll back and begin again; put what may fail into a nested transaction, which alone is rolled back then"
        )
    }
}

extension Statement {
    // Apart from the calls of SQLite's, which stand in line where many values are read and written.

    @usableFromInline @inline(never)
    func stepEngine() throws -> Bool { try engine?.step() ?? false }

    @inline(never)
    func engineRow() -> (cells: UnsafePointer<RowCell>, count: Int32)? { engine?.row }

    @usableFromInline @inline(never)
    func resetEngine() { engine?.reset() }

    @usableFromInline @inline(never)
    func bindEngine(_ index: Int32) { engine?.bindNull(index) }

    @usableFromInline @inline(never)
    func bindEngine(_ value: Int64, _ index: Int32) { engine?.bind(value, index) }

    @usableFromInline @inline(never)
    func bindEngine(_ value: Double, _ index: Int32) { engine?.bind(value, index) }

    @usableFromInline @inline(never)
    func bindEngine(text bytes: UnsafeRawPointer, _ count: Int, _ index: Int32, borrowing: Bool) throws {
        try engine?.bindText(bytes, count: count, index, borrowing: borrowing)
    }

    @usableFromInline @inline(never)
    func bindEngine(blob bytes: UnsafeRawPointer, _ count: Int, _ index: Int32, borrowing: Bool) throws {
        try engine?.bindBlob(bytes, count: count, index, borrowing: borrowing)
    }

    /// A list is the text of a JSON array of what stands in a row, or of arrays of these: `null`, or a string with the integer,
    /// the shortest decimal of the real, the text, or the base64 of the blob.
    func bindEngine(list values: [Value], width: Int, _ index: Int32) throws {
        var json: [UInt8] = [UInt8(ascii: "[")]
        for (place, value) in values.enumerated() {
            if place > 0 { json.append(UInt8(ascii: ",")) }
            if width > 1, place % width == 0 { json.append(UInt8(ascii: "[")) }
            switch value {
            case .null: json += Array("null".utf8)
            case .integer(let integer): appendJSONString("\(integer)".utf8, to: &json)
            case .real(let real): appendJSONString("\(real)".utf8, to: &json)
            case .text(let text): appendJSONString(text.utf8, to: &json)
            case .blob(let bytes):
                json.append(UInt8(ascii: "\""))
                bytes.withUnsafeBytes { appendBase64($0, to: &json) }
                json.append(UInt8(ascii: "\""))
            }
            if width > 1, place % width == width - 1 { json.append(UInt8(ascii: "]")) }
        }
        json.append(UInt8(ascii: "]"))
        try json.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            try engine?.bindText(start, count: bytes.count, index, borrowing: false)
        }
    }
}

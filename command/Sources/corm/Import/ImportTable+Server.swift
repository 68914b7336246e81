import CormorantBase
import CormorantEngine
import CormorantQuery
import CormorantSQLite

/// A record that waits, with a copy of its bytes.
final class KeptRecord: RecordReader {
    let names: [String]
    private(set) var fields: [ImportField] = []
    let line: Int
    private(set) var text: UnsafeBufferPointer<UInt8>
    let position: Int64
    private let memory: UnsafeMutableBufferPointer<UInt8>

    init(_ reader: any RecordReader) {
        names = reader.names
        line = reader.line
        position = reader.position
        let size = reader.text.count + reader.fields.reduce(0) { $0 + $1.bytes.count }
        memory = .allocate(capacity: max(1, size))
        text = UnsafeBufferPointer(start: nil, count: 0)
        var used = 0
        func copy(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
            // Nothing at all is another thing than an empty text.
            guard bytes.baseAddress != nil else { return bytes }
            let part = UnsafeMutableBufferPointer(rebasing: memory[used..<used + bytes.count])
            _ = part.initialize(from: bytes)
            used += bytes.count
            return UnsafeBufferPointer(part)
        }
        text = copy(reader.text)
        fields = reader.fields.map { ImportField(kind: $0.kind, bytes: copy($0.bytes)) }
    }

    deinit { memory.deallocate() }

    func next() -> ImportOutcome { .end }
}

/// A server gets many records at once, by COPY where the table lets that do the same as INSERT. An error there ends the transaction,
/// so each lot has a savepoint; one with a record that is refused is written again, record by record.
extension ImportTable {
    var isOnServer: Bool { connection.engine != nil }

    func keep(_ reader: any RecordReader) { pending.append(KeptRecord(reader)) }

    /// Writes what waits.
    /// - Returns: how many were written.
    func flush(_ refused: inout [(record: KeptRecord, reason: String)]) throws -> Int {
        let records = pending
        pending = []
        guard !records.isEmpty, let engine = connection.engine else { return 0 }
        var found: [(record: KeptRecord, reason: String)] = []
        try connection.begin(.immediate)
        do {
            found = try send(records, engine)
            try connection.commit()
        } catch let error as CormorantError where error.isRefusal {
            try connection.rollback()
            found = []
            for record in records {
                if let reason = try writeAlone(record) { found.append((record, reason)) }
            }
        }
        refused += found
        return records.count - found.count
    }

    /// Has the keys that a server makes from now on come after those that the records gave, where the user may do that.
    func raiseSequences() throws {
        guard isOnServer else { return }
        let name = quoteText(quoteIdentifier(table.name))
        for column in columns {
            guard let column, let place = table.place(of: column.name), table.columns[place].type?.isInteger ?? false
            else {
                continue
            }
            let sequence = """
                SELECT CAST(q.s AS text) FROM (SELECT pg_get_serial_sequence(\(name), \(quoteText(column.name)))::regclass AS s) q
                    JOIN pg_catalog.pg_sequence p ON p.seqrelid = q.s AND p.seqincrement > 0
                WHERE has_sequence_privilege(q.s, 'UPDATE') AND has_table_privilege(\(name), 'SELECT')
                """
            guard case .text(let sequence)? = try value(of: sequence) else { continue }
            _ = try value(
                of: """
                    SELECT setval(p.seqrelid, m.greatest) FROM pg_catalog.pg_sequence p,
                        (SELECT max(\(quoteIdentifier(column.name))) AS greatest FROM \(quoteIdentifier(table.name))) m
                    WHERE p.seqrelid = CAST(\(quoteText(sequence)) AS regclass) AND m.greatest <= p.seqmax
                        AND m.greatest > coalesce(pg_sequence_last_value(p.seqrelid), 0)
                    """)
        }
    }

    private func value(of sql: String) throws -> Value? {
        let statement = try connection.statement(sql)
        defer { connection.recycle(statement) }
        return try statement.step() ? Row(statement).value(0) : nil
    }

    private func send(
        _ records: [KeptRecord], _ engine: any EngineConnection
    ) throws -> [(record: KeptRecord, reason: String)] {
        var refused: [(record: KeptRecord, reason: String)] = []
        var sent: [(record: KeptRecord, statement: Statement)] = []
        var unwritten: [KeptRecord] = []
        try engine.pipelined {
            for record in records {
                if let reason = try bind(record) {
                    refused.append((record, reason))
                } else if let statement, let engineStatement = statement.engine {
                    let hasOutcome = try engineStatement.send(copying: copySQL(record))
                    if hasOutcome { sent.append((record, statement)) }
                }
            }
            for (record, statement) in sent {
                _ = try statement.engine?.receive()
                if connection.changes == 0 { unwritten.append(record) }
            }
            try engine.settle()
        }
        for record in unwritten {
            if let reason = try passedOver(of: record) { refused.append((record, reason)) }
        }
        return refused.sorted { $0.record.line < $1.record.line }
    }

    private func passedOver(of record: KeptRecord) throws -> String? {
        // For the columns that it gives.
        if let reason = try bind(record) { return reason }
        return try passedOver(record.fields)
    }

    /// The COPY of what the record gives, in the order of its parameters.
    private func copySQL(_ record: KeptRecord) -> String? {
        guard key.isEmpty, !given.isEmpty else { return nil }
        let names = given.compactMap { table.place(of: record.names[$0]).map { table.columns[$0].name } }
        guard names.count == given.count else { return nil }
        let list = names.map(quoteIdentifier).joined(separator: ", ")
        return "COPY \(quoteIdentifier(table.name)) (\(list)) FROM STDIN (FORMAT binary)"
    }

    private func writeAlone(_ record: KeptRecord) throws -> String? {
        if let reason = try bind(record) { return reason }
        try connection.begin(.immediate)
        do {
            defer { statement?.reset() }
            while try statement?.step() ?? false {}
        } catch let error as CormorantError where error.isRefusal {
            try connection.rollback()
            return error.plainMessage
        }
        let changes = connection.changes
        try connection.commit()
        return changes > 0 ? nil : try passedOver(record.fields)
    }
}

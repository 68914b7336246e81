import CormorantBase
import CormorantSQLite

/// How deep hooks may write records whose hooks write records: far from where the stack of a thread would end.
private let greatestDepth = 64

extension ModelPlan {
    /// Runs a write of a record that has hooks or validators with them around it, in a transaction: what they throw undoes
    /// all of it.
    /// - Parameters:
    ///   - columns: of an update of some properties those that are written.
    ///   - body: writes the record, and says whether it did.
    @inline(never)
    func calling<Access: RecordAccess>(
        around record: inout Access, _ kind: RecordWrite.Kind, columns: [Int]? = nil,
        _ body: (inout Access, RecordWrite) throws -> Bool
    ) throws -> Bool {
        guard let database = pooled.database else { throw databaseClosed() }
        var write = RecordWrite(kind, model, columns: columns)
        if record.hookKind == .validators {
            if kind != .delete { try outsideOfBatch { try record.willWrite(&write, in: database) } }
            return try body(&record, write)
        }
        // What hooks took from rows that they wrote is rolled back with these.
        return try record.undoing { record in
            if isInBatch { return try callAll(around: &record, &write, database, body) }
            return try database.inTransaction { try callAll(around: &record, &write, database, body) }
        }
    }

    private func callAll<Access: RecordAccess>(
        around record: inout Access, _ write: inout RecordWrite, _ database: Database,
        _ body: (inout Access, RecordWrite) throws -> Bool
    ) throws -> Bool {
        try calling(database) { try record.willWrite(&write, in: database) }
        // The transaction around it undoes more than the record.
        let wasInBatch = isInBatch
        isInBatch = true
        defer { isInBatch = wasInBatch }
        guard try body(&record, write) else { return false }
        let hasMadeKey = madeKey
        if hasMadeKey { keyBeforeHooks = connection.lastInsertID }
        try calling(database) { try record.didWrite(write, in: database) }
        madeKey = hasMadeKey
        return true
    }

    /// Calls hooks, which may write by this plan as well.
    private func calling(_ database: Database, _ hooks: () throws -> Void) throws {
        guard pooled.hookDepth < greatestDepth else {
            throw CormorantError(
                .misuse, "hooks of \(model.name) write records whose hooks write records, \(greatestDepth) deep",
                hint: "let the hook look whether there is something left to write", table: model.table)
        }
        pooled.hookDepth += 1
        defer { pooled.hookDepth -= 1 }
        try outsideOfBatch { try database.keepingTransaction("hook", hooks) }
    }

    /// Calls what may write by this plan as well: for itself, and waiting for what came of it.
    private func outsideOfBatch(_ body: () throws -> Void) throws {
        let (wasInBatch, sending) = (isInBatch, pipeline)
        isInBatch = false
        if sending != nil { pipeline = nil }
        defer {
            isInBatch = wasInBatch
            if sending != nil { pipeline = sending }
        }
        try body()
    }
}

extension ModelDescriptor {
    /// Throws where its records have hooks or validators.
    /// - Parameters:
    ///   - what: writes rows without records: "JSON goes into the table".
    ///   - hint: what is to be done instead.
    package func refuseHooks(_ what: String, hint: String) throws {
        guard hasHooks else { return }
        throw CormorantError(
            .misuse, "\(what) past the hooks and validators of model \(name)", hint: hint, table: table)
    }
}

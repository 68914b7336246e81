import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantSQLite
import CormorantThreads

/// A statement of a person's.
struct SQLRun {
    /// Rows of one answer, and bytes of its values.
    private static let greatest = (rows: 1000, bytes: 4 << 20)

    let file: StudioFile
    let sql: String
    /// By name without sigil, or by number.
    let parameters: [String: Value]

    init(_ json: JSON, _ file: StudioFile) throws {
        self.file = file
        sql = try json.required("sql")
        parameters = Dictionary(
            try json["parameters"].members.map { ($0.name, try Wire.value($0.value)) }, uniquingKeysWith: { $1 })
    }

    /// - Returns: `{"columns", "rows", "isCut", "changes", "milliseconds", "plan"}`.
    func run(_ job: StudioJob) throws -> JSON {
        let (answer, writes) = try file.read(job, by: .console) { connection in
            let statement = try connection.statement(sql)
            defer { connection.recycle(statement) }
            if let word = statement.transactionWord {
                throw CormorantError(
                    .transaction, "\(word) is not run here: each statement is a transaction of its own",
                    hint: "run the statement alone", sql: sql)
            }
            guard statement.isReadOnly else { return (JSON.null, true) }
            return (try rows(of: statement, connection, job), false)
        }
        guard writes else { return answer }
        guard file.isWritable else {
            throw CormorantError(
                .readOnly, "the statement would change the file", hint: "start corm studio with --write to let it",
                sql: sql)
        }
        return try file.database(.writing).withConnection { connection in
            connection.acceptForeignSchemas()
            return try job.run(on: connection) { connection in
                let statement = try connection.statement(sql)
                defer { connection.recycle(statement) }
                return try rows(of: statement, connection, job)
            }
        }
    }

    private func rows(of statement: Statement, _ connection: Connection, _ job: StudioJob) throws -> JSON {
        try bind(statement)
        let names = (0..<statement.columnCount).map(statement.columnName)
        let before = connection.totalChanges
        let start = monotonicTime()
        var rows: [JSON] = []
        var bytes = 0
        var isCut = false
        while try statement.step() {
            let row = Row(statement)
            guard rows.count < Self.greatest.rows, bytes < Self.greatest.bytes else {
                // What writes is run to its end.
                isCut = true
                if statement.isReadOnly { break }
                continue
            }
            rows.append(
                .array(
                    names.indices.map { place in
                        let cell = row.cell(Int32(place))
                        bytes += cell.type == StorageType.text ? min(cell.text.count, Wire.shownBytes) : 8
                        return Wire.cell(cell, hasSizes: false)
                    }))
        }
        let elapsed = Double(monotonicTime() - start) / 1e6
        let changes: JSON =
            statement.isReadOnly ? .null : .integer(connection.totalChanges == before ? 0 : connection.changes)
        return [
            "columns": JSON(names), "rows": .array(rows), "isCut": .bool(isCut), "changes": changes,
            "milliseconds": .real(elapsed), "plan": plan(connection),
        ]
    }

    /// SQLite's plan, as its steps with those that they are part of: https://www.sqlite.org/eqp.html
    private func plan(_ connection: Connection) -> JSON {
        guard let statement = try? Statement(connection, "EXPLAIN QUERY PLAN \(sql)") else { return [] }
        var steps: [JSON] = []
        while (try? statement.step()) == true {
            let row = Row(statement)
            steps.append([
                "id": .integer(row.cell(0).int64), "parent": .integer(row.cell(1).int64),
                "detail": JSON(row.cell(3).string),
            ])
        }
        return .array(steps)
    }

    private func bind(_ statement: Statement) throws {
        for place in 0..<statement.parameterCount {
            let name = statement.parameterName(place + 1).map { String($0.dropFirst()) } ?? String(place + 1)
            guard let value = parameters[name] else {
                throw CormorantError(
                    .binding, "parameter \(visible(name)) has no value", hint: "give a value for each parameter",
                    sql: sql)
            }
            try statement.bind(value, Int32(place + 1))
        }
    }
}

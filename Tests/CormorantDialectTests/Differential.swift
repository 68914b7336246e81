import CormorantBase
import CormorantORM
import CormorantQuery
import Foundation

/// Two databases of one content, one of each engine, which are asked the same.
final class Differential {
    private let file: Database
    private let server: Database

    enum Outcome {
        case same
        /// Both engines refuse it, or the statement's builder does.
        case refused
        /// PostgreSQL refuses by name what SQLite answers.
        case unsupported(String)
        case different(String)
    }

    /// - Parameters:
    ///   - folder: for the file.
    ///   - url: of a server's database, whose tables of these names are dropped.
    init(folder: String, url: String, seed: UInt64) throws {
        file = try Database(path: folder + "/file.db")
        server = try Database(path: url)
        try server.execute(script: "DROP TABLE IF EXISTS part; DROP TABLE IF EXISTS thing")
        for database in [file, server] { try database.createTables(Sample.models) }
        var chance = SeededNumbers(seed: seed)
        for (model, count) in [(Sample.things, 20), (Sample.parts, 25)] {
            for id in 1...count {
                let change = Differential.row(of: model, Int64(id), &chance)
                for database in [file, server] {
                    _ = try database.execute(try StatementCompiler.compile(change, database.dialect))
                }
            }
        }
    }

    func close() {
        try? file.close()
        try? server.close()
    }

    private static func row(of model: ModelDescriptor, _ id: Int64, _ chance: inout SeededNumbers) -> Change {
        var change = Change(.insertValues, model.tableReference)
        for (index, column) in model.columns.enumerated() {
            var value: Value =
                column.isOptional && chance.happens(25) ? .null : chance.one(Sample.values(column.type))
            if index == 0 { value = .integer(id) }
            if column.name == "thingId", value != .null { value = .integer(Int64(1 + chance.below(20))) }
            change.assignments.append((index, .value(value)))
        }
        return change
    }

    /// Has both run the statement of a seed, and takes back what it wrote.
    func ask(seed: UInt64) throws -> Outcome {
        var generator = Generator(seed: seed)
        let (tree, isOrdered) = generator.statement()
        guard let own = try? StatementCompiler.compile(tree) else { return .refused }
        let theirs: CompiledStatement
        do {
            theirs = try StatementCompiler.compile(tree, .postgres)
        } catch let error as CormorantError {
            // A value that a column cannot hold is refused before it is known whether there is a row for it.
            if [.unsupported, .sql, .range].contains(error.code) { return .unsupported(error.message) }
            guard (try? run(own, file, generator.parameters)) != nil else { return .refused }
            return .different("\(error.message)\n  \(own.sql)")
        }
        let answers = (
            Result { try run(own, file, generator.parameters) },
            Result { try run(theirs, server, generator.parameters) }
        )
        switch answers {
        case (.success(let rows), .success(let others)):
            let difference = Comparison.difference(rows, others, isOrdered: isOrdered)
            return difference.map {
                .different("\($0)\n  \(own.sql)\n  \(theirs.sql)\n  \(theirs.bindings) \(generator.parameters)")
            } ?? .same
        case (.failure, .failure): return .refused
        case (.success, .failure(let error)):
            let code = (error as? CormorantError)?.code
            if code == .range { return .unsupported("range") }
            return .different("\(error)\n  \(theirs.sql)\n  \(theirs.bindings)")
        case (.failure(let error), .success):
            // SQLite makes 0 of `x IN () AND ...`, and takes that for the number of a column.
            if "\(error)".contains("BY term out of range") { return .refused }
            return .different("SQLite alone fails: \(error)\n  \(own.sql)\n  \(theirs.sql)")
        }
    }

    private func run(
        _ compiled: CompiledStatement, _ database: Database, _ parameters: [String: ParameterValue]
    ) throws -> [[Value]] {
        try database.begin()
        defer { try? database.rollback() }
        let cursor = try database.cursor(compiled, parameters)
        defer { cursor.close() }
        var rows: [[Value]] = []
        _ = try cursor.forEachRow { row in rows.append(try (0..<Int32(row.count)).map { try row.value($0) }) }
        return rows
    }
}

/// Whether two engines gave the same rows.
enum Comparison {
    /// What differs first; nil: nothing.
    static func difference(_ rows: [[Value]], _ others: [[Value]], isOrdered: Bool) -> String? {
        guard rows.count == others.count else { return "SQLite \(rows.count) rows, PostgreSQL \(others.count)" }
        let pairs =
            isOrdered ? Array(zip(rows, others)) : Array(zip(rows.sorted(by: precedes), others.sorted(by: precedes)))
        for (place, pair) in pairs.enumerated()
        where pair.0.count != pair.1.count || !zip(pair.0, pair.1).allSatisfy(areSame) {
            return "row \(place): SQLite \(pair.0), PostgreSQL \(pair.1)"
        }
        return nil
    }

    /// Numbers are the same whether they are integers or not, and reals but for their last digits.
    static func areSame(_ one: Value, _ other: Value) -> Bool {
        guard one != other else { return true }
        guard let left = number(one), let right = number(other) else { return false }
        if case .integer = one, case .integer = other { return false }
        return left == right || abs(left - right) <= 1e-9 * max(abs(left), abs(right))
    }

    private static func number(_ value: Value) -> Double? {
        switch value {
        case .integer(let integer): Double(integer)
        case .real(let real): real
        default: nil
        }
    }

    private static func precedes(_ row: [Value], _ other: [Value]) -> Bool {
        for (left, right) in zip(row, other) {
            if case .integer(let one) = left, case .integer(let two) = right {
                if one != two { return one < two }
            } else if let one = number(left), let two = number(right) {
                let (one, two) = (cut(one), cut(two))
                if one != two { return one < two }
            } else {
                let (one, two) = (rank(left), rank(right))
                if one != two { return one < two }
            }
        }
        return false
    }

    /// A number with a fraction but for its last digits, which engines add up otherwise.
    private static func cut(_ real: Double) -> Double {
        guard real.isFinite, real != real.rounded() else { return real }
        let scale = pow(10, 9 - floor(log10(abs(real))))
        // Of what is next to nothing all digits are there.
        guard scale.isFinite else { return real }
        return (real * scale).rounded() / scale
    }

    private static func rank(_ value: Value) -> (rank: Int, text: String) {
        switch value {
        case .null: (0, "")
        case .integer, .real: (1, "")
        case .text(let text): (2, text)
        case .blob(let bytes): (3, bytes.map { String(Int($0) + 256) }.joined())
        }
    }
}

import CormorantBase
import CormorantORM
import CormorantQuery

/// One versioned step.
public struct MigrationStep: Sendable {
    /// What a step does to a database: SQL, or a function of the program, which runs inside the step's transaction.
    public enum Action: Sendable {
        /// Statements, one after the other.
        case sql(String)
        /// It may use the database and throw, and must leave the transaction open.
        case function(@Sendable (Database) throws -> Void)
    }

    /// Its place among the others, by its bytes, and its name.
    public var id: String
    /// What brings a file to the step.
    public var up: Action
    /// nil: there is no way back.
    public var down: Action?
    /// The schema that it leaves, as CREATE statements; nil: not known. `adopt` and `drift` compare files with it.
    public var schemaSQL: String?
    /// What the models declared, in generated steps.
    package var modelsSQL: String?
    /// The same as a server is told it, where the step was generated for one, too.
    var serverModelsSQL: String?
    /// The steps that it stands for, with their SHA-256; what one of those stands for itself follows as `step/former step`.
    package var replaces: [(id: String, sha256: String)] = []

    /// A step of the program's own, or one written by hand.
    public init(_ id: String, up: Action, down: Action? = nil, schemaSQL: String? = nil) {
        self.id = id
        self.up = up
        self.down = down
        self.schemaSQL = schemaSQL
    }

    /// Of `up.sql`, without a first line that gives it to all engines, as it may be given to a server when files have it;
    /// of the id where the step is a function, whose text nobody can see.
    package var sha256: String {
        switch up {
        case .sql(let sql): CormorantBase.sha256(sql.utf8.dropFirst(sql.hasPrefix(forAll) ? forAll.utf8.count : 0))
        case .function: CormorantBase.sha256("function \(id)".utf8)
        }
    }

    /// Whether its statements run without a transaction around them, in a file.
    var isOutsideTransaction: Bool { transactionEnd(.sqlite) != nil }

    /// Where its transaction ends, in bytes of the SQL for an engine: what follows runs statement by statement. nil: it is one
    /// transaction. In a file nothing runs outside, or all.
    func transactionEnd(_ dialect: Dialect) -> Int? { up.transactionEnd(dialect) }
}

extension MigrationStep.Action {
    func transactionEnd(_ dialect: Dialect) -> Int? {
        guard let sql = sql(for: dialect), contains(sql, outsideTransaction) else { return nil }
        // Character by character, so that the two bytes which end a line on Windows are one.
        let lines = sql.split(whereSeparator: \.isNewline)
        guard let line = lines.first(where: { $0 == outsideTransaction }) else { return nil }
        let end = sql.utf8.distance(from: sql.startIndex, to: line.startIndex)
        guard dialect == .sqlite else { return end }
        // What stands before it does nothing.
        return SQLScript.words(String(decoding: sql.utf8.prefix(end), as: UTF8.self), 1).isEmpty ? 0 : nil
    }

    /// The SQL that is run on an engine; nil: a function. Lines that `-- engine: ...` gives to the other are empty, so that all
    /// others keep their numbers.
    package func sql(for dialect: Dialect) -> String? {
        guard case .sql(let sql) = self else { return nil }
        guard contains(sql, engineComment) else { return sql }
        let own = dialect == .sqlite ? "sqlite" : "postgresql"
        var (text, isRun, place): ([UInt8], Bool, Int) = ([], true, 0)
        let bytes = Array(sql.utf8)
        func copy(to end: Int) {
            // The ends of lines stay.
            text += isRun ? Array(bytes[place..<end]) : bytes[place..<end].filter { $0 == 0x0A || $0 == 0x0D }
            place = end
        }
        for (line, name) in engineLines(of: sql, dialect) {
            copy(to: line.lowerBound)
            isRun = false
            copy(to: line.upperBound)
            isRun = name == "all" || name == own
        }
        copy(to: bytes.count)
        return String(decoding: text, as: UTF8.self)
    }

    /// Refuses lines that name no engine, behind which nothing would run.
    func checkEngines(of id: String) throws {
        guard case .sql(let sql) = self, contains(sql, engineComment) else { return }
        for dialect in [Dialect.sqlite, .postgres] {
            for (_, name) in engineLines(of: sql, dialect) where !["sqlite", "postgresql", "all"].contains(name) {
                throw CormorantError(
                    .migration, "step \(id): the line \"\(engineComment)\(name)\" names no engine",
                    hint: "write sqlite, postgresql or all; or begin the comment otherwise", sql: sql)
            }
        }
    }
}

/// The lines that are such comments, and what they name: not those inside of texts and other comments.
private func engineLines(of sql: String, _ dialect: Dialect) -> [(line: Range<Int>, name: String)] {
    var found: [(line: Range<Int>, name: String)] = []
    var copy = sql
    copy.withUTF8 { bytes in
        var lexer = SQLLexer(bytes)
        var isServers = dialect == .postgres
        while let token = isServers ? lexer.scanPostgreSQL() : lexer.scan() {
            let start = token.range.lowerBound
            guard token.kind == .comment, start == 0 || bytes[start - 1] == 0x0A,
                bytes[token.range].starts(with: engineComment.utf8)
            else { continue }
            let text = bytes[token.range].dropFirst(engineComment.utf8.count).prefix { $0 > 0x20 }
            let name = String(decoding: text, as: UTF8.self)
            found.append((token.range, name))
            isServers = name == "postgresql" || name != "sqlite" && dialect == .postgres
        }
    }
    return found
}

/// Begins the lines of a step's SQL that say which engine runs what follows: `sqlite`, `postgresql` or `all`.
let engineComment = "-- engine: "

private let forAll = engineComment + "all\n"

/// The line before the first statement of an up.sql that cannot run in a transaction; on a server those before it run in one.
let outsideTransaction = "-- outside transaction"

/// An ordered list of steps: those of a folder, those of the program, or both.
public struct MigrationBundle: Sendable {
    /// In the order in which they run.
    public private(set) var steps: [MigrationStep] = []

    /// Without steps, to be filled with `add`.
    public init() {}

    /// Adds a step at the place that its id gives it.
    public mutating func add(_ step: MigrationStep) throws {
        guard !step.id.isEmpty, !step.id.utf8.contains(0) else {
            throw CormorantError(.migration, "a step has no id", hint: "name it, such as 0001_create_people")
        }
        if case .sql(let sql) = step.up, sql.isEmpty {
            throw CormorantError(.migration, "step \(step.id) does nothing", hint: "give it SQL or a function")
        }
        for action in [step.up, step.down].compactMap({ $0 }) { try action.checkEngines(of: step.id) }
        guard !steps.contains(where: { $0.id == step.id }) else {
            throw CormorantError(.migration, "two steps have the id \(step.id)", hint: "rename one")
        }
        let place = steps.firstIndex { precedes(step.id, $0.id) } ?? steps.count
        steps.insert(step, at: place)
    }

    package func step(_ id: String) -> MigrationStep? { steps.first { $0.id == id } }

    /// The place of the step up to which something is done; nil: all.
    func index(of id: String?) throws -> Int {
        guard let id else { return steps.count - 1 }
        guard let index = steps.firstIndex(where: { $0.id == id }) else {
            throw CormorantError(
                .migration, "there is no step \(id)",
                hint: "the steps are \(steps.map(\.id).joined(separator: ", "))")
        }
        return index
    }

    mutating func replace(_ step: MigrationStep) {
        if let index = steps.firstIndex(where: { $0.id == step.id }) { steps[index] = step }
    }
}

/// Order of ids: by their bytes, which does not depend on a locale.
func precedes(_ left: String, _ right: String) -> Bool { left.utf8.lexicographicallyPrecedes(right.utf8) }

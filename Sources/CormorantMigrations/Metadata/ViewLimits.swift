import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantQuery
import CormorantSQLite
import CormorantThreads

/// What SQLite may spend on what a file's views are. It puts into each view what that reads, so that views over views over
/// views grow beyond all bounds, and cannot be interrupted while it does: how large each would be is counted first. What it then
/// runs ends with the time that all have together.
package struct ViewLimits {
    private static let greatestLength: Int32 = 64_000_000
    private let sizes: [ExactText: Int]
    private let end: Int64

    package init(of tables: [TableMetadata], milliseconds: Int64) {
        sizes = expandedSizes(of: tables.map { ($0.name, $0.kind == .view ? $0.sql : nil) })
        end = monotonicTime() &+ milliseconds &* 1_000_000
    }

    /// Runs what asks SQLite about a table or view, on the connection that it runs on.
    /// - Parameter most: how many tables a view may read, those of its views among them.
    package func watching<Result>(
        _ table: TableMetadata, most: Int, on connection: Connection, _ body: () throws -> Result
    ) throws -> Result {
        guard sizes[nameKey(table.name), default: 1] <= most else {
            throw CormorantError(.schema, "it reads more than \(most) tables, with those of the views that it reads")
        }
        guard monotonicTime() < end else { throw tookTooLong() }
        let monitor = ProgressMonitor { [end] _ in monotonicTime() < end }
        connection.setMonitor(monitor)
        // What makes one great value is not interrupted either.
        let length = connection.limitLength(Self.greatestLength)
        defer {
            connection.setMonitor(nil)
            connection.limitLength(length)
        }
        return try withExtendedLifetime(monitor) {
            do { return try body() } catch  where monitor.isCancelled { throw tookTooLong() }
        }
    }

    private func tookTooLong() -> CormorantError {
        CormorantError(.schema, "SQLite takes too long over it, or over the views before it")
    }
}

/// How many tables SQLite finds in each view once it has put into it the views that it reads, by folded names. A name that
/// stands in a view's SQL counts as one that it reads.
/// - Parameter tables: views, with their SQL, and tables.
func expandedSizes(of tables: [(name: String, sql: String?)]) -> [ExactText: Int] {
    let names = Set(tables.map { nameKey($0.name) })
    var reads: [ExactText: [ExactText]] = [:]
    for view in tables {
        if let sql = view.sql { reads[nameKey(view.name)] = identifiers(in: sql).filter(names.contains) }
    }
    var sizes: [ExactText: Int] = [:]
    // Views that read each other in a circle read nothing.
    var begun: Set<ExactText> = []
    for start in reads.keys {
        var pending = [start]
        while let name = pending.last {
            // The first of the names is its own.
            let read = reads[name].map { $0.filter { $0 != name } } ?? []
            let unknown = read.filter { reads[$0] != nil && sizes[$0] == nil && !begun.contains($0) }
            if begun.insert(name).inserted, !unknown.isEmpty {
                pending += unknown
                continue
            }
            pending.removeLast()
            sizes[name] = read.reduce(0) { sum, other in
                let (more, isOver) = sum.addingReportingOverflow(sizes[other] ?? 1)
                return isOver ? .max : more
            }
        }
    }
    return sizes
}

/// The names in SQL, folded, but for those that qualify others.
func identifiers(in sql: String) -> [ExactText] {
    var sql = sql
    return sql.withUTF8 { bytes in
        var lexer = SQLLexer(bytes)
        var found: [ExactText] = []
        while let token = lexer.next() {
            switch token.kind {
            case .identifier, .keyword, .quotedIdentifier: found.append(nameKey(lexer.unquoted(token)))
            case .dot: if !found.isEmpty { found.removeLast() }
            default: break
            }
        }
        return found
    }
}

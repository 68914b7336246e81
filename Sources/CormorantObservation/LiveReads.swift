import CormorantBase
import CormorantORM
import CormorantSQLite

/// Reads of the program's own, which are made again when what they read has changed. Which tables that is, SQLite tells of the
/// statements that they ran.
package final class LiveReads: @unchecked Sendable {  // one thread at a time: who begins it, then who delivers
    private let body: @Sendable () throws -> Bool
    /// What each statement of the last run reads.
    private var statements: [ExactText: [TableRead]] = [:]
    /// What is watched: of each table, its columns.
    private var watched: [ExactText: Set<ExactText>] = [:]

    /// - Parameter body: makes the reads; whether there is something to be told.
    package init(_ body: @escaping @Sendable () throws -> Bool) { self.body = body }

    /// Makes the reads on one snapshot.
    /// - Returns: how they ended, and what of that which they read is not watched yet.
    func run(_ database: Database) throws -> (outcome: Result<Bool, any Error>, unwatched: [TableRead]) {
        var outcome = Result<Bool, any Error>.success(false)
        if database.dialect != .sqlite {
            var reads: [TableRead] = []
            do {
                reads = try database.tablesRead {
                    outcome = Result { try body() }
                    _ = try outcome.get()
                }
            } catch {
                // What it read is not known; what was watched still is.
                if case .success = outcome { throw error }
            }
            return (outcome, reads.filter { watched[$0.table] == nil })
        }
        try database.transaction(.read) {
            try database.withReader { connection in
                let run = connection.statementsRun { outcome = Result { try body() } }
                statements = statements.filter { run.contains($0.key) }
                // What is no query, such as a PRAGMA, reads no table.
                for sql in run where statements[sql] == nil {
                    statements[sql] = (try? connection.tablesRead(by: sql.text)) ?? []
                }
            }
        }
        let reads = statements.values.joined()
        return (outcome, reads.filter { !watched[$0.table, default: []].isSuperset(of: $0.columns) })
    }

    /// These are watched from here on.
    func cover(_ reads: [TableRead]) {
        for read in reads { watched[read.table, default: []].formUnion(read.columns) }
    }

    /// The statements may read other tables now.
    func forgetStatements() { statements = [:] }
}

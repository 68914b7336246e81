import CSQLite
import CormorantBase
import CormorantThreads

/// What a trace callback gets: SQL with its parameters unexpanded, and how long it ran from its first step to its end.
package typealias TraceCallback = (_ sql: UnsafePointer<CChar>, _ nanoseconds: Int64) -> Void

/// Times statements between SQLite's own begin and end events; its profile time is only good to a millisecond.
final class Tracer {
    private let callback: TraceCallback
    private var started: [OpaquePointer: Int64] = [:]

    init(_ callback: @escaping TraceCallback) { self.callback = callback }

    func handle(_ event: UInt32, _ statement: OpaquePointer) {
        if event == UInt32(SQLITE_TRACE_STMT) {
            // A trigger begins again inside its statement: the first begin counts.
            if started[statement] == nil { started[statement] = monotonicTime() }
        } else if let begin = started.removeValue(forKey: statement), let sql = sqlite3_sql(statement) {
            callback(sql, monotonicTime() - begin)
        }
    }
}

/// The SQL that was run while somebody wanted to know.
final class StatementNotes {
    var sql: Set<ExactText> = []
}

extension Connection {
    /// Calls back after every statement; nil stops.
    package func setTrace(_ callback: TraceCallback?) {
        if let engine {
            return engine.setTrace(callback.map { call in { sql, time in sql.withCString { call($0, time) } } })
        }
        tracer = callback.map(Tracer.init)
        updateTrace()
    }

    /// Runs `body`, and tells the SQL of the statements that it has run on the connection, each once.
    package func statementsRun(by body: () -> Void) -> Set<ExactText> {
        let before = statementNotes
        let notes = StatementNotes()
        statementNotes = notes
        updateTrace()
        body()
        statementNotes = before
        before?.sql.formUnion(notes.sql)
        updateTrace()
        return notes.sql
    }

    /// Runs statements that only say what is wrong with another one: that one alone is traced.
    package func untraced<Result>(_ body: () -> Result) -> Result {
        if engine != nil { return body() }
        sqlite3_trace_v2(handle, 0, nil, nil)
        defer { updateTrace() }
        return body()
    }

    /// Asks SQLite for the events that the tracer and the log of changes need.
    func updateTrace() {
        guard handle != nil else { return }
        let begins = tracer != nil || changeLog != nil || statementNotes != nil
        let mask = (begins ? SQLITE_TRACE_STMT : 0) | (tracer != nil ? SQLITE_TRACE_PROFILE : 0)
        sqlite3_trace_v2(
            handle, UInt32(mask),
            { event, context, statement, text in
                guard let context, let statement else { return 0 }
                let connection = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
                let pointer = OpaquePointer(statement)
                connection.tracer?.handle(event, pointer)
                // A trigger and a statement of a virtual table come with a text of their own.
                if event == UInt32(SQLITE_TRACE_STMT), let sql = sqlite3_sql(pointer),
                    text == UnsafeMutableRawPointer(mutating: sql)
                {
                    connection.changeLog?.statementBegins(pointer, sql)
                    connection.statementNotes?.sql.insert(ExactText(String(cString: sql)))
                }
                return 0
            }, mask == 0 ? nil : Unmanaged.passUnretained(self).toOpaque())
    }
}

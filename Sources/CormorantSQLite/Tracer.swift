import CSQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

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
            if started[statement] == nil { started[statement] = now() }
        } else if let begin = started.removeValue(forKey: statement), let sql = sqlite3_sql(statement) {
            callback(sql, now() - begin)
        }
    }

    private func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}

extension Connection {
    /// Calls back after every statement; nil stops.
    package func setTrace(_ callback: TraceCallback?) {
        tracer = callback.map(Tracer.init)
        guard let tracer else {
            sqlite3_trace_v2(handle, 0, nil, nil)
            return
        }
        sqlite3_trace_v2(
            handle, UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE),
            { event, context, statement, _ in
                if let context, let statement {
                    Unmanaged<Tracer>.fromOpaque(context).takeUnretainedValue()
                        .handle(event, OpaquePointer(statement))
                }
                return 0
            }, Unmanaged.passUnretained(tracer).toOpaque())
    }
}

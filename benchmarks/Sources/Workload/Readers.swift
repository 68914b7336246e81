// Reads by key in threads, with and without a busy writer beside them; c/readers.c measures the same.

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension Job {
    /// Prints reads a second of the readers' processor time, alone and beside the writer, and the writer's rows a second.
    /// - Parameters:
    ///   - read: one lookup; `count` threads call it.
    ///   - write: one transaction of so many rows, `writeCount`, of an edition.
    public func race(
        read: @escaping @Sendable (Int64) throws -> Void, write: @escaping @Sendable (UInt64) throws -> Void
    ) {
        var (alone, beside, rows) = (0.0, 0.0, 0.0)
        let rounds = 5
        _ = measure(0.5, read, write)
        // By turns, so that what else the machine does meanwhile is in both.
        for _ in 0..<rounds {
            alone += measure(1, read, nil).reads / Double(rounds)
            let both = measure(1, read, write)
            beside += both.reads / Double(rounds)
            rows += both.rows / Double(rounds)
        }
        print(
            #"{"reads": \#(alone), "reads_beside_writer": \#(beside), "ratio": \#(beside / alone), "writes": \#(rows)}"#
        )
    }

    private func measure(
        _ length: Double, _ read: @escaping @Sendable (Int64) throws -> Void,
        _ write: (@Sendable (UInt64) throws -> Void)?
    ) -> (reads: Double, rows: Double) {
        let end = seconds(CLOCK_MONOTONIC) + length
        let keys = rows
        let readers = (0..<count).map { number in
            BenchmarkThread {
                var done = 0
                while seconds(CLOCK_MONOTONIC) < end {
                    try read(lookupKey(number * 1_000_000 + done, rows: keys))
                    done += 1
                }
                return done
            }
        }
        let writer = write.map { write in
            BenchmarkThread {
                var done = 0
                while seconds(CLOCK_MONOTONIC) < end {
                    try write(UInt64(done))
                    done += 1
                }
                return done
            }
        }
        let results = readers.map { $0.join() }
        let written = writer?.join().count ?? 0
        let reads = Double(results.reduce(0) { $0 + $1.count })
        return (reads / results.reduce(0) { $0 + $1.cpu }, Double(written * writeCount) / length)
    }
}

/// Rows in a transaction of the writer.
public let writeCount = 20

/// A thread of the system, whose processor time can be told from that of the others.
private final class BenchmarkThread: @unchecked Sendable {  // written by the thread, read when it has ended
    private let work: () throws -> Int
    private var thread = pthread_t()
    private var count = 0
    private var cpu = 0.0

    init(_ work: @escaping @Sendable () throws -> Int) {
        self.work = work
        let context = Unmanaged.passRetained(self).toOpaque()
        let error = pthread_create(&thread, nil, { Unmanaged<BenchmarkThread>.run($0) }, context)
        guard error == 0 else { fatalError("no thread: \(error)") }
    }

    fileprivate func run() {
        do { count = try work() } catch { fatalError("\(error)") }
        cpu = seconds(CLOCK_THREAD_CPUTIME_ID)
    }

    func join() -> (count: Int, cpu: Double) {
        pthread_join(thread, nil)
        return (count, cpu)
    }
}

extension Unmanaged<BenchmarkThread> {
    fileprivate static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let context { fromOpaque(context).takeRetainedValue().run() }
        return nil
    }
}

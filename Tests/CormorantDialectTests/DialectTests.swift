import CormorantBase
import Foundation
import Testing

/// Statements by chance, run by SQLite and by the PostgreSQL server of CORMORANT_POSTGRES: they answer the same, or PostgreSQL
/// refuses by name. CORMORANT_SEEDS says how many statements, CORMORANT_SEED which is the first, and CORMORANT_ROWS of which rows,
/// if not of the first's.
struct DialectTests {
    private static let environment = ProcessInfo.processInfo.environment
    static let url = environment["CORMORANT_POSTGRES"]

    @Test(.enabled(if: url != nil, "without CORMORANT_POSTGRES there is no server"))
    func bothEnginesAnswerTheSame() throws {
        // The same ones in each run; ./dev soak asks others.
        let first = DialectTests.environment["CORMORANT_SEED"].flatMap { UInt64($0) } ?? 7_166_855
        let count = DialectTests.environment["CORMORANT_SEEDS"].flatMap { UInt64($0) } ?? 2000
        let rows = DialectTests.environment["CORMORANT_ROWS"].flatMap { UInt64($0) } ?? first
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cormorant-dialect-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        print("statements of the seeds from \(first) on: \(count)")
        let differential = try Differential(folder: folder.path, url: DialectTests.url ?? "", seed: rows)
        defer { differential.close() }
        var (same, unsupported) = (0, 0)
        for seed in first..<first + count {
            switch try differential.ask(seed: seed) {
            case .same: same += 1
            case .refused: break
            case .unsupported: unsupported += 1
            case .different(let what):
                Issue.record("CORMORANT_SEED=\(seed) CORMORANT_SEEDS=1 CORMORANT_ROWS=\(rows): \(what)")
            }
        }
        // Neither is everything refused.
        #expect(same > Int(count) * 8 / 10)
        #expect(unsupported < Int(count) / 10)
        print("\(same) of \(count) the same, \(unsupported) refused by PostgreSQL alone")
    }
}

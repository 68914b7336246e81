import CormorantBase
import CormorantEngine
import CormorantPlatform
import Testing

@testable import CormorantPostgres

/// A server of its own for all tests of this process, which `scripts/postgres-server` starts at the first use and stops when the
/// process has ended.
enum TestServer {
    static let shared: String? = start([])

    /// Where there is none, the tests that need one are skipped by name.
    static var isThere: Bool { shared != nil }

    static func start(_ arguments: [String]) -> String? {
        let output = script(["start", "--while", "\(getpid())"] + arguments)
        return output.status == 0 ? output.text : nil
    }

    @discardableResult
    static func script(_ arguments: [String]) -> (status: Int32, text: String) {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let words = arguments.map { "'\($0)'" }.joined(separator: " ")
        guard let pipe = popen("/\(root)/scripts/postgres-server \(words)", "r") else { return (-1, "") }
        var text = ""
        var line = [CChar](repeating: 0, count: 4096)
        while fgets(&line, 4096, pipe) != nil {
            text += String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        return (pclose(pipe), String(text.prefix { $0 != "\n" }))
    }

    static func connect(_ suffix: String = "") throws -> PostgresConnection {
        try PostgresConnection(url: try #require(shared) + suffix)
    }
}

/// `#expect(try ...)` in a closure, where the macro's `try` is refused.
func hold(_ condition: Bool, at location: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: location)
}

extension PostgresConnection {
    /// The rows of a statement, as values.
    func rows(_ sql: String, _ values: Value...) throws -> [[Value]] {
        let statement = try prepare(sql)
        defer { statement.finalize() }
        try statement.bindAll(values)
        var rows: [[Value]] = []
        while try statement.step() { rows.append((0..<statement.columnCount).map { statement.row.cells[$0].value }) }
        return rows
    }

    /// Copies rows into a table, as batches do.
    func copy(_ table: String, _ columns: [String], _ rows: [[Value]]) throws {
        let target = "\(table) (\(quotedNames(columns)))"
        let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        let insert = try prepare("INSERT INTO \(target) VALUES (\(marks))")
        try pipelined {
            for row in rows {
                try insert.bindAll(row)
                let hasOutcome = try insert.send(copying: "COPY \(target) FROM STDIN (FORMAT binary)")
                #expect(!hasOutcome)
            }
        }
    }

    func value(_ sql: String, _ values: Value...) throws -> Value {
        let statement = try prepare(sql)
        defer { statement.finalize() }
        try statement.bindAll(values)
        return try statement.step() ? statement.row.cells[0].value : .null
    }

    /// The error of what must fail.
    func error(_ sql: String, _ values: Value...) -> CormorantError? {
        do {
            let statement = try prepare(sql)
            try statement.bindAll(values)
            while try statement.step() {}
            return nil
        } catch {
            return error as? CormorantError
        }
    }
}

extension EngineStatement {
    func bindAll(_ values: [Value]) throws {
        for (index, value) in values.enumerated() {
            let index = Int32(index + 1)
            switch value {
            case .null: bindNull(index)
            case .integer(let integer): bind(integer, index)
            case .real(let real): bind(real, index)
            case .text(let text):
                try Array(text.utf8).withUnsafeBytes { bytes in
                    try bindText(
                        bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!, count: bytes.count, index,
                        borrowing: false)
                }
            case .blob(let blob):
                try blob.withUnsafeBytes { bytes in
                    try bindBlob(
                        bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!, count: bytes.count, index,
                        borrowing: false)
                }
            }
        }
    }
}

/// The error that a closure throws, if it is one of ours.
func error(of body: () throws -> Void) -> CormorantError? {
    do {
        try body()
        return nil
    } catch {
        return error as? CormorantError
    }
}

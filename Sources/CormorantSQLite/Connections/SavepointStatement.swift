import CSQLite
import CormorantBase

/// SAVEPOINT, RELEASE or ROLLBACK TO with the savepoint's name in lower case.
struct SavepointStatement {
    enum Verb {
        case savepoint
        case release
        case rollback
    }

    let verb: Verb
    let name: String
}

/// What the first words of a statement say of it.
enum StatementStart {
    case savepoint(SavepointStatement)
    /// It may change the schema.
    case schema
    case pragma
    case other

    /// The word with which a statement begins that begins or ends a transaction or savepoint; else nil.
    static func transactionWord(_ sql: UnsafePointer<CChar>) -> String? {
        var words = Words(sql)
        let word = words.next() ?? ""
        return ["begin", "commit", "end", "rollback", "savepoint", "release"].contains(word) ? word.uppercased() : nil
    }

    init(_ sql: UnsafePointer<CChar>) {
        self = .other
        var words = Words(sql)
        switch words.next() {
        case "savepoint": if let name = words.next() { self = .savepoint(.init(verb: .savepoint, name: name)) }
        case "release":
            var name = words.next()
            if name == "savepoint", let after = words.next() { name = after }
            if let name { self = .savepoint(.init(verb: .release, name: name)) }
        case "rollback":
            var word = words.next()
            if word == "transaction" { word = words.next() }
            guard word == "to" else { return }
            var name = words.next()
            if name == "savepoint", let after = words.next() { name = after }
            if let name { self = .savepoint(.init(verb: .rollback, name: name)) }
        case "create", "drop", "alter": self = .schema
        case "pragma": self = .pragma
        default: break
        }
    }
}

/// The words and quoted names at the beginning of a statement, in lower case.
private struct Words {
    private var at: UnsafePointer<UInt8>

    init(_ sql: UnsafePointer<CChar>) {
        at = UnsafeRawPointer(sql).assumingMemoryBound(to: UInt8.self)
    }

    mutating func next() -> String? {
        skipSpace()
        let close: UInt8
        switch at.pointee {
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"): close = at.pointee
        case UInt8(ascii: "["): close = UInt8(ascii: "]")
        default: return word()
        }
        return quoted(close)
    }

    private mutating func word() -> String? {
        let start = at
        while isPartOfWord(at.pointee) { at += 1 }
        return start == at ? nil : foldIdentifier(text(start, at))
    }

    private mutating func quoted(_ close: UInt8) -> String? {
        var bytes: [UInt8] = []
        at += 1
        while at.pointee != 0 {
            if at.pointee == close {
                at += 1
                if at.pointee != close || close == UInt8(ascii: "]") { break }
            }
            bytes.append(at.pointee)
            at += 1
        }
        return foldIdentifier(String(decoding: bytes, as: UTF8.self))
    }

    private mutating func skipSpace() {
        while true {
            switch (at.pointee, at.pointee == 0 ? 0 : at[1]) {
            case (UInt8(ascii: " "), _), (UInt8(ascii: "\t")...UInt8(ascii: "\r"), _): at += 1
            case (UInt8(ascii: "-"), UInt8(ascii: "-")):
                while at.pointee != 0, at.pointee != UInt8(ascii: "\n") { at += 1 }
            case (UInt8(ascii: "/"), UInt8(ascii: "*")):
                at += 2
                while at.pointee != 0, !(at.pointee == UInt8(ascii: "*") && at[1] == UInt8(ascii: "/")) { at += 1 }
                if at.pointee != 0 { at += 2 }
            default: return
            }
        }
    }

    private func isPartOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...0xFF:
            true
        default: false
        }
    }

    private func text(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> String {
        String(decoding: UnsafeBufferPointer(start: start, count: end - start), as: UTF8.self)
    }
}

/// Whether a statement may change the schema.
func changesSchema(_ statement: OpaquePointer?) -> Bool {
    guard statement != nil, sqlite3_stmt_readonly(statement) == 0, let sql = sqlite3_sql(statement) else {
        return false
    }
    if case .schema = StatementStart(sql) { return true }
    return false
}

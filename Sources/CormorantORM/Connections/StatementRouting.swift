/// What the words of raw SQL say, where it need not be compiled to tell.
package enum StatementRouting {
    package enum Kind {
        /// It reads, and may ask for what only the writer knows.
        case query
        /// Read on, it may be a query.
        case unknown
        /// It writes, or is about the connection.
        case other
    }

    /// What its first word tells.
    package static func kind(of sql: String) -> Kind {
        var kind = Kind.other
        _ = forEachWord(sql) { word in
            if word.isWord("select") || word.isWord("values") { kind = .query }
            if word.isWord("with") || word.isWord("explain") { kind = .unknown }
            return false
        }
        return kind
    }

    /// Whether a statement that gives rows and changes nothing is there for its rows: all but PRAGMA.
    static func isQuery(_ sql: String) -> Bool {
        var isPragma = false
        _ = forEachWord(sql) { word in
            isPragma = word.isWord("pragma")
            return false
        }
        return !isPragma
    }

    /// Whether it may leave the connection with what others do not have: a temporary table, an attached file, a setting that
    /// reads depend on.
    static func changesConnection(_ sql: String) -> Bool {
        var isCreate = false
        var isPragma = false
        return !forEachWord(sql) { word in
            if isPragma {
                if word.isWord("main") { return true }
                isPragma = false
                return harmlessPragmas.contains { word.isWord($0) }
            }
            if word.isWord("create") { isCreate = true }
            isPragma = word.isWord("pragma")
            let isTemporary = word.isWord("temp") || word.isWord("temporary")
            return !(word.isWord("attach") || (isCreate && isTemporary))
        }
    }

    /// Those that tell something, or are about writing alone.
    private static let harmlessPragmas: [StaticString] = [
        "application_id", "busy_timeout", "collation_list", "compile_options", "data_version", "database_list",
        "defer_foreign_keys", "encoding", "foreign_key_check", "foreign_key_list", "foreign_keys", "freelist_count",
        "function_list", "incremental_vacuum", "index_info", "index_list", "index_xinfo", "integrity_check",
        "journal_size_limit", "max_page_count", "module_list", "optimize", "page_count", "page_size", "pragma_list",
        "quick_check", "secure_delete", "synchronous", "table_info", "table_list", "table_xinfo", "user_version",
        "wal_autocheckpoint", "wal_checkpoint",
    ]

    private struct Word {
        let bytes: UnsafeBufferPointer<UInt8>

        /// Whether it is the word, which is in lower case.
        func isWord(_ word: StaticString) -> Bool {
            guard bytes.count == word.utf8CodeUnitCount else { return false }
            for index in 0..<bytes.count where bytes[index] | 0x20 != word.utf8Start[index] | 0x20 { return false }
            return true
        }
    }

    /// Hands over the words outside quotes and comments until `body` says false.
    /// - Returns: whether it never did.
    private static func forEachWord(_ sql: String, _ body: (Word) -> Bool) -> Bool {
        var sql = sql
        return sql.withUTF8 { bytes in
            var at = 0
            func skip(to end: UInt8) {
                at += 1
                while at < bytes.count, bytes[at] != end { at += 1 }
                at += 1
            }
            while at < bytes.count {
                let byte = bytes[at]
                let next = at + 1 < bytes.count ? bytes[at + 1] : 0
                switch byte {
                case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): skip(to: byte)
                case UInt8(ascii: "["): skip(to: UInt8(ascii: "]"))
                case UInt8(ascii: "-") where next == byte: skip(to: UInt8(ascii: "\n"))
                case UInt8(ascii: "/") where next == UInt8(ascii: "*"):
                    at += 3
                    while at < bytes.count, bytes[at - 1] != UInt8(ascii: "*") || bytes[at] != UInt8(ascii: "/") {
                        at += 1
                    }
                    at += 1
                case _ where isNamePart(byte):
                    let start = at
                    while at < bytes.count, isNamePart(bytes[at]) { at += 1 }
                    let word = Word(bytes: UnsafeBufferPointer(rebasing: bytes[start..<at]))
                    guard body(word) else { return false }
                default: at += 1
                }
            }
            return true
        }
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
            || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"))
            || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
    }
}

import CormorantBase

/// What the words of a statement say of it, found while its tokens go by.
struct StatementWords {
    /// The first word, in lower case.
    private(set) var first = ""
    private var second = ""
    private(set) var isEmpty = true
    private var writes = false
    private var locks = false
    private var makesTable = false
    private var callsWriter = false
    /// A function that may not be the server's own.
    private var callsOther = false
    private var setsConfig = false
    /// Of a table that goes with its session, and before others of its name.
    private var namesTemporary = false
    private var dropsAtCommit = false
    private var analyzes = false
    private var returnsToSavepoint = false
    private var namesPath = false
    private var namesTable = false
    /// The table that is written, with its schema, as the SQL has them: quoted where they are there.
    private(set) var target: [String] = []

    // Where it is.
    private var expecting = Expectation.nothing
    private var previous = SQLLexer.Kind.semicolon
    private var previousWord = ""
    private var parentheses = 0
    private var isRoutine = false
    /// Of BEGIN ATOMIC and CASE.
    private var blocks = 0
    /// Where a semicolon ends no statement: before the END of a block, and in the parentheses of CREATE RULE.
    var isWithin: Bool { blocks > 0 || parentheses > 0 }

    private enum Expectation {
        case nothing
        /// INTO, FROM.
        case preposition
        case table
        case dot
    }

    mutating func add(_ token: SQLLexer.Token, _ lexer: SQLLexer) {
        isEmpty = false
        defer { previous = token.kind }
        switch token.kind {
        case .leftParenthesis:
            parentheses += 1
            if previous == .quotedIdentifier || previous == .identifier && mayBeWriting(previousWord) {
                callsOther = true
            }
        case .rightParenthesis: parentheses -= 1
        default: break
        }
        expect(token, lexer)
        guard token.kind == .identifier else { return previousWord = "" }
        let word = foldIdentifier(lexer.unquoted(token))
        defer { previousWord = word }
        if first.isEmpty {
            first = word
        } else if second.isEmpty {
            second = word
        }
        switch word {
        case "insert", "update", "delete", "merge":
            // Elsewhere they are names, or say what is done on a conflict.
            if previous == .leftParenthesis || previous == .rightParenthesis || first == word && previousWord.isEmpty
                || first == "explain" && previousWord != "for"
            {
                writes = true
                if target.isEmpty { expecting = word == "update" ? .table : .preposition }
            }
            if previousWord == "for" { locks = true }
        case "share" where previousWord == "for" || previousWord == "key", "no" where previousWord == "for",
            "key" where previousWord == "for":
            locks = true
        case "into" where !writes: makesTable = true
        case "table": namesTable = true
        case "search_path", "schema", "role", "authorization", "all": namesPath = true
        case "temp" where standsBeforeTemporary(previousWord), "temporary" where standsBeforeTemporary(previousWord),
            "pg_temp":
            namesTemporary = true
        case "drop" where previousWord == "commit": dropsAtCommit = true
        case "to" where first == "rollback": returnsToSavepoint = true
        case "analyze", "analyse": analyzes = true
        case "begin" where isRoutine && parentheses == 0: blocks += 1
        case "case" where blocks > 0: blocks += 1
        case "end" where blocks > 0: blocks -= 1
        case "function" where first == "create", "procedure" where first == "create": isRoutine = true
        case _ where writingFunctions.contains(word):
            callsWriter = true
            setsConfig = setsConfig || word == "set_config"
        default: break
        }
    }

    /// Reads the table's name.
    private mutating func expect(_ token: SQLLexer.Token, _ lexer: SQLLexer) {
        let isName = token.kind == .identifier || token.kind == .quotedIdentifier
        switch expecting {
        case .nothing: break
        case .preposition:
            if lexer.isWord(token, "into") || lexer.isWord(token, "from") { expecting = .table }
        case .table:
            guard !lexer.isWord(token, "only"), isName else { break }
            target.append(lexer.written(token))
            expecting = .dot
        case .dot: expecting = token.kind == .dot && target.count < 3 ? .table : .nothing
        }
    }

    // What it is -----------------------------------------------------------------------------------------------------

    /// Asked with each run.
    private(set) var isReadOnly = true
    /// The same, but that a function may write that is not the server's own.
    private(set) var mayWrite = false
    private(set) var changesSchema = false
    /// Whether settings of the session's may be others behind it, beyond its transaction.
    private(set) var changesSession = false

    /// Whether the server drops all that it keeps.
    private(set) var forgetsStatements = false
    /// Whether the settings of the session's are then what the server has for it.
    private(set) var resetsSession = false

    /// After the last token.
    mutating func conclude() {
        let isOfAll = previousWord == "all"
        forgetsStatements = isOfAll && (first == "deallocate" || first == "discard")
        resetsSession = isOfAll && (first == "reset" || first == "discard")
        isReadOnly = onlyReads
        mayWrite = !isReadOnly || callsOther
        changesSchema = mayChangeSchema
        changesSession = mayChangeSession
    }

    /// BEGIN, COMMIT and the like, where it is one.
    var transactionWord: String? {
        switch first {
        case "begin", "commit", "end", "rollback", "savepoint", "release", "abort": first.uppercased()
        case "start" where second == "transaction": "BEGIN"
        case "prepare" where second == "transaction": "PREPARE"
        default: nil
        }
    }

    /// Whether it ends a transaction, which one that has failed lets it.
    var endsTransaction: Bool { ["commit", "end", "rollback", "abort"].contains(first) && !returnsToSavepoint }

    var begins: Bool { transactionWord == "BEGIN" }

    /// COMMIT PREPARED and ROLLBACK PREPARED, which end a transaction of another time.
    var isOfPrepared: Bool { second == "prepared" }

    /// Whether a COMMIT of the server's is part of it.
    var commits: Bool { first == "commit" || first == "end" }

    var callsProcedure: Bool { first == "call" || first == "do" }

    private var onlyReads: Bool {
        if transactionWord != nil { return true }
        switch first {
        case "select", "values", "table", "with", "": return !writes && !locks && !makesTable && !callsWriter
        case "show": return true
        case "explain": return !analyzes || !writes && !locks && !makesTable && !callsWriter
        default: return false
        }
    }

    /// Whether it takes back what was done in the transaction, or since a savepoint.
    var takesBack: Bool { first == "rollback" || first == "abort" }

    private var mayChangeSchema: Bool {
        switch first {
        // What code of the program's may do.
        case "create", "drop", "alter", "do", "call", "discard", "import", "rollback", "abort": true
        // Which schemas names are looked up in.
        case "set", "reset": namesPath
        case "select", "with", "table": makesTable
        default: false
        }
    }

    private var mayChangeSession: Bool {
        switch first {
        case "set": !["local", "transaction", "constraints"].contains(second)
        // What code of the program's may do.
        case "reset", "discard", "do", "call", "load": true
        default: setsConfig || makesTemporaryTable
        }
    }

    /// Whether it makes a temporary table that outlives its transaction.
    var makesTemporaryTable: Bool {
        namesTemporary && (first == "create" ? !dropsAtCommit && !isRoutine : makesTable)
    }

    /// Whether it is sent as it is, for it has neither parameters nor rows: one round trip, and nothing that the server keeps.
    var isDirect: Bool {
        switch first {
        case "create", "drop", "alter", "truncate", "grant", "revoke", "comment", "vacuum", "analyze", "reindex",
            "cluster",
            "set", "reset", "discard", "lock", "do", "listen", "unlisten", "notify", "refresh", "security", "import",
            "reassign", "checkpoint", "load", "copy", "deallocate":
            true
        default: transactionWord != nil
        }
    }

    /// Whether the server plans it, and refuses to run a plan that it keeps once that gives other columns.
    var isPlanned: Bool {
        ["select", "values", "table", "with", "insert", "update", "delete", "merge"].contains(first)
    }

    /// Whether the columns of a plan without a `*` have the names that the SQL gives them.
    var namesColumns: Bool { isPlanned && !namesTable }

    /// Whether PostgreSQL tells how many rows it changed.
    var changesRows: Bool { writes }
}

/// Functions that write or last beyond the statement: what calls them is for the connection that writes.
private let writingFunctions: Set<String> = [
    "nextval", "setval", "currval", "lastval", "set_config", "pg_notify", "pg_advisory_lock", "pg_advisory_lock_shared",
    "pg_advisory_unlock", "pg_advisory_unlock_all", "pg_advisory_xact_lock", "pg_try_advisory_lock",
    "pg_try_advisory_xact_lock", "lo_create", "lo_import", "lo_unlink", "lo_put", "txid_current", "pg_current_xact_id",
    "pg_terminate_backend", "pg_cancel_backend", "dblink_exec",
]

/// Whether it may be the name of a function that the server has not by itself, and which may write.
private func mayBeWriting(_ word: String) -> Bool {
    !word.hasPrefix("pg_") && !word.hasPrefix("txid_") && !readingWords.contains(word)
}

/// Elsewhere it is a column's name.
private func standsBeforeTemporary(_ word: String) -> Bool {
    ["create", "replace", "global", "local", "into"].contains(word)
}

/// Words that stand before a parenthesis in what only reads; of others a call may write.
private let readingWords = Set(
    """
    all and any array as between bit by case cast char coalesce collate cube decimal distinct else except exists extract \
    filter float from greatest having ilike in intersect interval is join lateral least like limit materialized not \
    nullif numeric offset on or over overlay position precision recursive rollup row select sets similar some substring \
    then time timestamp timestamptz trim union using values varchar when where \
    abs acos age array_agg array_length array_position array_to_string ascii asin atan atan2 avg bool_and bool_or btrim \
    cardinality ceil ceiling char_length chr clock_timestamp concat concat_ws cos count cume_dist current_setting \
    date_part date_trunc decode degrees dense_rank div encode every exp first_value floor format gen_random_uuid \
    generate_series initcap json_agg json_array_elements json_build_object json_each json_typeof jsonb_agg \
    jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each \
    jsonb_extract_path jsonb_insert jsonb_object_agg jsonb_path_query jsonb_set jsonb_typeof lag last_value lead left \
    length ln log lower lpad ltrim make_date make_interval make_time make_timestamp make_timestamptz max md5 min mod now \
    nth_value ntile octet_length percent_rank power radians random rank regexp_match regexp_matches regexp_replace repeat \
    replace reverse right round row_number row_to_json rpad rtrim scale sha256 sign sin split_part sqrt starts_with \
    string_agg string_to_array strpos substr sum tan to_char to_date to_json to_jsonb to_regclass to_timestamp translate \
    trunc unnest upper
    """.split(separator: " ").map(String.init))

extension SQLLexer {
    /// A name as it can be put into SQL again.
    fileprivate func written(_ token: Token) -> String {
        // One without quotes is folded, as the server does; U& keeps its form.
        let start = buffer(token.range).first
        if token.kind == .quotedIdentifier, start == UInt8(ascii: "\"") { return quoteIdentifier(unquoted(token)) }
        return token.kind == .quotedIdentifier
            ? String(decoding: buffer(token.range), as: UTF8.self) : quoteIdentifier(foldIdentifier(unquoted(token)))
    }
}

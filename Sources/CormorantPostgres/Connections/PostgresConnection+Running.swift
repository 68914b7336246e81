import CormorantBase
import CormorantEngine

extension PostgresConnection {
    /// Sends SQL of ours that has no parameters, in one message.
    func run(_ sql: String, isTold: Bool = true) throws {
        try leavePipeline()
        if let failure = try runDirect(sql, nil, sql, isTold: isTold) { throw error(failure, sql, from: 0) }
    }

    /// Each statement by itself, as SQLite does it: those before one that fails stay.
    package func script(_ sql: String, refusal: (String) -> CormorantError?) throws {
        guard !sql.utf8.contains(0) else { throw StatementFault.nul(sql) }
        try fork.refuse()
        try leavePipeline()
        var copy = sql
        try copy.withUTF8 { bytes in
            var lexer = SQLLexer(bytes)
            while true {
                let start = lexer.position
                var text: [UInt8] = []
                var copied = start
                let words = scanStatement(&lexer) { token in
                    guard token.kind == .operator, bytes[token.range].contains(UInt8(ascii: "?")) else { return }
                    text += bytes[copied..<token.range.lowerBound] + withoutEscapes(bytes[token.range])
                    copied = token.range.upperBound
                }
                guard !words.isEmpty else { return }
                if let error = words.transactionWord.flatMap(refusal) { throw error }
                text += bytes[copied..<lexer.position]
                if let failure = try runDirect(String(decoding: text, as: UTF8.self), words, sql) {
                    throw error(failure, sql, from: start)
                }
            }
        }
    }

    /// - Parameter start: of the failed statement in the text.
    private func error(_ failure: ServerFailure, _ sql: String, from start: Int) -> CormorantError {
        let offset = failure.character.map { character in
            start + byteOffset(ofCharacter: character, in: String(decoding: sql.utf8.dropFirst(start), as: UTF8.self))
        }
        return failure.error(sql: sql, offset: offset, constraint(of: failure), wasAsked: interrupter.isAsked)
    }

    /// Sends one statement by itself, and reads all that comes. Returns what the server says against it.
    /// - Parameter source: the SQL that an error shows.
    /// - Parameter isAlone: whether no settings stand before it.
    func runDirect(
        _ sql: String, _ words: StatementWords?, _ source: String, isTold: Bool = true, isAlone: Bool = false
    ) throws -> ServerFailure? {
        if loss != nil, transaction == .failed, let words, words.endsTransaction, !words.commits {
            // The server has rolled it back with the connection.
            transaction = .none
            return nil
        }
        if let words, let error = outOfOrder(words, source) { throw error }
        let isEnd = words?.endsTransaction ?? false
        try makeReady(withSavepoints: !isEnd)
        began(sql, isTold: isTold)
        let before = isEnd ? takeSavepoints() : isAlone ? [] : words.map(settings) ?? []
        let start = before.map { $0 + "; " }.joined()
        let text = start.isEmpty ? sql : start + sql
        guard pq.sendQuery(handle, text) == 1 else { throw lost(words) }
        var failure: ServerFailure?
        var refused: CormorantError?
        while let result = pq.getResult(handle) {
            switch pq.resultStatus(result) {
            case ResultStatus.command, ResultStatus.rows, ResultStatus.emptyQuery:
                guard let words else { break }
                refused = refused ?? rolledBack(result, words, source)
                completed(result, words)
            case ResultStatus.copyIn, ResultStatus.copyOut, ResultStatus.copyBoth:
                abortCopy(result)
                refused = copyRefused(source)
            default: failure = failure ?? ServerFailure(result, pq)
            }
            pq.clear(result)
        }
        guard pq.status(handle) == 0 else { throw lost(words) }
        ended()
        if let refused { throw refused }
        if failure == nil, let words, words.resetsSession { try settleAgain(words) }
        // What runs in no transaction has none that settings could be for, and what only reads runs not at all without them.
        if !isEnd, !start.isEmpty, failure?.state == "25001", !settings.contains(readOnlySetting) {
            return try runDirect(sql, words, source, isTold: false, isAlone: true)
        }
        if !start.isEmpty { failure?.leaveOut(start.unicodeScalars.count) }
        return failure
    }

    /// What the server but warns of, and SQLite refuses.
    private func outOfOrder(_ words: StatementWords, _ sql: String) -> CormorantError? {
        if words.begins, transaction != .none {
            return CormorantError(
                .sql, "cannot start a transaction within a transaction",
                hint: "end the one that is open first, or use a SAVEPOINT inside it", sql: sql)
        }
        guard words.endsTransaction, !words.isOfPrepared, transaction == .none else { return nil }
        return CormorantError(
            .sql, "cannot \(words.commits ? "commit" : "rollback") - no transaction is active",
            hint: "begin one first; an error may have ended it", sql: sql)
    }

    /// A COMMIT of a transaction that has failed is answered as a ROLLBACK, not as an error.
    func rolledBack(_ result: OpaquePointer, _ words: StatementWords, _ sql: String) -> CormorantError? {
        guard words.commits, let tag = pq.commandStatus(result), String(cString: tag) == "ROLLBACK" else { return nil }
        return CormorantError(
            .transaction, "an error had ended this transaction: it was rolled back, not committed",
            hint: "begin again; put what may fail into a nested transaction, which alone is rolled back then", sql: sql)
    }

    /// Ends what COPY began, which has no place in a statement.
    func abortCopy(_ result: OpaquePointer) {
        if pq.resultStatus(result) == ResultStatus.copyOut {
            interrupter.cancel()
            var row: UnsafeMutablePointer<CChar>?
            while pq.getCopyData(handle, &row, 0) > 0 { pq.freeMemory(row) }
        } else {
            _ = pq.putCopyEnd(handle, "COPY is not run by statements")
        }
    }

    func copyRefused(_ sql: String) -> CormorantError {
        CormorantError(
            .unsupported, "COPY to or from the program is not run as a statement",
            hint: "insert many records at once, or COPY to a file of the server's", sql: sql)
    }

    /// Has the server read a statement, and tell its parameters and columns; in one round trip with what its table is bound to.
    func describe(_ prepared: Prepared) throws {
        // libpq takes a description of more for a broken connection: fe-protocol3.c has a limit of 30,000 bytes for it.
        let count = prepared.sql.numbers.count
        guard count <= 7_498 else {
            throw CormorantError(
                .tooBig, "the statement has \(count) parameters, and libpq takes 7,498 at most",
                hint: "give a list of values as one parameter, and rows by the calls for many records",
                sql: prepared.sql.source)
        }
        try leavePipeline()
        try makeReady()
        let words = prepared.sql.words
        if prepared.isOnServer, let name = prepared.name {
            do {
                try run("DEALLOCATE \(name)", isTold: false)
            } catch let error as CormorantError where error.code == .sql && transaction == .none {
                // Somebody was faster.
            }
            prepared.isOnServer = false
        }
        let target = words.target
        let asksConstraints = !target.isEmpty && !constraints.knows(target)
        let name = prepared.name ?? ""
        began(prepared.sql.source, isTold: false)
        var rows: [[String?]] = []
        let before = settingsQuery(before: words)
        var sent =
            enterPipeline(sending: before) && pq.sendPrepare(handle, name, prepared.sql.text, 0, nil) == 1
            && pq.sendDescribe(handle, name) == 1
        if asksConstraints, sent {
            let table = target.joined(separator: ".")
            sent = send(ConstraintCatalog.query, of: table) && send(ConstraintCatalog.copyQuery(of: "$1"), of: table)
        }
        guard sent, pq.sync(handle) == 1 else { throw lost(words) }
        var failure: ServerFailure?
        var isCopied = false
        try collect(words) { command, result in
            switch (command - before.count, pq.resultStatus(result)) {
            case (0, ResultStatus.command): prepared.isParsed()
            case (1, ResultStatus.command): prepared.describe(result, pq)
            case (2, ResultStatus.rows): rows = texts(result)
            case (3, ResultStatus.rows): isCopied = pq.rowCount(result) > 0
            case (_, ResultStatus.command), (_, ResultStatus.rows), (_, ResultStatus.pipelineAborted),
                (..<0, ResultStatus.singleRow), (..<0, ResultStatus.chunk):
                break
            // A server may have other catalogs; what is lost is the names of columns in errors.
            case (2..., _) where transaction == .none: break
            default: failure = failure ?? ServerFailure(result, pq)
            }
        }
        _ = pq.exitPipeline(handle)
        ended()
        if let failure {
            // Somebody has prepared it under the same name, which is a hash: it is the same.
            if failure.state == "42P05" {
                prepared.isParsed()
                if transaction == .none { return try describeKept(prepared) }
            }
            throw error(failure, prepared.sql)
        }
        if asksConstraints { constraints.add(target, rows, isCopied: isCopied) }
    }

    /// Describes it anew; whether it has parameters of other types now. In a transaction, which goes on, it has none where it cannot be
    /// described.
    func describesOthers(_ prepared: Prepared) throws -> Bool {
        let types = prepared.parameterOIDs
        try leavePipeline()
        let isWithin = transaction == .open
        if isWithin { try run("SAVEPOINT corm_described", isTold: false) }
        do { try describe(prepared) } catch {
            prepared.isStale = true
            guard isWithin, loss == nil else { throw error }
            try run("ROLLBACK TO corm_described", isTold: false)
        }
        if isWithin { try run("RELEASE corm_described", isTold: false) }
        return !prepared.isStale && prepared.parameterOIDs != types
    }

    private func describeKept(_ prepared: Prepared) throws {
        began(prepared.sql.source, isTold: false)
        guard pq.sendDescribe(handle, prepared.name ?? "") == 1 else { throw lost(prepared.sql.words) }
        var failure: ServerFailure?
        while let result = pq.getResult(handle) {
            if pq.resultStatus(result) == ResultStatus.command {
                prepared.describe(result, pq)
            } else {
                failure = failure ?? ServerFailure(result, pq)
            }
            pq.clear(result)
        }
        ended()
        if let failure { throw error(failure, prepared.sql) }
    }

    /// Reads the results of a pipeline up to its sync, each with the number of its command.
    func collect(_ words: StatementWords?, _ body: (Int, OpaquePointer) -> Void) throws(CormorantError) {
        var (command, nothing) = (0, 0)
        while true {
            guard let result = pq.getResult(handle) else {
                command += 1
                nothing += 1
                // Between commands there is one; several are the end.
                guard nothing < 3, pq.status(handle) == 0 else { throw lost(words) }
                continue
            }
            nothing = 0
            defer { pq.clear(result) }
            if pq.resultStatus(result) == ResultStatus.pipelineSync { return }
            body(command, result)
        }
    }

    /// Sends a query of the catalogs about a table.
    private func send(_ query: String, of table: String) -> Bool {
        table.withCString { text in
            withUnsafePointer(to: Optional(text)) { values in
                pq.sendQueryParams(handle, query, 1, nil, values, nil, nil, 0) == 1
            }
        }
    }

    private func texts(_ result: OpaquePointer) -> [[String?]] {
        (0..<pq.rowCount(result)).map { row in
            (0..<pq.columnCount(result)).map { column in
                guard pq.isNull(result, row, column) == 0, let value = pq.value(result, row, column) else { return nil }
                return String(cString: value.assumingMemoryBound(to: CChar.self))
            }
        }
    }

    /// What a constraint is on. Asked of the server where nothing is known of it yet, and it can be asked.
    func constraint(of failure: ServerFailure) -> ConstraintCatalog.Constraint? {
        guard let schema = failure.schema, let table = failure.table, let name = failure.constraint else { return nil }
        let known = constraints.find(schema, table, name)
        guard known == nil, transaction != .failed, streaming == nil, pipeline == nil, loss == nil else { return known }
        let target = [quoteIdentifier(schema), quoteIdentifier(table)]
        guard !constraints.knows(target), send(ConstraintCatalog.query, of: target.joined(separator: "."))
        else { return nil }
        while let result = pq.getResult(handle) {
            if pq.resultStatus(result) == ResultStatus.rows { constraints.add(target, texts(result), isCopied: false) }
            pq.clear(result)
        }
        return constraints.find(schema, table, name)
    }
}

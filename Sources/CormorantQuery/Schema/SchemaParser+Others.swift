import CormorantBase

extension SchemaParser {
    mutating func view() throws(CormorantError) -> ViewDefinition {
        page = "lang_createview.html"
        index += 1
        let name = try objectName()
        let start = index
        if next?.kind == .leftParenthesis { _ = try names() }
        try expect(.as, "AS")
        guard [.select, .values, .with].contains(next?.keyword) else { throw unexpected("SELECT") }
        _ = try rest("the end of the SELECT")
        return ViewDefinition(name: name, body: fragment(start..<index), sql: sql)
    }

    mutating func trigger() throws(CormorantError) -> TriggerDefinition {
        page = "lang_createtrigger.html"
        index += 1
        let name = try objectName()
        let start = index
        var timing = TriggerTiming.before
        if accept(.instead) {
            try expect(.of, "OF")
            timing = .insteadOf
        } else if !accept(.before), accept(.after) {
            timing = .after
        }
        var event = TriggerEvent.update
        var columns: [String] = []
        if accept(.update) {
            if accept(.of) {
                repeat { columns.append(try self.name("a column")) } while accept(.comma)
            }
        } else if accept(.delete) {
            event = .delete
        } else {
            try expect(.insert, "INSERT, UPDATE or DELETE")
            event = .insert
        }
        try expect(.on, "ON")
        let table = try qualifiedName()
        if accept(.for) {
            try expect(.each, "EACH")
            try expect(.row, "ROW")
        }
        if accept(.when) { try triggerCondition() }
        try expect(.begin, "BEGIN")
        try triggerBody()
        return TriggerDefinition(
            name: name, timing: timing, event: event, columns: columns, table: table, body: fragment(start..<index),
            sql: sql)
    }

    /// Up to BEGIN; a column may have that name too, but only in parentheses or behind a dot does it stand here.
    private mutating func triggerCondition() throws(CormorantError) {
        let start = index
        var depth = 0
        while let token = next {
            if token.kind == .leftParenthesis { depth += 1 }
            if token.kind == .rightParenthesis { depth -= 1 }
            let isBegin = token.keyword == .begin && tokens[index - 1].kind != .dot
            if depth < 0 || token.kind == .semicolon || (depth == 0 && isBegin) { break }
            index += 1
        }
        guard index > start, depth == 0 else { throw unexpected(index > start ? "\")\"" : "a condition") }
    }

    /// Statements with a semicolon behind each, and END.
    private mutating func triggerBody() throws(CormorantError) {
        var depth = 0
        repeat {
            guard [.update, .insert, .replace, .delete, .select, .with, .values].contains(next?.keyword) else {
                throw unexpected("INSERT, UPDATE, DELETE or SELECT")
            }
            while let token = next, token.kind != .semicolon {
                if token.kind == .leftParenthesis { depth += 1 }
                if token.kind == .rightParenthesis { depth -= 1 }
                guard depth >= 0 else { throw unexpected("\";\"") }
                index += 1
            }
            guard depth == 0 else { throw unexpected("\")\"") }
            try expect(.semicolon, "\";\"")
        } while next?.keyword != .end
        index += 1
    }

    mutating func virtualTable() throws(CormorantError) -> VirtualTableDefinition {
        page = "lang_createvtab.html"
        index += 1
        try expect(.table, "TABLE")
        let name = try objectName()
        try expect(.using, "USING")
        let module = try self.name("a module")
        var arguments: [SQLFragment] = []
        if next?.kind == .leftParenthesis, peek(1)?.kind == .rightParenthesis {
            index += 2
        } else if next?.kind == .leftParenthesis {
            // SQLite passes the module nothing for nothing between two commas.
            arguments = split(try group()).filter { !$0.isEmpty }.map(fragment)
        }
        return VirtualTableDefinition(name: name, module: module, arguments: arguments, sql: sql)
    }
}

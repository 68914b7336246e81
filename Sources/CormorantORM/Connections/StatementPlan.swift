import CormorantBase
import CormorantQuery
import CormorantSQLite

/// What an engine would do for a statement, step by step.
package struct PlanStep {
    package var id: Int64
    /// The step that takes its rows; 0 for none.
    package var parent: Int64
    /// In the engine's words.
    package var detail: String
}

extension Database {
    /// The steps of a statement, a step before those whose rows it takes, without running it. SQLite's are those of EXPLAIN QUERY
    /// PLAN (https://www.sqlite.org/eqp.html), a server's those of EXPLAIN, with what it thinks they cost.
    package func plan(of compiled: CompiledStatement) throws -> [PlanStep] {
        var steps: [PlanStep] = []
        guard dialect == .sqlite else {
            let json = try serverPlan(of: compiled)
            return try Connection(path: ":memory:", options: OpenOptions()).steps(ofPlan: json)
        }
        let cursor = try cursor(
            CompiledStatement(
                "EXPLAIN QUERY PLAN " + compiled.sql, compiled.bindings.map { _ in .value(.null) }, of: compiled.table))
        defer { cursor.close() }
        try cursor.forEachRow { row in
            guard case .text(let detail) = try row.value(3) else { return }
            steps.append(PlanStep(id: row.cell(0).int64, parent: row.cell(1).int64, detail: detail))
        }
        return steps
    }

    /// The same as an indented tree, a line per step.
    package func explain(_ compiled: CompiledStatement) throws -> String {
        var depths: [Int64: Int] = [:]
        var text = ""
        for step in try plan(of: compiled) {
            let depth = depths[step.parent].map { $0 + 1 } ?? 0
            depths[step.id] = depth
            text += String(repeating: "  ", count: depth) + step.detail + "\n"
        }
        return text
    }

    /// EXPLAIN's JSON. Of a statement with parameters the plan that serves all their values.
    private func serverPlan(of compiled: CompiledStatement) throws -> String {
        try withReader { $0.recycle(try $0.compiled(compiled)) }
        guard compiled.hasParameters else {
            let cursor = try cursor(
                CompiledStatement("EXPLAIN (FORMAT JSON) " + compiled.sql, compiled.bindings, of: compiled.table))
            defer { cursor.close() }
            var json = ""
            try cursor.forEachRow { json += $0.cell(0).string ?? "" }
            return json
        }
        return try withReader { connection in
            let name = "corm_plan_\(UInt64.random(in: 0 ... .max))"
            try connection.begin(.read)
            do {
                try connection.script(
                    "PREPARE \(name) AS \(numbered(compiled.sql)); SET LOCAL plan_cache_mode = force_generic_plan")
                let nulls = compiled.bindings.map { _ in "NULL" }.joined(separator: ", ")
                let statement = try Statement(connection, "EXPLAIN (FORMAT JSON) EXECUTE \(name)(\(nulls))")
                let json = try statement.firstText() ?? ""
                statement.finalize()
                try connection.script("DEALLOCATE \(name)")
                // Takes the setting back, where a transaction goes on.
                try connection.rollback()
                return json
            } catch {
                try? connection.rollback()
                throw error
            }
        }
    }
}

/// A statement with `$1` and so on in the place of each `?`.
private func numbered(_ sql: String) -> String {
    var sql = sql
    return sql.withUTF8 { bytes in
        var lexer = SQLLexer(bytes)
        var (text, copied, count) = ([UInt8](), 0, 0)
        while let token = lexer.scanPostgreSQL() {
            guard token.kind == .parameter else { continue }
            count += 1
            text += bytes[copied..<token.range.lowerBound] + Array("$\(count)".utf8)
            copied = token.range.upperBound
        }
        text += bytes[copied...]
        return String(decoding: text, as: UTF8.self)
    }
}

extension Connection {
    /// The steps in what PostgreSQL gives for EXPLAIN (FORMAT JSON); SQLite reads the JSON.
    fileprivate func steps(ofPlan json: String) throws -> [PlanStep] {
        defer { close() }
        let statement = try Statement(self, "SELECT id, parent, key, type, atom FROM json_tree(?1)")
        defer { statement.finalize() }
        try statement.bind(.text(json), 1)
        /// By their ids: what holds each value, and the members of each object that is a step.
        var parents: [Int64: Int64] = [:]
        var keys: [Int64: String] = [:]
        var nodes: [Int64: PlanNode] = [:]
        var order: [Int64] = []
        while try statement.step() {
            let row = Row(statement)
            let (id, parent) = (row.cell(0).int64, row.cell(1).int64)
            if try row.value(1) != .null { parents[id] = parent }
            guard let key = row.cell(2).string, let kind = row.cell(3).string else { continue }
            keys[id] = key
            guard kind != "object", kind != "array", let value = row.cell(4).string else { continue }
            if key == "Node Type" {
                nodes[parent] = nodes[parent] ?? PlanNode()
                order.append(parent)
            }
            // The members of a list, such as a sort's keys, are those of the step that has the list.
            let owner = nodes[parent] == nil ? parents[parent] : parent
            guard let owner, nodes[owner] != nil else { continue }
            nodes[owner]?.add(value, owner == parent ? key : keys[parent] ?? key)
        }
        return order.map { id in
            var above = parents[id]
            while let next = above, nodes[next]?.hasType != true { above = parents[next] }
            return PlanStep(id: id, parent: above ?? 0, detail: nodes[id]?.detail ?? "")
        }
    }
}

/// A step of PostgreSQL's, as EXPLAIN writes it as text: https://www.postgresql.org/docs/current/using-explain.html
private struct PlanNode {
    private var members: [String: String] = [:]

    var hasType: Bool { members["Node Type"] != nil }

    mutating func add(_ value: String, _ key: String) {
        members[key] = members[key].map { "\($0), \(value)" } ?? value
    }

    var detail: String {
        var text = members["Node Type"] ?? ""
        switch (text, members["Join Type"], members["Strategy"]) {
        case ("Nested Loop", let type?, _) where type != "Inner": text += " \(type) Join"
        case ("Hash Join", let type?, _) where type != "Inner": text = "Hash \(type) Join"
        case ("Merge Join", let type?, _) where type != "Inner": text = "Merge \(type) Join"
        case ("Aggregate", _, "Hashed"): text = "HashAggregate"
        case ("Aggregate", _, "Sorted"): text = "GroupAggregate"
        case ("Aggregate", _, "Mixed"): text = "MixedAggregate"
        case ("ModifyTable", _, _): text = members["Operation"] ?? text
        case ("SetOp", _, let strategy?): text = strategy == "Hashed" ? "HashSetOp" : text
        default: break
        }
        if let mode = members["Partial Mode"], mode != "Simple" { text = "\(mode) \(text)" }
        if members["Scan Direction"] == "Backward" { text += " Backward" }
        if let index = members["Index Name"] {
            text += members["Relation Name"] == nil ? " on \(index)" : " using \(index)"
        }
        if let table = members["Relation Name"] ?? members["Function Name"] ?? members["CTE Name"] {
            text += " on \(table)"
            if let alias = members["Alias"], alias != table { text += " \(alias)" }
        } else if let alias = members["Alias"] {
            text += " on \(alias)"
        }
        if let subplan = members["Subplan Name"] { text = "\(subplan): \(text)" }
        for key in Self.conditions {
            if let condition = members[key] { text += "; \(key): \(condition)" }
        }
        let cost = "cost=\(members["Startup Cost"] ?? "")..\(members["Total Cost"] ?? "")"
        return "\(text)  (\(cost) rows=\(members["Plan Rows"] ?? ""))"
    }

    private static let conditions = [
        "Index Cond", "Recheck Cond", "TID Cond", "Hash Cond", "Merge Cond", "Join Filter", "Filter", "One-Time Filter",
        "Sort Key", "Presorted Key", "Group Key", "Conflict Arbiter Indexes",
    ]
}

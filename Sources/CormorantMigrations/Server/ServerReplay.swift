import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// What the steps of a bundle make on a server: they are run in a schema of their own, in a transaction that is taken back.
enum ServerReplay {
    /// The schema that steps are run in.
    private static let scratch = "corm_steps"

    /// Runs `body` where the steps have run. Nothing of it stays.
    static func run<Result>(
        _ steps: some Sequence<MigrationStep>, _ connection: Connection, _ body: (ServerSchema) throws -> Result
    ) throws -> Result {
        try connection.begin(.immediate)
        defer { try? connection.rollback() }
        try connection.script("CREATE SCHEMA \(scratch); SET LOCAL search_path = \(scratch)")
        for step in steps {
            guard let sql = step.up.sql(for: .postgres) else {
                throw CormorantError(
                    .migration, "step \(step.id) is a function of the program, of which nobody can see what it makes",
                    hint: "give it SQL")
            }
            do {
                try run(sql, connection)
            } catch let error as CormorantError {
                throw error.prefixed("step \(step.id): ")
            }
        }
        return try body(ServerSchema(connection))
    }

    /// Runs what can be in a transaction.
    /// - Parameter way: up or down, which an error names.
    static func run(_ sql: String, _ connection: Connection, _ way: String = "up") throws {
        for statement in serverStatements(sql) {
            guard let text = inTransaction(statement.sql) else { continue }
            do {
                try connection.script(text)
            } catch let error as CormorantError {
                throw error.placed(after: statement.offset, of: sql, way)
            }
        }
    }

    /// What a statement is in a transaction; nil: nothing.
    static func inTransaction(_ sql: String) -> String? {
        let words = serverWords(sql, 6)
        if words.first == "vacuum" || words.first == "reindex" || words.starts(with: ["alter", "system"]) {
            return nil
        }
        if words.first == "do" {
            let lines = sql.split(separator: "\n", omittingEmptySubsequences: false)
            return lines.filter { $0.drop { $0 == " " } != Planner.commit }.joined(separator: "\n")
        }
        return words.contains("concurrently") ? replacing("concurrently", in: sql, by: "") : sql
    }

    /// The schema that the steps leave, in words of the one that the connection is in.
    static func schema(_ steps: some Sequence<MigrationStep>, _ connection: Connection) throws -> Schema {
        var place: String?
        try ServerCatalog(connection: connection).forEach("SELECT CAST(current_schema() AS text)") {
            place = $0.text(0)
        }
        let prefix = place.map { $0 + "." } ?? ""
        var schema = try run(steps, connection) { $0.schema }
        func moved(_ sql: SQLFragment) -> SQLFragment {
            SQLFragment(text: within(sql.text), canonical: within(sql.canonical, prefix))
        }
        for index in schema.indexes.indices {
            schema.indexes[index].sql = within(schema.indexes[index].sql)
            for term in schema.indexes[index].terms.indices {
                schema.indexes[index].terms[term].expression = moved(schema.indexes[index].terms[term].expression)
            }
        }
        for trigger in schema.triggers.indices {
            schema.triggers[trigger].sql = within(schema.triggers[trigger].sql)
            schema.triggers[trigger].body = moved(schema.triggers[trigger].body)
        }
        return schema
    }

    /// SQL with another schema named in the place of the one that steps are run in, or none.
    /// - Parameter prefix: its name with a dot behind it.
    static func within(_ sql: String, _ prefix: String = "") -> String {
        replacing(scratch, in: sql, by: prefix, withDot: true)
    }

    /// - Parameter withDot: whether it is replaced only where a dot follows, which goes with it; else a space does.
    private static func replacing(_ name: String, in sql: String, by new: String, withDot: Bool = false) -> String {
        guard contains(sql, name) || !withDot else { return sql }
        var sql = sql
        return sql.withUTF8 { bytes in
            var lexer = SQLLexer(bytes)
            var text: [UInt8] = []
            while let token = lexer.scanPostgreSQL() {
                let isDotted = lexer.position < bytes.count && bytes[lexer.position] == UInt8(ascii: ".")
                let isName = token.kind == .identifier && foldIdentifier(lexer.unquoted(token)) == name
                guard isName, isDotted || !withDot else {
                    text += bytes[token.range]
                    continue
                }
                text += new.utf8
                if isDotted || lexer.position < bytes.count && bytes[lexer.position] == UInt8(ascii: " ") {
                    _ = lexer.scanPostgreSQL()
                }
            }
            return String(decoding: text, as: UTF8.self)
        }
    }
}

extension ServerReplay {
    /// The schema that the steps leave; nil where they cannot be run by themselves.
    static func known(_ steps: some Sequence<MigrationStep>, _ connection: Connection) throws -> Schema? {
        do {
            return try schema(steps, connection)
        } catch let error as CormorantError where ![.connection, .interrupted, .busy].contains(error.code) {
            return nil
        }
    }

    /// What a server had when the last of the steps was done, with what others had made there; nil where that is not known.
    static func former(
        _ steps: some Sequence<MigrationStep>, parts: String, now: Schema, _ connection: Connection
    ) throws -> Schema? {
        guard var former = try known(steps, connection) else { return nil }
        let parts = SchemaParts(text: parts)
        for table in now.tables where former.table(table.name) == nil && parts.has(table.name) {
            former.tables.append(table)
            former.indexes += now.indexes.filter { sameIdentifier($0.table, table.name) }
            former.triggers += now.triggers.filter { sameIdentifier($0.table, table.name) }
        }
        former.views += now.views.filter { former.view($0.name) == nil && parts.has($0.name) }
        return SchemaParts(former).text == parts.text ? former : nil
    }
}

extension MigrationBundle {
    /// What leads on a server from where the bundle's steps end to models, with the SQL for it and for the way back. It is tried
    /// there.
    func planOnServer(
        _ server: Database, of models: [ModelDescriptor], _ options: MigrationOptions
    ) throws -> (plan: MigrationPlan, up: String, down: String) {
        guard server.dialect == .postgres else {
            throw CormorantError(
                .misuse, "\"\(server.path)\" is no server", hint: "give a database that was opened by its URL")
        }
        try server.refuseTransaction()
        return try server.inTransaction(.deferred) {
            try server.withConnection { connection in
                try ServerReplay.run(steps, connection) { present in
                    let former =
                        try steps.last { $0.serverModelsSQL != nil }.map {
                            try DeclaredTables.former($0.modelsSQL ?? "", made: $0.serverModelsSQL ?? "", connection)
                        }?.byTable ?? [:]
                    let plan = try modelPlan(
                        models, from: present.schema, former: former, allowDrop: options.allowDrop, file: nil,
                        server: present, scratch: connection)
                    guard plan.problems.isEmpty else { throw refusal(plan.problems) }
                    guard !plan.isEmpty, let result = plan.result else { return (plan, "", "") }
                    let made = try lead(plan, to: result, connection, "up")
                    let back = try wayBack(plan, from: made.schema, to: present.schema, server: made)
                    _ = try lead(back, to: present.schema, connection, "down")
                    return (plan, ServerReplay.within(plan.onServer), ServerReplay.within(back.onServer))
                }
            }
        }
    }

    private func lead(
        _ plan: MigrationPlan, to schema: Schema, _ connection: Connection, _ way: String
    ) throws -> ServerSchema {
        try ServerReplay.run(plan.onServer, connection, way)
        let made = try ServerSchema(connection)
        if let change = SchemaDifference(from: schema, to: made.schema).changes.first {
            throw CormorantError(
                .internal, "the step would leave a difference on the server: \(change)",
                hint: "report this as a defect")
        }
        return made
    }
}

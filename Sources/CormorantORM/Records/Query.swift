import CormorantBase
import CormorantQuery
import CormorantSQLite

/// Which records: by equal attributes, ordered and paged; or a whole SELECT of one's own.
public struct Query: Sendable {
    /// Properties and the values they must equal; NULL equals NULL.
    public var attributes: [(property: String, value: Value)]
    /// Property names; a leading "-" means descending.
    public var order: [String]
    /// The greatest number of records; nil: all.
    public var limit: Int?
    /// How many records to skip.
    public var offset: Int
    /// A SELECT of the program's instead of all these: its columns are matched to the model by name.
    package private(set) var sql: String?
    /// Binds the values of `sql`.
    package private(set) var bind: @Sendable (Statement) throws -> Void = { try $0.bind(.none) }

    /// Why an attribute cannot be stored; thrown by the call that the query is for.
    package var problem: CormorantError?

    /// Records with these attributes, in this order, of them one page.
    package init(
        attributes: [(property: String, value: Value)], order: [String] = [], limit: Int? = nil, offset: Int = 0
    ) {
        self.attributes = attributes
        self.order = order
        self.limit = limit
        self.offset = offset
    }

    /// The records of a SELECT of the program's.
    package init(text: String, bind: @escaping @Sendable (Statement) throws -> Void = { try $0.bind(.none) }) {
        self.init(attributes: [])
        (sql, self.bind) = (text, bind)
    }

    /// The same with attributes known only at run time.
    package init(attributes: [(property: String, value: Value)], order: [String], limit: Int64?, offset: Int64) {
        self.init(
            attributes: attributes, order: order, limit: limit.map { Int(clamping: $0) }, offset: Int(clamping: offset))
    }
}

extension ModelPlan {
    /// The statement of a query, bound, and the result column of each column of the model.
    /// - Parameter scratch: holds the bound texts; must live as long as the statement runs.
    func open(
        _ query: Query, _ scratch: ScratchMemory, bind: ((Statement) throws -> Void)? = nil
    ) throws -> (statement: Statement, columns: [Int32]) {
        guard let sql = query.sql else {
            let statement = try select(query, scratch)
            return (statement, model.columns.indices.map { Int32(truncatingIfNeeded: $0) })
        }
        let statement = try connection.statement(sql)
        do {
            try (bind ?? query.bind)(statement)
            return (statement, try model.resultColumns(of: statement))
        } catch {
            connection.recycle(statement)
            throw error
        }
    }

    /// - Parameter counting: gives the number of rows instead of the rows.
    func select(_ query: Query, _ scratch: ScratchMemory, counting: Bool = false) throws -> Statement {
        if let limit = query.limit, limit < 0 { throw noCount("limit", "\(limit)") }
        if query.offset < 0 { throw noCount("offset", "\(query.offset)") }
        let columns = try query.attributes.map { try model.require($0.property) }
        let order = try query.order.map(ordered)
        let limited = query.limit != nil || query.offset > 0
        let select = try compiler.select(
            model.columns.map(\.column), from: model.table, attributes: columns.map(matched),
            order: order, limited: limited)
        let statement: Statement
        do {
            statement = try connection.statement(counting ? compiler.count(select) : select)
        } catch let error as CormorantError {
            throw schemaError(error)
        }
        do {
            try bind(query, columns, statement, limited, scratch)
            return statement
        } catch {
            connection.recycle(statement)
            throw error
        }
    }

    private func bind(
        _ query: Query, _ columns: [Int], _ statement: Statement, _ limited: Bool, _ scratch: ScratchMemory
    ) throws {
        var parameters = [Int32](repeating: 0, count: model.columns.count)
        try parameters.withUnsafeMutableBufferPointer { parameters in
            guard let base = parameters.baseAddress else { return }
            for (position, column) in columns.enumerated() {
                // One attribute at a time, so that a property may be named twice.
                base[column] = Int32(truncatingIfNeeded: position + 1)
                var writer = RecordWriter(statement, base, model, scratch)
                try writer.write(query.attributes[position].value, as: model.columns[column].type, at: column)
                base[column] = 0
            }
        }
        if limited {
            statement.bind(Int64(query.limit ?? -1), Int32(truncatingIfNeeded: columns.count + 1))
            statement.bind(Int64(query.offset), Int32(truncatingIfNeeded: columns.count + 2))
        }
    }

    private func ordered(_ term: String) throws -> OrderedColumn {
        if let column = model.column(named: term) { return compared(column) }
        let property = term.hasPrefix("-") ? String(term.dropFirst()) : term
        return compared(try model.require(property), descending: true)
    }

    private func compared(_ index: Int, descending: Bool = false) -> OrderedColumn {
        let column = model.columns[index]
        let collation = column.type == .decimal ? connection.dialect.decimalCollation : nil
        return OrderedColumn(column.column, descending: descending, comparedBy: collation)
    }

    private func matched(_ index: Int) -> OrderedColumn {
        guard model.columns[index].type == .offsetDatetime else { return compared(index) }
        return OrderedColumn(model.columns[index].column, comparedBy: connection.dialect.momentCollation)
    }
}

extension ModelDescriptor {
    /// Matches the columns of a raw SELECT to the model by name, case ignored.
    func resultColumns(of statement: Statement) throws -> [Int32] {
        var byName: [ExactText: Int32] = [:]
        var doubled: Set<ExactText> = []
        for index in 0..<statement.columnCount {
            let name = nameKey(statement.columnName(index))
            if byName.updateValue(Int32(truncatingIfNeeded: index), forKey: name) != nil { doubled.insert(name) }
        }
        return try columns.map { column in
            let folded = nameKey(column.column)
            if doubled.contains(folded) {
                throw CormorantError(
                    .schema, "the SELECT has several columns \"\(column.column)\", one of which is for model \(name)",
                    hint:
                        "select those of one table, such as \(quoteIdentifier(table)).*, or give the others other names",
                    sql: statement.sql, table: table, columns: [column.column])
            }
            if let index = byName[folded] { return index }
            throw CormorantError(
                .schema, "the SELECT has no column \"\(column.column)\", which model \(name) needs",
                hint: "select it, or read the rows without a model", sql: statement.sql, table: table,
                columns: [column.column])
        }
    }
}

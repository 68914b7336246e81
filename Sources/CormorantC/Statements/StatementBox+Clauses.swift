import CCormorant
import CormorantBase
import CormorantORM
import CormorantQuery

extension StatementBox {
    package func add(_ expression: Expression, to clause: Int32) {
        edit { tree in
            switch (clause, tree) {
            case (CORM_CLAUSE_WHERE, .change(var statement)):
                if statement.isInsert { throw unknownClause(clause) }
                statement.conditions.append(expression)
                tree = .change(statement)
            case (CORM_CLAUSE_RETURNING, .change(var statement)):
                statement.returning.append(expression)
                tree = .change(statement)
            case (_, .select(var select)):
                tree = .select(Select())
                try select.add(expression, to: clause)
                tree = .select(select)
            default: throw unknownClause(clause)
            }
        }
    }

    package func add(_ table: CommonTable) {
        edit { tree in
            switch tree {
            case .select(var select):
                select.commonTables.append(table)
                tree = .select(select)
            case .change(var statement):
                statement.commonTables.append(table)
                tree = .change(statement)
            case .problem: break
            }
        }
    }

    /// SET of an UPDATE, or a value of an INSERT; where `inUpsert`, SET of its ON CONFLICT.
    package func set(_ property: String, _ value: Expression, inUpsert: Bool = false) {
        editChange { statement in
            let column = try statement.table.require(property)
            guard inUpsert else {
                if case .delete = statement.kind {
                    throw CormorantError(.misuse, "a DELETE sets nothing", hint: "use CORM_UPDATE")
                }
                if case .insertSelect = statement.kind { throw twoSources() }
                guard statement.rows.isEmpty else { throw rowsAndValues() }
                return statement.assignments.append((column, value))
            }
            guard statement.upsert != nil else {
                throw CormorantError(
                    .misuse, "the INSERT has no upsert to set \"\(property)\" in",
                    hint: "name the conflict first, with corm_statement_upsert")
            }
            statement.upsert?.assignments.append((column, value))
        }
    }

    /// UPDATE ... FROM.
    func read(from source: Source) {
        editChange { statement in
            guard case .update = statement.kind else {
                throw CormorantError(
                    .misuse, "an INSERT or DELETE reads from no other source",
                    hint: "insert the rows of a SELECT, or find those to delete by a subquery")
            }
            statement.source = source
        }
    }

    /// One more row of an INSERT.
    package func add(row properties: [String], _ values: [Expression]) {
        editInsert { statement in
            if case .insertSelect = statement.kind { throw twoSources() }
            guard statement.assignments.isEmpty else { throw rowsAndValues() }
            // What is wrong with a value is told before its count, which may be why.
            if case .problem(let error)? = values.first(where: { if case .problem = $0.node { true } else { false } })?
                .node
            {
                throw error
            }
            guard properties.count == values.count else {
                throw CormorantError(
                    .misuse,
                    "a row has \(counted(values.count, "value")), its list of properties \(properties.count)",
                    hint: "give one value for each property")
            }
            let columns = try properties.map { try statement.table.require($0) }
            statement.rows.append(zip(columns, values).map { ($0, $1) })
        }
    }

    package func insert(_ properties: [String], from select: Select) {
        editInsert { statement in
            let columns = try properties.map { try statement.table.require($0) }
            guard statement.assignments.isEmpty, statement.rows.isEmpty else { throw twoSources() }
            statement.kind = .insertSelect(columns, select)
        }
    }

    package func upsert(_ properties: [String]) {
        editInsert { statement in
            statement.upsert = Upsert(target: try properties.map { try statement.table.require($0) })
        }
    }

    package func conflict(_ policy: ConflictPolicy) {
        editChange { statement in
            if case .delete = statement.kind {
                throw CormorantError(.misuse, "a DELETE has no conflict policy", hint: "leave it out")
            }
            statement.policy = policy
        }
    }

    private func editInsert(_ change: (inout Change) throws -> Void) {
        editChange { statement in
            guard statement.isInsert else {
                throw CormorantError(.misuse, "the clause belongs to an INSERT", hint: "use CORM_INSERT")
            }
            try change(&statement)
        }
    }
}

private func unknownClause(_ clause: Int32) -> CormorantError {
    CormorantError(
        .misuse, "the clause \(clause) is unknown, or not one of this kind of statement",
        hint: "use one of the CORM_CLAUSE_ constants")
}

private func rowsAndValues() -> CormorantError {
    CormorantError(
        .misuse, "the INSERT has both values of one row and rows of values", hint: "give all of them as rows")
}

private func twoSources() -> CormorantError {
    CormorantError(
        .misuse, "the INSERT has both values and a SELECT", hint: "give the values as columns of the SELECT")
}

extension Select {
    fileprivate mutating func add(_ expression: Expression, to clause: Int32) throws {
        switch clause {
        case CORM_CLAUSE_COLUMN: columns.append(expression)
        case CORM_CLAUSE_WHERE: conditions.append(expression)
        case CORM_CLAUSE_GROUP_BY: groupBy.append(expression)
        case CORM_CLAUSE_HAVING: having.append(expression)
        case CORM_CLAUSE_ORDER_BY: order.append(expression)
        case CORM_CLAUSE_LIMIT: limit = expression
        case CORM_CLAUSE_OFFSET: offset = expression
        default: throw unknownClause(clause)
        }
    }
}

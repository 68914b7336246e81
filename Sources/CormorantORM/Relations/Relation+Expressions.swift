import CormorantBase
import CormorantQuery

/// Expressions along relations. What is wrong stays in the expression, as in all of them.
extension ModelDescriptor {
    /// A property at the end of a chain of to-one relations.
    /// - Parameter source: of this model's columns.
    package func column(
        along names: some Sequence<String>, _ property: String, alias: String? = nil, source: SourceIdentity? = nil
    ) -> Expression {
        do {
            var model = self
            var path: [RelationStep] = []
            for name in names {
                let relation = try model.relation(named: name)
                guard relation.kind == .toOne else {
                    throw CormorantError(
                        .misuse, "\(model.name).\(name) leads to many records, not to one",
                        hint: "ask whether any of them meets a condition, or for an aggregate over them")
                }
                path.append(relation.step)
                model = relation.target
            }
            return Expression(
                .column(
                    ColumnReference(
                        tableReference, try model.require(property), alias: alias, path: path, source: source)))
        } catch {
            return .problem(error)
        }
    }

    /// Whether any related record meets all conditions.
    /// - Parameters:
    ///   - source: of this model's columns.
    ///   - target: of the related records', in the conditions.
    package func exists(
        _ name: String, where conditions: [Expression] = [], alias: String? = nil, source: SourceIdentity? = nil,
        target: SourceIdentity? = nil
    ) -> Expression {
        do {
            var select = try related(name, alias, source, target)
            select.columns = [Expression(.raw("1", []))]
            select.conditions += conditions
            return .exists(select)
        } catch {
            return .problem(error)
        }
    }

    /// Whether a record is what a relation, at the end of a chain of to-one relations, leads to, or among those.
    /// - Parameter value: of a column of the record, as the engine takes it; nil: whether a relation to one leads to none.
    package func isRelated(
        along names: [String], to value: ((Int) throws -> Value)?, alias: String? = nil, source: SourceIdentity? = nil
    ) -> Expression {
        isRelated(along: names, to: value, orOneOf: [], alias: alias, source: source)
    }

    /// Whether the record at the end of a chain of to-one relations is one of many.
    package func isRelated(
        along names: [String], toOneOf values: [(Int) throws -> Value], alias: String? = nil
    ) -> Expression {
        guard let first = values.first else { return .any([]) }
        return isRelated(along: names, to: first, orOneOf: Array(values.dropFirst()), alias: alias, source: nil)
    }

    private func isRelated(
        along names: [String], to value: ((Int) throws -> Value)?, orOneOf others: [(Int) throws -> Value],
        alias: String?, source: SourceIdentity?
    ) -> Expression {
        do {
            guard !names.isEmpty else { return try isRecord(value, alias: alias, source) }
            var owner = self
            for name in names.dropLast() { owner = try owner.relation(named: name).target }
            let relation = try owner.relation(named: names.last ?? "")
            let known = { (column: Int) throws -> Value in try relation.target.known(value, column) }
            if relation.kind == .toOne {
                // With a scope it leads to a row that is joined; without, the foreign key tells.
                let target = relation.target
                let hasScope = target.tableReference.scope != nil
                let path = hasScope ? names : names.dropLast()
                let keys = relation.step.columns.map { hasScope ? target.columns[$0.to] : owner.columns[$0.from] }
                let here = keys.map { column(along: path, $0.name, alias: alias, source: source) }
                guard value != nil else { return .any(here.map { .unary(.isNull, $0) }) }
                // As the foreign key compares.
                let operands = keys.indices.map { index in
                    let collation = relation.step.collations[index]
                    let isSame = keys[index].comparedBy == collation
                    return isSame ? here[index] : Expression.collate(here[index], collation ?? "binary")
                }
                let columns = relation.step.columns.map(\.to)
                let isSame: Expression =
                    others.isEmpty
                    ? .all(
                        try keys.indices.map { .binary(.equal, operands[$0], try here[$0].placed(known(columns[$0]))) })
                    : .isIn(
                        operands,
                        rows: try ([value].compactMap { $0 } + others).flatMap { value in
                            try columns.map { try target.known(value, $0) }
                        })
                guard keys.count > 1, !hasScope else { return isSame }
                let optional = relation.step.columns.indices.filter {
                    !owner.tableReference.columns[relation.step.columns[$0].from].isNotNull
                }
                return .present(optional.map { here[$0] }, isSame)
            }
            guard names.count == 1 else {
                throw CormorantError(
                    .misuse, "\(name).\(names.joined(separator: ".")) leads to many records by a detour",
                    hint: "join along the way, and ask there")
            }
            guard value != nil else {
                throw CormorantError(
                    .misuse, "\(name).\(relation.name) leads to many records, and is compared with none",
                    hint: "ask whether there is any")
            }
            let target = relation.target
            return exists(
                relation.name,
                where: try target.keyToCompare().map {
                    let own = target.asKey($0)
                    return .binary(.equal, own, try own.placed(known($0)))
                }, alias: alias, source: source)
        } catch {
            return .problem(error)
        }
    }

    /// Whether a row of this model's table is a record; nil: whether an outer join found none.
    private func isRecord(
        _ value: ((Int) throws -> Value)?, alias: String?, _ source: SourceIdentity?
    ) throws -> Expression {
        .all(
            try keyToCompare().map { column in
                let own = asKey(column, alias: alias, source)
                return value == nil ? .unary(.isNull, own) : .binary(.equal, own, try own.placed(known(value, column)))
            })
    }

    /// A column of the key as rows are told apart by it: decimals by their texts, as the file does.
    private func asKey(_ column: Int, alias: String? = nil, _ source: SourceIdentity? = nil) -> Expression {
        let own = Expression.column(tableReference, column, alias: alias, source: source)
        let isDecimal = columns[column].type == .decimal
        return isDecimal ? .collate(own, columns[column].collation ?? "binary") : own
    }

    private func keyToCompare() throws -> [Int] {
        guard !keyColumns.isEmpty else {
            throw CormorantError(
                .misuse, "\(name) has no primary key, by which a record is known", hint: "declare one")
        }
        return keyColumns
    }

    private func known(_ value: ((Int) throws -> Value)?, _ column: Int) throws -> Value {
        let known = try value?(column) ?? .null
        guard known != .null else {
            throw CormorantError(
                .misuse, "a record of \(name) has no \(columns[column].name) yet, by which it is known",
                hint: "insert it first")
        }
        return known
    }

    /// An aggregate over the related records: of a property or, without one, of the records.
    package func aggregate(
        _ function: String, over name: String, _ property: String? = nil, where conditions: [Expression] = [],
        alias: String? = nil, source: SourceIdentity? = nil, target: SourceIdentity? = nil
    ) -> Expression {
        do {
            let relation = try relation(named: name)
            var select = try related(name, alias, source, target)
            let argument = try property.map {
                Expression.column(relation.target.tableReference, try relation.target.require($0), source: target)
            }
            select.columns = [.call(function, [argument].compactMap { $0 })]
            select.conditions += conditions
            return .scalar(select)
        } catch {
            return .problem(error)
        }
    }

    /// The related records of a row of the SELECT around this one.
    private func related(
        _ name: String, _ alias: String?, _ source: SourceIdentity?, _ target: SourceIdentity?
    ) throws -> Select {
        let relation = try relation(named: name)
        func outer(_ column: Int) -> Expression {
            Expression(.column(ColumnReference(tableReference, column, alias: alias, isOuter: true, source: source)))
        }
        var select = Select(from: Source(.table(relation.target.tableReference), identity: target, isImplied: true))
        guard let second = relation.second else {
            select.conditions = relation.step.matches(outer) { .column(relation.target.tableReference, $0) }
            return select
        }
        let junction = relation.step.target
        // The junction comes first, and may be the target's own table under another name.
        let junctionName = junction === relation.target.tableReference ? "\(junction.name).\(name)" : nil
        let matches = second.matches({ .column(junction, $0, alias: junctionName) }) {
            .column(relation.target.tableReference, $0)
        }
        select.joins = [Join(.inner, Source(.table(junction), alias: junctionName, isImplied: true), on: .all(matches))]
        select.conditions = relation.step.matches(outer) { .column(junction, $0, alias: junctionName) }
        return select
    }
}

extension ModelDescriptor {
    /// An order term by name; a leading "-" means descending.
    package func orderTerm(_ term: String) throws -> Expression {
        if let exact = column(named: term) { return .column(tableReference, exact) }
        let isDescending = term.hasPrefix("-")
        let index = try require(isDescending ? String(term.dropFirst()) : term)
        return Expression.column(tableReference, index).ordered(OrderDirection(descending: isDescending))
    }
}

extension Expression {
    static func problem(_ error: any Error) -> Expression {
        .problem(error as? CormorantError ?? CormorantError(.internal, "unexpected error: \(error)"))
    }
}

extension Select {
    /// Joins the target of a relation of a model that the SELECT reads from.
    package mutating func join(
        along name: String, of model: ModelDescriptor, as from: String? = nil, alias: String? = nil,
        _ kind: JoinKind = .inner, source: SourceIdentity? = nil, target: SourceIdentity? = nil
    ) throws {
        let relation = try model.relation(named: name)
        let joined = Source(.table(relation.target.tableReference), alias: alias, identity: target)
        guard let second = relation.second else {
            let matches = relation.step.matches({ .column(model.tableReference, $0, alias: from, source: source) }) {
                .column(relation.target.tableReference, $0, alias: alias, source: target)
            }
            joins.append(Join(kind, joined, on: .all(matches)))
            return
        }
        let junction = relation.step.target
        let between = "\(from ?? model.table).\(name)"
        let first = relation.step.matches({ .column(model.tableReference, $0, alias: from, source: source) }) {
            .column(junction, $0, alias: between)
        }
        let matches = second.matches({ .column(junction, $0, alias: between) }) {
            .column(relation.target.tableReference, $0, alias: alias, source: target)
        }
        // The rows of the junction stand for those of the target: none without one is kept, whichever side keeps its own.
        let kindBetween: JoinKind = kind == .right ? .inner : kind == .full ? .left : kind
        let isLed = kindBetween != .left || second.isSure(from: junction)
        let condition = Expression.all(isLed ? first : first + [second.leads(from: junction, as: between)])
        joins.append(Join(kindBetween, Source(.table(junction), alias: between, isImplied: true), on: condition))
        joins.append(Join(kind, joined, on: .all(matches)))
    }
}

extension RelationStep {
    /// Whether each row has one there: a foreign key holds it, and no scope hides it.
    fileprivate func isSure(from junction: TableReference) -> Bool {
        guard target.scope == nil, let known = junction.modelTable,
            columns.allSatisfy({ junction.columns[$0.from].isNotNull || junction.key.contains($0.from) })
        else { return false }
        let names = columns.map { nameKey(junction.columns[$0.from].name) }
        return known.schema.foreignKeys.contains { key in
            sameIdentifier(key.table, target.name) && key.columns.map(nameKey) == names
        }
    }

    /// Whether a row of the junction has one there.
    fileprivate func leads(from junction: TableReference, as alias: String) -> Expression {
        let there = SourceIdentity()
        var select = Select(from: Source(.table(target), identity: there, isImplied: true))
        select.columns = [.value(.integer(1))]
        select.conditions = matches(
            { Expression(.column(ColumnReference(junction, $0, alias: alias, isOuter: true))) },
            { .column(target, $0, source: there) })
        return .exists(select)
    }
}

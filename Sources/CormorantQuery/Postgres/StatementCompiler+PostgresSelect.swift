import CormorantBase

/// What a SELECT of PostgreSQL has otherwise: orders, limits, groups and result columns.
extension StatementCompiler {
    func write(orderTerms terms: [Expression]) throws {
        for (index, term) in terms.enumerated() {
            if index > 0 { sql += ", " }
            try write(orderTerm: term)
        }
    }

    /// NULL is less than everything, unless the term says otherwise.
    func write(orderTerm term: Expression) throws {
        let (operand, direction) = term.orderParts
        let nulls: Bool? =
            switch direction.nulls {
            case .first: true
            case .last: false
            case .least: canBeNull(operand) ? !direction.descending : nil
            }
        let end = dialect.direction(descending: direction.descending, nullsFirst: nulls)
        if case .parameter(let name) = operand.node { throw untyped(name) }
        switch postgresType(of: operand) {
        case .element:
            // Numbers before texts.
            try write(operand, as: .numeric)
            sql += end + ", "
            // The text of a number tells more than it.
            sql += "CASE WHEN jsonb_typeof("
            try write(json: operand, at: .atom)
            sql += ") NOT IN ('number', 'boolean') THEN "
            try write(operand, as: .text, at: .atom)
            sql += #" END COLLATE "C""# + end
        case .jsonb: throw lacksInPostgres("order of JSON", hint: "order by what stands at a path, cast to its type")
        case .text where comparesAsMoment(operand):
            try write(momentOf: operand)
            sql += end
        case .text:
            let key = textKey(of: operand)
            try write(key: key, collates: !isBytewise(operand)) { try $0.write(postgres: operand, at: .atom) }
            sql += end
        default:
            try write(postgres: operand, at: .any)
            sql += end
        }
    }

    /// ORDER BY of a SELECT: a term that is a result column is told by its place.
    func write(order: [Expression], of select: Select) throws {
        // PostgreSQL would take a bare name for a result column, which it names after what is in it.
        let stoodBare = !scopes[scopes.count - 1].qualifies
        if !select.columns.isEmpty { scopes[scopes.count - 1].qualifies = true }
        // Beside the columns of what is joined for the order, none may.
        defer { if stoodBare, !scopes[scopes.count - 1].paths.isEmpty { needsNames = true } }
        for (index, term) in order.enumerated() {
            if index > 0 { sql += ", " }
            let (written, direction) = term.orderParts
            let operand = label(in: written, of: select)
            guard case .name(nil, let name) = operand.node, let label = select.labelled(name),
                resultTypes == nil, ![.element, .jsonb].contains(postgresType(of: label.expression)),
                textKey(of: label.expression) == nil
            else {
                try write(orderTerm: operand.ordered(direction))
                continue
            }
            let nulls: Bool? =
                switch direction.nulls {
                case .first: true
                case .last: false
                case .least: canBeNull(label.expression) ? !direction.descending : nil
                }
            let end = dialect.direction(descending: direction.descending, nullsFirst: nulls)
            if isText(label.expression), !isBytewise(label.expression) {
                try write(orderTerm: label.expression.ordered(direction))
            } else {
                sql += "\(label.position + 1)" + end
            }
        }
    }

    /// A fragment that is the name of a result column, and a collation at most, is that one before any other column.
    private func label(in term: Expression, of select: Select) -> Expression {
        guard case .raw(let text, []) = term.node else { return term }
        let parsed = PortableParser.parse(text) { source, name in
            source == nil && select.labelled(name) != nil ? Expression(.name(source: nil, name)) : nil
        }
        if let parsed, case .name = parsed.bare.node { return parsed }
        return term
    }

    /// The order of a compound, which can name result columns only.
    /// - Parameter first: the member whose columns the rows have.
    func write(orderOfCompound order: [Expression], of first: Select) throws {
        let inner = within(first)
        for (index, term) in order.enumerated() {
            if index > 0 { sql += ", " }
            let (operand, direction) = term.orderParts
            switch operand.node {
            case .name(nil, let name):
                if let column = first.resultColumn(named: name) {
                    try refuseTelling(inner.textKey(of: column), "order of combined rows")
                }
                sql += quoteIdentifier(name)
            case .raw(let text, []): sql += text
            default:
                throw lacksInPostgres(
                    "order of combined rows by what is no result column", hint: "select it, and order by its name")
            }
            let isFirst = direction.nulls == .first || direction.nulls == .least && !direction.descending
            sql += dialect.direction(descending: direction.descending, nullsFirst: isFirst)
        }
    }

    /// A negative LIMIT is none, a negative OFFSET 0.
    func writePostgresLimit(_ select: Select) throws {
        if let limit = select.limit {
            sql += " LIMIT "
            switch limit.node {
            case .value(.integer, _), .parameter: try write(count: limit, "limit")
            default:
                sql += "nullif(greatest("
                try write(count: limit, "limit")
                sql += ", -1), -1)"
            }
        }
        guard let offset = select.offset else { return }
        switch offset.node {
        case .value(.integer(0), _): break
        case .value(.integer, _), .parameter:
            sql += " OFFSET "
            try write(count: offset, "offset")
        default:
            sql += " OFFSET greatest("
            try write(count: offset, "offset")
            sql += ", 0)"
        }
    }

    /// Rows that are one to such a collation have several texts, of which PostgreSQL would have to choose one.
    func refuseTelling(_ key: TextKey?, _ what: String) throws {
        guard let key else { return }
        if case .named = key { return }
        throw lacksInPostgres(
            "\(what) of texts that are compared by other than their bytes",
            hint: "take lower() of the text, or COLLATE BINARY")
    }

    /// - Parameters:
    ///   - isDistinct: equal rows are one.
    ///   - isMember: of a compound, whose columns are of one type.
    func write(postgresColumnsOf select: Select, isDistinct: Bool) throws {
        try refuseBareColumns(of: select)
        let (types, targets) = (resultTypes, inserted)
        (resultTypes, inserted) = (nil, nil)
        for (index, column) in select.columns.enumerated() {
            if index > 0 { sql += ", " }
            let wanted = types.flatMap { $0.indices.contains(index) ? $0[index] : nil }
            if isDistinct { try refuseTelling(textKey(of: column), "distinct rows") }
            if let targets, targets.indices.contains(index), let wanted {
                try write(column, storedAs: wanted, in: targets[index])
            } else {
                try write(resultColumn: column, as: wanted, isMember: types != nil, isDistinct: isDistinct)
            }
            if case .labelled(_, let name) = column.node { sql += " AS " + (try given(name)) }
        }
    }

    /// - Parameter isDistinct: it may be ordered by, which must be the same to the letter then.
    func write(
        resultColumn column: Expression, as wanted: PostgresType?, isMember: Bool = false, isDistinct: Bool = false
    ) throws {
        let type = wanted ?? postgresType(of: column)
        if type == .element, subqueries == 0, !isMember {
            // Told apart from JSON by its type: the engine gives the value that it holds.
            sql += "CAST("
            try write(postgres: column, at: .any)
            return sql += " AS json)"
        }
        if case .parameter(let name) = column.bare.node, wanted == nil { throw untyped(name) }
        let collates = (isMember || isDistinct) && type == .text && !isBytewise(column)
        try write(column, as: wanted, at: collates ? .atom : .any)
        if collates { sql += #" COLLATE "C""# }
    }

    /// The types of the result columns of all members of a compound.
    func memberTypes(of select: Select) throws -> [PostgresType?]? {
        guard !select.columns.isEmpty else { return nil }
        var types = within(select).typesOfColumns(select)
        for compound in select.compounds where compound.select.columns.count == types.count {
            let member = within(compound.select)
            for (place, column) in compound.select.columns.enumerated() {
                guard let type = member.postgresType(of: column) else { continue }
                guard let own = types[place] else {
                    types[place] = type
                    continue
                }
                if column.isPlainValue, type == .text, own.timeType != nil || own == .numeric || own == .jsonb {
                    continue
                }
                guard let both = own.united(with: type) else { throw mixed(own, type) }
                types[place] = both
            }
        }
        return types
    }

    private func typesOfColumns(_ select: Select) -> [PostgresType?] { select.columns.map { postgresType(of: $0) } }
}

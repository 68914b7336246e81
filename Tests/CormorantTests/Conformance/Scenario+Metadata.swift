import Cormorant

/// Metadata in the lines of scenarios.
extension Scenario {
    func check(_ metadata: Metadata, _ expected: inout Members) throws {
        let lists: [(String, (TableMetadata) -> [String])] = [
            ("tables", { ["\($0.name) \($0.kind.rawValue)"] }), ("options", { [$0.options] }),
            ("columns", \.columnLines),
            ("flags", \.flags), ("foreignKeys", \.foreignKeyLines), ("indexes", \.indexLines), ("checks", \.checkLines),
            ("triggers", \.triggerLines), ("relations", \.relationLines), ("ends", \.ends),
        ]
        for (name, lines) in lists { try check(name, metadata.tables.flatMap(lines), &expected) }
        try check("problems", metadata.problems.map { "\($0.type) \($0.name)" }, &expected)
        try checkParts(of: metadata.json, &expected)
    }
}

private func joined(_ names: [String]) -> String { "(\(names.joined(separator: ", ")))" }

private func line(_ parts: String?...) -> String { parts.compactMap { $0 }.joined(separator: "; ") }

extension TableMetadata {
    fileprivate var options: String {
        line(
            name, primaryKey.isEmpty ? nil : "key \(primaryKey.joined(separator: ", "))",
            rowIDColumn.map { "rowid \($0)" }, isAutoIncrement ? "autoincrement" : nil, isStrict ? "strict" : nil,
            isWithoutRowID ? "without rowid" : nil, module.map { "using \($0.name)\(joined($0.arguments))" })
    }

    fileprivate var columnLines: [String] {
        columns.map { column in
            "\(name).\(column.name) \(column.declaredType): \(column.swiftType), \(column.cType), \(column.pythonType)"
        }
    }

    fileprivate var flags: [String] {
        columns.map { column in
            let length = column.length.map { "(\($0))" } ?? ""
            return line(
                "\(name).\(column.name)", column.affinity.rawValue, column.typeName.map { "type \($0)\(length)" },
                column.keyPosition > 0 ? "key \(column.keyPosition)" : nil, column.isNullable ? nil : "not null",
                column.isUnique ? "unique" : nil, column.isForeignKey ? "foreign" : nil,
                column.isHidden ? "hidden" : nil, column.isSimpleType ? "simple" : nil,
                column.defaultSQL.map { "default \($0)" }, column.collation.map { "collate \($0)" },
                column.generatedSQL.map { "computed \($0)" }, column.isStored ? "stored" : nil)
        }
    }

    fileprivate var foreignKeyLines: [String] {
        foreignKeys.map { key in
            line(
                "\(name) \(joined(key.columns)) to \(key.table) \(joined(key.tableColumns))",
                key.name.map { "named \($0)" }, key.onDelete == .none ? nil : "on delete \(key.onDelete.name)",
                key.onUpdate == .none ? nil : "on update \(key.onUpdate.name)", key.isDeferred ? "deferred" : nil)
        }
    }

    fileprivate var indexLines: [String] {
        indexes.map { index in
            let terms = index.terms.map { term in
                (term.column == nil ? "(\(term.sql))" : term.sql) + (term.collation.map { " collate \($0)" } ?? "")
                    + (term.isDescending ? " desc" : "")
            }
            return line(
                "\(name) \(index.name ?? "none")", index.origin.rawValue, index.isUnique ? "unique" : nil,
                terms.isEmpty ? nil : terms.joined(separator: "; "), index.conditionSQL.map { "where \($0)" })
        }
    }

    fileprivate var checkLines: [String] {
        checks.map { "\(name).\($0.column ?? "none") \($0.name ?? "none"): \($0.sql)" }
    }

    fileprivate var triggerLines: [String] {
        triggers.map { "\(name) \($0.name): \($0.timing.rawValue) \($0.event.rawValue) \(joined($0.columns))" }
    }

    fileprivate var relationLines: [String] {
        relations.map { "\(name) \($0.kind.rawValue) \($0.table)" + ($0.through.map { " over \($0)" } ?? "") }
    }

    fileprivate var ends: [String] {
        relations.map { one in
            let over =
                one.through == nil ? "" : " over \(joined(one.throughColumns)) \(joined(one.throughTableColumns))"
            return line(
                "\(name) \(joined(one.columns)) to \(one.table) \(joined(one.tableColumns))\(over)",
                one.isSelf ? "self" : nil, one.isUnique ? "unique" : nil, one.isOptional ? "optional" : nil)
        }
    }
}

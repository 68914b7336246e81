import CormorantBase
import CormorantORM
import CormorantQuery

/// What a file's schema is to become for a set of models. A model says what it needs; whatever else is in the file stays,
/// unless the model had declared it before and no longer does. So a table made by hand keeps its own CHECKs, foreign
/// keys, indexes and spellings of types, and a default that was taken out of a model goes.
struct ModelTarget {
    private(set) var schema: Schema

    /// - Parameters:
    ///   - file: the schema after the models' renames.
    ///   - former: what each model declared when it was last brought to the file, by folded table name.
    ///   - dropping: tables that may go.
    ///   - onServer: what the models declare, of a server; nil: of a file.
    init(
        _ models: [ModelDescriptor], file: Schema, former: [ExactText: Schema], dropping: Set<ExactText>,
        onServer: DeclaredTables? = nil
    ) throws {
        schema = file
        schema.remove(dropping)
        for model in models {
            let wanted = try onServer.map { $0.schemas[nameKey(model.table)] ?? Schema() } ?? declared(model)
            merge(
                wanted, of: model, former: former[nameKey(model.table)] ?? Schema(), into: file,
                isOnServer: onServer != nil)
        }
    }

    private mutating func merge(
        _ wanted: Schema, of model: ModelDescriptor, former: Schema, into file: Schema, isOnServer: Bool
    ) {
        for table in wanted.virtualTables {
            if let present = file.virtualTable(table.name) {
                if !present.isEqual(table) { schema.replace(table) }
            } else {
                schema.virtualTables.append(table)
            }
        }
        for table in wanted.tables {
            guard let present = file.table(table.name) else {
                schema.tables.append(table)
                schema.indexes += wanted.indexes
                return
            }
            let merger = TableMerger(
                wanted: table, present: present, former: former.table(table.name), model: model, file: file,
                isOnServer: isOnServer)
            schema.replace(merger.merged())
            mergeIndexes(wanted, former: former, table: present, file: file)
        }
    }

    /// An index that does the work under another name will do.
    private mutating func mergeIndexes(_ wanted: Schema, former: Schema, table: TableDefinition, file: Schema) {
        let uniques = TableShape(table).uniques
        for index in former.indexes where wanted.index(index.name) == nil {
            if let present = file.index(index.name), present.isEqual(index) { schema.removeIndex(index.name) }
        }
        for index in wanted.indexes where !schema.indexes.contains(where: { $0.isEqual(index) }) {
            let isConstraint =
                index.isUnique && index.condition == nil
                && uniques.contains {
                    guard case .unique(let terms, _) = $0.kind else { return false }
                    // What a server's has besides does not matter.
                    return terms == index.terms
                        || file.dialect == .postgres && terms.map(\.column) == index.terms.map(\.column)
                }
            if !isConstraint { schema.replace(index) }
        }
    }
}

/// What a model declares, read as a file's own statements are.
func declared(_ model: ModelDescriptor) throws -> Schema {
    try model.requireOwnFile()
    return try Schema(script: model.createSQL)
}

/// One table of a model and of the file, made into what the file is to have.
private struct TableMerger {
    let wanted: TableDefinition
    let present: TableDefinition
    let former: TableDefinition?
    let model: ModelDescriptor
    let file: Schema
    let isOnServer: Bool
    private let shapes: (wanted: TableShape, present: TableShape, former: TableShape?)
    /// The type that each column has in the model, by its name in lower case.
    private let types: [ExactText: ColumnType]

    init(
        wanted: TableDefinition, present: TableDefinition, former: TableDefinition?, model: ModelDescriptor,
        file: Schema, isOnServer: Bool
    ) {
        self.isOnServer = isOnServer
        self.wanted = wanted
        self.present = present
        self.former = former
        self.model = model
        self.file = file
        shapes = (TableShape(wanted), TableShape(present), former.map(TableShape.init))
        types = Dictionary(
            model.schema.columns.map { (nameKey($0.name), $0.type) }, uniquingKeysWith: { first, _ in first })
    }

    func merged() -> TableDefinition {
        var table = wanted
        table.name = present.name
        if keepsHavingNoKey { table.columns.removeAll { sameIdentifier($0.name, hiddenKeyName) } }
        table.constraints += keptConstraints()
        table.withoutRowID = staysWithoutRowID
        if former.map({ $0.strict == wanted.strict }) ?? true { table.strict = wanted.strict || present.strict }
        table.columns = table.columns.map { column in
            if let there = shapes.present.column(column.name) { return merge(column, there) }
            return table.strict ? strict(column) : column
        }
        keepAutoIncrement(&table)
        keepKey(&table)
        keepDeferral(&table)
        keepForeignKeyNames(&table)
        table.sql = isOnServer ? table.onServer : table.rendered()
        return table
    }

    private func type(of column: ColumnDefinition) -> ColumnType? {
        types[nameKey(column.name)]
    }

    /// A STRICT table, which the file's is though the model does not say so, takes few types.
    private func strict(_ column: ColumnDefinition) -> ColumnDefinition {
        guard let type = type(of: column) else { return column }
        var strict = column
        strict.type = Dialect.sqlite.typeName(type, strict: true)
        strict.sql = strict.rendered()
        return strict
    }

    private func merge(_ column: ColumnDefinition, _ present: TableShape.Column) -> ColumnDefinition {
        var merged = column
        let shape = shapes.wanted.column(column.name)
        let former = shapes.former?.column(column.name)
        let isAccepted =
            isOnServer
            ? ColumnType.accepts(present.definition.type, as: column.type)
            : type(of: column).map {
                $0.accepts(present.definition.type, strict: self.present.strict)
                    || isTextOfTimes($0, present, former, column)
            } ?? false
        // Only as INTEGER a key is the rowid.
        let becomesRowID = shapes.wanted.isRowID(column.name) && !shapes.present.isKey(present)
        if !isConverted(column, former), isAccepted, !becomesRowID || isOnServer {
            merged.type = present.definition.type
        }
        // How another program's texts compare is left as it is there: to change it would write the table anew.
        let keepsCollation = isOnServer && isAccepted && merged.type == present.definition.type
        if keepsCollation { merged.constraints.removeAll { if case .collate = $0.kind { true } else { false } } }
        for constraint in present.definition.constraints {
            switch constraint.kind {
            case .notNull where shape?.notNull == nil && former?.notNull == nil: merged.constraints.append(constraint)
            case .defaultValue(let value) where shape?.defaultValue == nil && former?.defaultValue != value:
                merged.constraints.append(constraint)
            // How the keys are made is left to the server.
            case .defaultValue where isOnServer && shape?.isIdentity ?? false && present.isMade:
                merged.constraints.removeAll { if case .defaultValue = $0.kind { true } else { false } }
                merged.constraints.append(constraint)
            case .collate where keepsCollation: merged.constraints.append(constraint)
            // The server has them for texts alone.
            case .collate where isOnServer: break
            case .collate(let name) where shape?.collation == nil && former?.collation != name:
                merged.constraints.append(constraint)
            default: break
            }
        }
        // A key's NOT NULL is left as the file has it: SQLite's own habit is a key without. So is what NOT NULL does on a
        // conflict.
        let isLeft = present.notNull == nil ? staysKey(present, as: column.name) : shape?.notNull != nil
        if isLeft {
            merged.constraints.removeAll { if case .notNull = $0.kind { true } else { false } }
            if let notNull = present.notNull { merged.constraints.append(notNull) }
        }
        if let computed = shape?.computed, present.computed == computed { keepStorage(of: present, in: &merged) }
        merged.sql = merged.rendered()
        return merged
    }

    /// Whether a column of the key stays one of the same key, and what keeps NULL out of it though it does not say so: being the rowid, or
    /// the key of a table without one.
    private func staysKey(_ present: TableShape.Column, as name: String) -> Bool {
        guard shapes.present.isKey(present), let column = shapes.wanted.column(name),
            keyNames(shapes.wanted) == keyNames(shapes.present)
        else { return false }
        if shapes.present.withoutRowID { return staysWithoutRowID }
        return !shapes.present.isRowID(present.name) || shapes.wanted.isRowID(column.name)
    }

    private func keyNames(_ shape: TableShape) -> [ExactText?] {
        shape.primaryKey.map { $0.column.map(nameKey) }
    }

    private var staysWithoutRowID: Bool {
        wanted.withoutRowID
            || present.withoutRowID && former.map { $0.withoutRowID == wanted.withoutRowID } ?? true
    }

    /// Whether a model reads as texts what another program declared as times and holds in a form of its own.
    private func isTextOfTimes(
        _ type: ColumnType, _ present: TableShape.Column, _ former: TableShape.Column?, _ column: ColumnDefinition
    ) -> Bool {
        guard type == .text, ColumnType(declaredType: present.definition.type, affinity: .numeric)?.timeForm != nil
        else {
            return false
        }
        // What were times of the model become texts.
        return former.map { sameIdentifier($0.definition.type, column.type) } ?? true
    }

    /// Whether the model has given the column another type and says how its values come to it.
    private func isConverted(_ column: ColumnDefinition, _ former: TableShape.Column?) -> Bool {
        guard let former, !present.strict, !sameIdentifier(former.definition.type, column.type) else { return false }
        return model.columns.contains { sameIdentifier($0.column, column.name) && $0.convertSQL != nil }
    }

    /// VIRTUAL or STORED as the file has it.
    private func keepStorage(of present: TableShape.Column, in column: inout ColumnDefinition) {
        guard
            let kept = present.definition.constraints.first(where: {
                if case .generated = $0.kind { true } else { false }
            }),
            let index = column.constraints.firstIndex(where: { if case .generated = $0.kind { true } else { false } })
        else { return }
        column.constraints[index] = kept
    }

    /// CHECKs, foreign keys and UNIQUEs of the file that no model declared.
    private func keptConstraints() -> [ConstraintDefinition] {
        var kept: [ConstraintDefinition] = []
        let checkNames = Set(shapes.wanted.checks.compactMap { $0.definition.name.map(nameKey) })
        for (check, definition) in shapes.present.checks {
            let isDeclared = shapes.wanted.checks.contains { $0.check == check }
            let wasDeclared = shapes.former?.checks.contains { $0.check == check } ?? false
            // One of the same name is the model's of an earlier day, where no sync has noted what that declared.
            let isReplaced = definition.name.map { checkNames.contains(nameKey($0)) } ?? false
            if !isDeclared, !wasDeclared, !isReplaced, !names(goingColumn: check) { kept.append(definition) }
        }
        let wanted = shapes.wanted.foreignKeys.map { resolved($0.key, in: file) }
        let former = shapes.former?.foreignKeys.map { resolved($0.key, in: file) } ?? []
        for (key, definition) in shapes.present.foreignKeys {
            let key = resolved(key, in: file)
            if wanted.contains(key) || former.contains(key) { continue }
            // One over the same columns is the model's word on what to do when the parent goes.
            if wanted.contains(where: { $0.columns.map(nameKey) == key.columns.map(nameKey) }) {
                continue
            }
            kept.append(definition.standingAlone)
        }
        for unique in shapes.present.uniques where !shapes.wanted.uniques.contains(where: { $0.kind == unique.kind }) {
            kept.append(unique.standingAlone)
        }
        let names = Set(self.wanted.columns.map { nameKey($0.name) })
        // A constraint over a column that goes cannot stay.
        return kept.filter { $0.columns.allSatisfy { names.contains(nameKey($0)) } }
    }

    /// Whether a condition names a column that goes, without which it cannot stay.
    private func names(goingColumn condition: SQLFragment) -> Bool {
        let going = present.columns.map(\.name).filter { shapes.wanted.column($0) == nil }.map(nameKey)
        var tokenizer = SQLTokenizer(condition.text)
        guard !going.isEmpty, let tokens = try? tokenizer.all() else { return false }
        return tokens.contains {
            [.identifier, .keyword, .quotedIdentifier].contains($0.kind)
                && going.contains(nameKey(tokenizer.unquoted($0)))
        }
    }

    /// Whether neither the model nor the file has a key: the file gets no hidden one.
    private var keepsHavingNoKey: Bool {
        model.keyColumns.isEmpty && shapes.present.primaryKey.isEmpty
    }

    /// The directions and collations of a key over the same columns, and what it does on a conflict, as the file has them.
    private func keepKey(_ table: inout TableDefinition) {
        let (wanted, present) = (shapes.wanted, shapes.present)
        guard keyNames(wanted) == keyNames(present),
            wanted.primaryKey != present.primaryKey || wanted.keyConflict != present.keyConflict,
            former.map(TableShape.init).map({ keyNames($0) == keyNames(wanted) }) ?? true
        else { return }
        func isKey(_ constraint: ConstraintDefinition) -> Bool {
            if case .primaryKey = constraint.kind { true } else { false }
        }
        table.constraints.removeAll(where: isKey)
        for column in table.columns.indices where table.columns[column].constraints.contains(where: isKey) {
            table.columns[column].constraints.removeAll(where: isKey)
            table.columns[column].sql = table.columns[column].rendered()
        }
        // Where it is written tells whether a descending INTEGER is the rowid.
        for definition in self.present.columns {
            guard let key = definition.constraints.first(where: isKey),
                let column = table.columns.firstIndex(where: { sameIdentifier($0.name, definition.name) })
            else { continue }
            table.columns[column].constraints.append(key)
            table.columns[column].sql = table.columns[column].rendered()
        }
        table.constraints += self.present.constraints.filter(isKey)
    }

    /// A model cannot say that a foreign key is checked at the end of the transaction, nor what else a server does by it.
    private func keepDeferral(_ table: inout TableDefinition) {
        let present = shapes.present.foreignKeys.map(\.key)
        let deferred = present.filter { $0.isDeferred || !$0.ofServer.isEmpty }
        guard !deferred.isEmpty else { return }
        func kept(_ constraint: ConstraintDefinition) -> ConstraintDefinition {
            guard case .foreignKey(var key) = constraint.kind, !key.isDeferred, !present.contains(key),
                let there = deferred.first(where: {
                    $0.columns.map(nameKey) == key.columns.map(nameKey)
                        && sameIdentifier($0.table, key.table)
                })
            else { return constraint }
            key.isDeferred = there.isDeferred
            (key.isDeferrable, key.isFull) = (there.isDeferrable, there.isFull)
            if key.onDelete == there.onDelete { key.setColumns = there.setColumns }
            var copy = constraint
            copy.kind = .foreignKey(key)
            if isOnServer {
                copy.sql = (copy.name.map { "CONSTRAINT \(quoteIdentifier($0)) " } ?? "") + key.sql
            } else {
                copy.sql += " DEFERRABLE INITIALLY DEFERRED"
            }
            return copy
        }
        mapConstraints(of: &table, kept)
    }

    /// What the file calls a foreign key, for which a model has no name.
    private func keepForeignKeyNames(_ table: inout TableDefinition) {
        let named = shapes.present.foreignKeys.filter { $0.definition.name != nil }.map {
            (resolved($0.key, in: file), $0.1.name)
        }
        guard !named.isEmpty else { return }
        mapConstraints(of: &table) { constraint in
            guard case .foreignKey(let key) = constraint.kind, constraint.name == nil,
                let name = named.first(where: { $0.0 == resolved(key, in: file) })?.1
            else { return constraint }
            var copy = constraint
            copy.name = name
            copy.sql = "CONSTRAINT \(quoteIdentifier(name)) \(constraint.sql)"
            return copy
        }
    }

    private func mapConstraints(
        of table: inout TableDefinition, _ change: (ConstraintDefinition) -> ConstraintDefinition
    ) {
        table.constraints = table.constraints.map(change)
        for column in table.columns.indices {
            table.columns[column].constraints = table.columns[column].constraints.map(change)
            table.columns[column].sql = table.columns[column].rendered()
        }
    }

    private func keepAutoIncrement(_ table: inout TableDefinition) {
        guard shapes.present.autoIncrement, !shapes.wanted.autoIncrement, shapes.former?.autoIncrement != true,
            let name = shapes.wanted.rowIDColumn?.name,
            let column = table.columns.firstIndex(where: { sameIdentifier($0.name, name) }),
            let present = shapes.present.rowIDColumn, sameIdentifier(present.name, name)
        else { return }
        table.columns[column].constraints.removeAll { if case .primaryKey = $0.kind { true } else { false } }
        table.columns[column].constraints += present.definition.constraints.filter {
            if case .primaryKey = $0.kind { true } else { false }
        }
        table.columns[column].sql = table.columns[column].rendered()
    }
}

extension ConstraintDefinition {
    /// The columns it is over; empty for a CHECK, whose condition may name any.
    fileprivate var columns: [String] {
        switch kind {
        case .unique(let terms, _), .primaryKey(let terms, _, _): terms.compactMap(\.column)
        case .foreignKey(let key): key.columns
        default: []
        }
    }

    /// The same constraint written behind the columns instead of at one of them.
    fileprivate var standingAlone: ConstraintDefinition {
        var copy = self
        let prefix = name.map { "CONSTRAINT \(quoteIdentifier($0)) " } ?? ""
        switch kind {
        case .unique(let terms, let onConflict):
            let list = terms.map(\.sql).joined(separator: ", ")
            copy.sql = "\(prefix)UNIQUE (\(list))\(onConflict.map { " ON CONFLICT \($0.word)" } ?? "")"
        case .foreignKey(let key): copy.sql = prefix + key.sql
        default: break
        }
        return copy
    }
}

extension ColumnType {
    /// Whether a column so declared holds the type's values as well as one that the model would make.
    func accepts(_ declared: String, strict: Bool) -> Bool {
        // These change no value.
        if declared.isEmpty || strict && sameIdentifier(declared, "ANY") { return true }
        let affinity = Affinity(declaredType: declared)
        return switch self {
        case .int64, .int32, .bool, .duration: affinity == .integer || affinity == .numeric
        case .double, .float: affinity == .real || affinity == .numeric
        case .decimal: affinity == .text
        case .text, .varchar, .uuid, .json: affinity == .text || affinity == .numeric && isWord(declared)
        case .datetime, .date, .time, .offsetDatetime: affinity == .numeric || affinity == .text
        case .blob: affinity == .blob
        }
    }

    /// Whether a type with the affinity of numbers is called after something else, as DATE and JSON are.
    private func isWord(_ declared: String) -> Bool {
        switch ColumnType(declaredType: declared, affinity: .numeric) {
        case nil, .text, .json, .date, .time: true
        default: false
        }
    }
}

import CormorantBase
import CormorantQuery

extension ModelDraft {
    /// The first thing that cannot work, with what to change.
    func problem() -> CormorantError? {
        do {
            try checkNames()
            for column in columns { try check(column) }
            try checkPrimaryKey()
            try checkKeys()
            try checkReferences()
            try checkOrder()
            try checkModule()
            try checkView()
            try checkScope()
            try checkDiscriminator()
            try checkDistribution()
            try checkMigration()
            return nil
        } catch {
            return error
        }
    }

    private func refuse(_ message: String, _ hint: String, _ properties: [String] = []) -> CormorantError {
        CormorantError(.model, "model \(name): \(message)", hint: hint, table: table, columns: properties)
    }

    private func checkNames() throws(CormorantError) {
        guard !name.isEmpty else { throw refuse("it has no name", "give the model a name") }
        guard !columns.isEmpty else { throw refuse("it has no columns", "declare at least one column") }
        try checkIdentifier(table, "table name")
        guard !foldIdentifier(table).hasPrefix("sqlite_"),
            !["corm_models", "corm_migrations", keyValueTable].contains(foldIdentifier(table))
        else { throw refuse("table name \"\(table)\" is reserved", "choose another one") }
        var properties = Set<String>()
        var names: [ExactText: String] = [:]
        for column in columns {
            try checkIdentifier(column.name, "property name")
            try checkIdentifier(column.column, "column name")
            guard properties.insert(column.name).inserted else {
                throw refuse("two properties are named \"\(column.name)\"", "rename one", [column.name])
            }
            if let other = names.updateValue(column.name, forKey: nameKey(column.column)) {
                throw refuse(
                    "properties \"\(other)\" and \"\(column.name)\" share the column \"\(column.column)\"",
                    "give one another column name; SQLite ignores the case of letters", [other, column.name])
            }
        }
    }

    private func checkIdentifier(_ name: String, _ what: String) throws(CormorantError) {
        if name.isEmpty { throw refuse("a \(what) is empty", "give it a name") }
        if name.utf8.contains(0) { throw refuse("a \(what) holds a NUL character", "choose another name") }
    }

    private func check(_ column: ColumnDescriptor) throws(CormorantError) {
        func refuse(_ message: String, _ hint: String) -> CormorantError {
            self.refuse("column \"\(column.name)\" \(message)", hint, [column.name])
        }
        if case .varchar(let length) = column.type, length < 1 {
            throw refuse("is a VARCHAR without length", "give a length of at least 1")
        }
        if column.isUnsigned, !column.type.isInteger { throw refuse("is unsigned but no integer", "drop is_unsigned") }
        if let scale = column.scale {
            guard column.type == .decimal else { throw refuse("has a scale and is no decimal", "drop the scale") }
            guard (0...1000).contains(scale) else {
                throw refuse("has the scale \(scale)", "give a number of digits from 0 to 1000")
            }
            guard !isKey(column), column.computedSQL == nil else {
                throw refuse("has a scale and is part of the primary key, or computed", "drop the scale")
            }
        }
        if column.computedSQL != nil {
            guard column.defaultSQL == nil else { throw refuse("is computed and has a default", "drop one of the two") }
            guard !isKey(column) else { throw refuse("is computed and part of the primary key", "choose another key") }
        }
        if column.isVersion { try checkVersion(column, refuse) }
        if let stamp = column.stamp { try check(stamp, of: column, refuse) }
        for (what, sql) in [
            ("default", column.defaultSQL), ("check", column.checkSQL), ("computed expression", column.computedSQL),
        ] {
            guard let sql else { continue }
            if sql.isEmpty || sql.utf8.contains(0) {
                throw refuse("has an empty \(what)", "give an SQL expression, or leave it out")
            }
            if let fault = try expressionFault(sql) {
                throw refuse("has a \(what) that is no SQL expression: \(fault)", "give one whole expression")
            }
        }
        if let collation = column.collation, collation.isEmpty || collation.utf8.contains(0) {
            throw refuse("has an empty collation", "name one, such as NOCASE, or leave it out")
        }
        if let collation = column.collation, !isKnownCollation(collation) {
            throw refuse(
                "has the collation \"\(collation)\", which is none of SQLite's or the library's",
                "use BINARY, NOCASE, RTRIM, corm_nocase, corm_decimal or corm_offset_datetime; SQL and expressions can name "
                    + "one of the program's")
        }
        if let target = column.references { try check(target, of: column, refuse) }
    }

    private func check(
        _ stamp: Stamp, of column: ColumnDescriptor, _ refuse: (String, String) -> CormorantError
    ) throws(CormorantError) {
        guard column.type == .datetime else { throw refuse("is stamped and no datetime", "make it one") }
        guard !isKey(column), column.computedSQL == nil, column.defaultSQL == nil else {
            throw refuse(
                "is stamped and part of the primary key, computed, or has a default", "drop the stamp, or the other")
        }
        guard stamp == .updated || column.isOptional || column.zeroIsNoKey else {
            throw refuse(
                "is stamped when the row is created, but its property always has a time",
                "make the property optional; not null is what the column still can be")
        }
    }

    private func checkVersion(
        _ column: ColumnDescriptor, _ refuse: (String, String) -> CormorantError
    ) throws(CormorantError) {
        guard column.type.isInteger, column.notNull else {
            throw refuse("is a version and no NOT NULL integer", "make it a plain integer")
        }
        guard !isKey(column), column.computedSQL == nil else {
            throw refuse(
                "is a version and part of the primary key, or computed", "give the version a column of its own")
        }
        guard columns.count(where: \.isVersion) == 1 else {
            throw refuse("is a second version", "declare one version for a model")
        }
        guard !keyColumns.isEmpty else {
            throw refuse("is a version, but the records have no key to be updated by", "declare a primary key")
        }
    }

    private func check(
        _ target: ReferenceTarget, of column: ColumnDescriptor, _ refuse: (String, String) -> CormorantError
    ) throws(CormorantError) {
        if target.table.isEmpty || target.column?.isEmpty == true {
            throw refuse("refers to nothing", "name the table, and the column if it is not its primary key")
        }
        if column.notNull && (target.onDelete == .setNull || target.onUpdate == .setNull) {
            throw refuse("is NOT NULL but its reference sets NULL", "make it nullable, or choose another action")
        }
        if references.contains(where: { $0.columns == [column.name] }) {
            throw refuse("has two references", "keep one")
        }
    }

    /// Each machine sees to it alone that keys are unique.
    private func checkDistribution() throws(CormorantError) {
        guard let property = distributedBy else { return }
        guard let place = index(property) else {
            throw refuse("distributed_by names no property: \"\(property)\"", "name one of its properties")
        }
        guard keyColumns.contains(place), !columns.contains(where: { $0.unique && $0.name != property }),
            !keys.contains(where: { $0.kind == .unique && !$0.columns.contains(property) })
        else {
            throw refuse(
                "a key lacks \"\(property)\", by which its rows are spread", "put it into each primary and unique key",
                [property])
        }
    }

    /// A virtual table has columns and nothing else to declare.
    private func checkModule() throws(CormorantError) {
        guard let module else { return }
        try checkIdentifier(module.name, "module's name")
        for argument in module.arguments where argument.isEmpty || argument.utf8.contains(0) {
            throw refuse("an argument of its module is empty", "leave it out")
        }
        guard keys.isEmpty, references.isEmpty, checks.isEmpty, !withoutRowID, !strict else {
            throw refuse("it is a virtual table with keys, references, checks or options", "drop them")
        }
        for column in columns
        where isKey(column) || column.unique || column.indexed || column.autoIncrement || column.defaultSQL != nil
            || column.checkSQL != nil || column.computedSQL != nil || column.collation != nil
            || column.references != nil
        {
            throw refuse(
                "column \"\(column.name)\" of a virtual table has more than a name and a type", "drop the rest",
                [column.name])
        }
    }

    private func checkScope() throws(CormorantError) {
        guard let scope else { return }
        if scope.isEmpty || scope.utf8.contains(0) {
            throw refuse("it has an empty scope", "give an SQL condition, or leave it out")
        }
        if let fault = try expressionFault(scope) {
            throw refuse("it has a scope that is no SQL expression: \(fault)", "give one whole condition")
        }
        guard module == nil else { throw refuse("it is a virtual table with a scope", "drop the scope") }
    }

    private func checkDiscriminator() throws(CormorantError) {
        guard let column = discriminator, let value = column.discriminator else { return }
        func refuse(_ message: String, _ hint: String) -> CormorantError {
            self.refuse("column \"\(column.name)\" \(message)", hint, [column.name])
        }
        guard columns.count(where: { $0.discriminator != nil }) == 1 else {
            throw refuse("is a discriminator, and so is another", "tell rows apart by one column")
        }
        let isText = if case .varchar = column.type { true } else { column.type == .text }
        guard isText || column.type.isInteger else {
            throw refuse("is a discriminator and neither text nor integer", "make it one of them")
        }
        guard isText || Int64(value).map(column.integers.contains) ?? false, !value.utf8.contains(0) else {
            throw refuse(
                "has the discriminator \"\(value)\", which it cannot hold", "give a value of the column's type")
        }
        guard !isKey(column), column.computedSQL == nil, !column.isVersion, column.stamp == nil else {
            throw refuse("is a discriminator and a key, a version, computed or stamped", "give it a column of its own")
        }
        guard module == nil, migration.renamedFrom == nil, migration.allowDrop.isEmpty, migration.seedSQL == nil,
            !columns.contains(where: { $0.renamedFrom != nil || $0.convertSQL != nil })
        else {
            throw self.refuse(
                "its rows are told by a discriminator, and it is a virtual table or has notes for migrations",
                "give them to the model that the table is made of, which has none")
        }
    }

    /// A view is made by SQL: its model says what its columns hold and how they refer to tables.
    private func checkView() throws(CormorantError) {
        guard isView else { return }
        guard module == nil, !keys.contains(where: { $0.kind != .primary }), checks.isEmpty, !withoutRowID, !strict,
            migration.renamedFrom == nil, migration.allowDrop.isEmpty, migration.seedSQL == nil
        else {
            throw refuse(
                "it reads a view and has what only tables have: a module, unique keys, indexes, checks, options or "
                    + "notes for migrations", "drop them, and keep columns, a primary key, references and relations")
        }
        for column in columns
        where column.unique || column.indexed || column.autoIncrement || column.defaultSQL != nil
            || column.checkSQL != nil || column.computedSQL != nil || column.isVersion || column.renamedFrom != nil
            || column.convertSQL != nil || column.stamp != nil
        {
            throw refuse(
                "column \"\(column.name)\" of a view has what only columns of tables have",
                "keep its name, type, collation, key and reference", [column.name])
        }
    }

    private func checkMigration() throws(CormorantError) {
        var sources: [ExactText: String] = [:]
        for column in columns {
            if let sql = column.convertSQL {
                if sql.isEmpty || sql.utf8.contains(0) {
                    throw refuse(
                        "column \"\(column.name)\" has an empty conversion", "give an SQL expression, or leave it out",
                        [column.name])
                }
                if let fault = try expressionFault(sql) {
                    throw refuse(
                        "column \"\(column.name)\" has a conversion that is no SQL expression: \(fault)",
                        "give one whole expression", [column.name])
                }
                if column.computedSQL != nil {
                    throw refuse(
                        "column \"\(column.name)\" is computed and has a conversion", "drop one of the two",
                        [column.name])
                }
            }
            guard let former = column.renamedFrom else { continue }
            try checkIdentifier(former, "former column name")
            if let present = columns.first(where: { sameIdentifier($0.column, former) }) {
                throw refuse(
                    "column \"\(column.name)\" is renamed from \"\(former)\", which is a column of the model",
                    "rename in two steps with a name between, or drop renamed_from", [column.name, present.name])
            }
            if let other = sources.updateValue(column.name, forKey: nameKey(former)) {
                throw refuse(
                    "columns \"\(other)\" and \"\(column.name)\" are both renamed from \"\(former)\"",
                    "keep one, and give the other a conversion", [other, column.name])
            }
        }
        for name in migration.allowDrop {
            if let kept = columns.first(where: { sameIdentifier($0.column, name) }) {
                throw refuse(
                    "allow_drop names \"\(name)\", which is a column of the model",
                    "name only columns that the model no longer has", [kept.name])
            }
        }
        if let former = migration.renamedFrom {
            try checkIdentifier(former, "former table name")
            if sameIdentifier(former, table) {
                throw refuse("it is renamed from its own table name", "name the former one, or drop renamed_from")
            }
        }
        if let sql = migration.seedSQL, sql.isEmpty || sql.utf8.contains(0) {
            throw refuse("its first rows are empty SQL", "give INSERT statements, or leave it out")
        }
    }

    private func isKey(_ column: ColumnDescriptor) -> Bool {
        keyColumns.contains { columns[$0].name == column.name }
    }

    private func checkPrimaryKey() throws(CormorantError) {
        let declared = keys.filter { $0.kind == .primary }
        guard declared.count <= 1 else { throw refuse("it has two primary keys", "keep one") }
        if let key = declared.first {
            if let column = columns.first(where: { $0.primaryKey && !key.columns.contains($0.name) }) {
                throw refuse(
                    "column \"\(column.name)\" is a primary key beside the declared one",
                    "list it among the key's columns, or drop its mark", [column.name])
            }
            if key.whereSQL != nil { throw refuse("the primary key has a condition", "use a unique key for that") }
        }
        let key = keyColumns
        if withoutRowID && key.isEmpty && declared.isEmpty {
            throw refuse("it is WITHOUT ROWID and has no primary key", "declare one, or drop WITHOUT ROWID")
        }
        for column in columns where column.autoIncrement {
            guard key.count == 1, columns[key[0]].name == column.name, column.type.isInteger, !withoutRowID else {
                throw refuse(
                    "column \"\(column.name)\" is AUTOINCREMENT but not the single integer primary key of a rowid table",
                    "make it that, or drop AUTOINCREMENT", [column.name])
            }
        }
        if key.isEmpty && declared.isEmpty,
            let column = columns.first(where: { sameIdentifier($0.column, hiddenKeyName) })
        {
            throw refuse(
                "column \"\(column.name)\" takes the name of the hidden key", "make it the primary key, or rename it",
                [column.name])
        }
    }

    private func checkKeys() throws(CormorantError) {
        var names = Set<ExactText>()
        for index in columns where index.unique || index.indexed {
            names.insert(nameKey("\(table)_\(index.column)_\(index.unique ? "key" : "index")"))
        }
        for key in keys {
            let what = key.kind == .primary ? "the primary key" : key.kind == .unique ? "a unique key" : "an index"
            guard !key.columns.isEmpty else { throw refuse("\(what) has no columns", "list its properties") }
            var seen = Set<String>()
            for term in key.columns {
                guard
                    let column = key.kind == .primary
                        ? index(term).map({ OrderedColumn(columns[$0].column) }) : ordered(term)
                else {
                    throw refuse(
                        "\(what) is over \"\(term)\", which is no property",
                        "its properties are \(columns.map(\.name).joined(separator: ", "))")
                }
                guard seen.insert(column.name).inserted else {
                    throw refuse("\(what) lists \"\(term)\" twice", "list it once")
                }
            }
            guard key.kind != .primary else { continue }
            if let whereSQL = key.whereSQL, whereSQL.isEmpty {
                throw refuse("\(what) has an empty condition", "drop it")
            }
            if let sql = key.whereSQL, let fault = try expressionFault(sql) {
                throw refuse("\(what) has a condition that is no SQL expression: \(fault)", "give one whole expression")
            }
            let made = "\(table)_\(key.columns.compactMap(ordered).map(\.name).joined(separator: "_"))"
            let name = key.name ?? "\(made)_\(key.kind == .unique ? "key" : "index")"
            try checkIdentifier(name, "index name")
            guard names.insert(nameKey(name)).inserted else {
                throw refuse("two keys are named \"\(name)\"", "name one of them yourself")
            }
        }
    }

    private func checkReferences() throws(CormorantError) {
        for key in references {
            guard !key.columns.isEmpty, !key.table.isEmpty else {
                throw refuse("a reference has no columns or no table", "name both")
            }
            for property in key.columns {
                guard let column = index(property) else {
                    throw refuse(
                        "a reference is over \"\(property)\", which is no property",
                        "its properties are \(columns.map(\.name).joined(separator: ", "))")
                }
                if columns[column].notNull && (key.onDelete == .setNull || key.onUpdate == .setNull) {
                    throw refuse(
                        "column \"\(property)\" is NOT NULL but its reference sets NULL",
                        "make it nullable, or choose another action", [property])
                }
            }
            guard key.tableColumns.isEmpty || key.tableColumns.count == key.columns.count else {
                throw refuse(
                    "a reference has \(key.columns.count) columns to \(key.tableColumns.count)", "list as many of each")
            }
        }
    }

    private func checkOrder() throws(CormorantError) {
        for condition in checks where condition.isEmpty || condition.utf8.contains(0) {
            throw refuse("it has an empty check", "give an SQL condition, or leave it out")
        }
        for condition in checks {
            guard let fault = try expressionFault(condition) else { continue }
            throw refuse("it has a check that is no SQL expression: \(fault)", "give one whole condition")
        }
        var seen = Set<String>()
        for property in columnOrder {
            guard index(property) != nil else {
                throw refuse("the column order lists \"\(property)\", which is no property", "list properties only")
            }
            guard seen.insert(property).inserted else {
                throw refuse("the column order lists \"\(property)\" twice", "list it once")
            }
        }
    }
}

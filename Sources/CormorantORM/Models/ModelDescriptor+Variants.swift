import CormorantBase
import CormorantQuery
import CormorantSQLite
import CormorantThreads

/// What was made of a model for other tables, as long as somebody uses it.
final class ModelVariants: @unchecked Sendable {  // `lock` guards what it keeps
    private struct Weak {
        weak var model: ModelDescriptor?
    }

    private let lock = RecursiveLock(.modelVariants, outlivesForks: true)
    private var known: [ExactText: Weak] = [:]
    private var limit = 64

    func find(_ key: String, _ make: () throws -> ModelDescriptor) rethrows -> ModelDescriptor {
        lock.lock()
        defer { lock.unlock() }
        if let ready = known[ExactText(key)]?.model { return ready }
        let made = try make()
        if known.count >= limit {
            known = known.filter { $0.value.model != nil }
            limit = max(64, known.count * 2)
        }
        known[ExactText(key)] = Weak(model: made)
        return made
    }
}

extension ModelDescriptor {
    /// The model of another table of the same shape: that of `message` with the suffix "42" is `message_42`. Its indexes have
    /// the suffix as well, and so have references and relations to the model itself; other references, and relations, are
    /// the model's. `migration.seedSQL` is not its own.
    /// - Parameter suffix: any text without capital letters of ASCII, which SQLite takes for small ones.
    public func suffixed(_ suffix: String) throws -> ModelDescriptor {
        try variants.find("_" + suffix) { try makeSuffixed(suffix) }
    }

    /// The same model in a file that is attached under a name. What is about files rather than rows is not for it: its
    /// tables are made, migrated, observed and cached where its file is opened. It has no relations.
    public func attached(as name: String) throws -> ModelDescriptor {
        try variants.find("." + name) { try makeAttached(as: name) }
    }

    /// The same model for all rows of its table, those outside of its scope among them. Its relations are the model's.
    public func unscoped() throws -> ModelDescriptor { try variants.find("*") { try makeUnscoped() } }

    package func makeUnscoped() throws -> ModelDescriptor {
        try validate()
        var draft = draft
        draft.scope = nil
        let made = ModelDescriptor(draft, RelationList(of: self), isVariant: true, in: attachment)
        try made.validate()
        made.relations.belong(to: made)
        return made
    }

    /// A descriptor that is its owner's alone.
    package func makeSuffixed(_ suffix: String) throws -> ModelDescriptor {
        try requireOwnFile()
        guard !suffix.isEmpty, suffix.utf8.count <= 200, !suffix.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
        else {
            throw refused(suffix, "suffix", "it is empty, longer than 200 bytes or holds a control character")
        }
        // Two targets would share a table.
        guard !suffix.utf8.contains(where: { foldASCII($0) != $0 }) else {
            throw refused(suffix, "suffix", "SQLite takes its capital letters for small ones")
        }
        let made = ModelDescriptor(
            draft.suffixed("_" + suffix), RelationList(of: self), isVariant: true)
        try made.validate()
        made.relations.belong(to: made)
        return made
    }

    package func makeAttached(as name: String) throws -> ModelDescriptor {
        try requireOwnFile()
        guard !name.isEmpty, !name.utf8.contains(0), !["main", "temp"].contains(foldIdentifier(name)) else {
            throw refused(name, "name of an attached file", "it is empty, holds a NUL, or is one of SQLite's own")
        }
        return ModelDescriptor(draft, RelationList([]), isVariant: true, in: name)
    }

    private func refused(_ text: String, _ what: String, _ why: String) -> CormorantError {
        CormorantError(
            .model, "\"\(shown(text))\" is no \(what) of model \(name): \(why)", hint: "give another one", table: table)
    }

    /// Throws what is wrong with it, and where its table is of an attached file.
    package func requireOwnFile() throws {
        try validate()
        guard let attachment else { return }
        throw CormorantError(
            .misuse, "model \(name) is that of the attached file \"\(shown(attachment))\"",
            hint: "use the model itself, where its file is opened", table: table)
    }
}

extension ModelDraft {
    /// The same for a table with a longer name.
    func suffixed(_ suffix: String) -> ModelDraft {
        let columns = columns.map { column in
            var column = column
            if let target = column.references, sameIdentifier(target.table, table) {
                column.references?.table += suffix
            }
            return column
        }
        let keys = keys.map { key in
            var key = key
            key.name = key.name.map { $0 + suffix }
            return key
        }
        let references = references.map { reference in
            var reference = reference
            if sameIdentifier(reference.table, table) { reference.table += suffix }
            return reference
        }
        var migration = migration
        migration.renamedFrom = migration.renamedFrom.map { $0 + suffix }
        migration.seedSQL = nil
        return ModelDraft(
            name: name, table: table + suffix, columns: columns, keys: keys, references: references, checks: checks,
            columnOrder: columnOrder, withoutRowID: withoutRowID, strict: strict, module: module,
            isView: isView, distributedBy: distributedBy, scope: scope, migration: migration)
    }
}

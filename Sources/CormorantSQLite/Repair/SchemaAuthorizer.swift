import CSQLite
import CormorantBase

/// Lets statements of a schema make what they are to, with what SQLite does for it, and nothing else: anyone can have written
/// a damaged file and the copy of its schema.
/// https://www.sqlite.org/c3ref/set_authorizer.html
final class SchemaAuthorizer {
    private let entry: SchemaEntry?
    /// Whether the thing was made.
    private(set) var isMade = false
    /// Whether the statement makes a virtual table, whose module runs statements of its own.
    private var isVirtual = false

    /// - Parameter entry: the one thing that may be made; nil: whatever CREATE makes.
    init(_ entry: SchemaEntry? = nil) { self.entry = entry }

    /// Watches one statement at a time, until the connection's own authorizer is restored. It must outlive that.
    func watch(_ connection: Connection) {
        (isMade, isVirtual) = (false, false)
        sqlite3_set_authorizer(
            connection.handle,
            { context, action, first, _, _, _ in
                guard let context else { return SQLITE_DENY }
                let authorizer = Unmanaged<SchemaAuthorizer>.fromOpaque(context).takeUnretainedValue()
                return authorizer.allows(action, first.map { String(cString: $0) } ?? "") ? SQLITE_OK : SQLITE_DENY
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func allows(_ action: Int32, _ name: String) -> Bool {
        let isOwn = sameIdentifier(String(name.prefix(7)), "sqlite_")
        switch action {
        case SQLITE_READ, SQLITE_FUNCTION, SQLITE_REINDEX: return true
        case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE: return isOwn || isVirtual
        case SQLITE_ATTACH, SQLITE_DETACH: return false
        case SQLITE_CREATE_TABLE, SQLITE_CREATE_INDEX, SQLITE_CREATE_VIEW, SQLITE_CREATE_TRIGGER, SQLITE_CREATE_VTABLE:
            if let entry {
                let isEntry = action == Self.action(entry) && sameIdentifier(name, entry.name)
                isMade = isMade || isEntry
                return isEntry || isOwn
            }
            isMade = true
            isVirtual = isVirtual || action == SQLITE_CREATE_VTABLE
            return true
        default: return isVirtual
        }
    }

    private static func action(_ entry: SchemaEntry) -> Int32 {
        switch entry.type {
        case "index": SQLITE_CREATE_INDEX
        case "view": SQLITE_CREATE_VIEW
        case "trigger": SQLITE_CREATE_TRIGGER
        default: entry.isVirtual ? SQLITE_CREATE_VTABLE : SQLITE_CREATE_TABLE
        }
    }
}

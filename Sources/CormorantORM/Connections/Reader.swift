/// What a database is to those who only read: all calls that read are its methods, those that write are of `Database`, which
/// is one, too.
///
/// ```swift
/// func unread(_ reader: Reader) throws -> Int { try reader.fetchCount(Message.where { !$0.isRead }) }
///
/// let count = try database.read { reader in try unread(reader) }
/// try database.write { database in
///     try database.insert(&message)
///     print(try unread(database))
/// }
/// ```
///
/// SQL of one's own that writes is refused when it runs: in `read` with `transaction`. Safe to share between threads.
public class Reader: @unchecked Sendable {
    /// Of databases alone.
    init() {}

    /// The database that it is.
    @inline(__always)
    package final var database: Database { unsafeDowncast(self, to: Database.self) }
}

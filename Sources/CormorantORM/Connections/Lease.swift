import CormorantBase
import CormorantSQLite
import CormorantThreads

/// A database of a registry, which stays open as long as this holds it.
public final class Lease: @unchecked Sendable {  // the registry's lock guards `isHeld`
    /// The database, to be used until the lease is released.
    public let database: Database
    /// Under which name it was asked for.
    public let name: String
    private let registry: Registry
    private let file: RegistryFile
    private let thread: Int64
    /// How many transactions its thread had open on the database before.
    private let depth: Int
    var isHeld = true

    init(_ registry: Registry, _ file: RegistryFile, _ database: Database) {
        self.registry = registry
        self.file = file
        self.database = database
        name = file.name
        thread = currentThread().pointee.id
        depth = database.transactionDepth
    }

    deinit { try? release() }

    /// Gives the database back, which the registry may then close. Transactions that the thread has begun since are rolled
    /// back; cursors end when the file is closed. A second release is an error.
    public func release() throws {
        guard try registry.end(self) else { return }
        if thread == currentThread().pointee.id {
            while database.transactionDepth > depth {
                do { try database.rollback() } catch { break }
            }
        }
        registry.giveBack(file)
    }
}

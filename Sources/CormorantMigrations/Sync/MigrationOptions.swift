import CormorantBase
import CormorantORM

/// What a migration is told beside the schema it leads to.
public struct MigrationOptions: Sendable {
    /// What may go: tables with their rows, columns with their values as `table.column`; between schemas also `trigger:name`,
    /// `view:name`, `index:name` (a unique one), `check:table`, `unique:table` and `foreign_key:table`.
    public var allowDrop: [String]
    /// Whether steps of a bundle may drop tables and columns that hold something, up or down.
    public var allowLossy: Bool
    /// A copy of the file made before anything is changed; nil for none. It must not be there yet.
    public var snapshot: String?
    /// Whether the copy stays after success; after a failure it always does.
    public var keepSnapshot: Bool
    /// Of a step that is generated of models: a server's database, for which the step then has SQL of its own beside that for
    /// files. The bundle's steps are run there in a schema of their own, in a transaction that is taken back. Tables that the step
    /// does not make count as large ones: their indexes are made CONCURRENTLY, checks and foreign keys validated when they are there.
    public var server: Database?
    /// Called now and then, on the thread of the call and inside it, and must not use the database; false cancels: all
    /// is as before, and the call throws `interrupted`.
    public var progress: (@Sendable (MigrationProgress) -> Bool)?

    /// Options; without arguments the defaults: nothing is dropped, no snapshot, no progress.
    public init(
        allowDrop: [String] = [], allowLossy: Bool = false, snapshot: String? = nil, keepSnapshot: Bool = true,
        server: Database? = nil, progress: (@Sendable (MigrationProgress) -> Bool)? = nil
    ) {
        self.allowDrop = allowDrop
        self.allowLossy = allowLossy
        self.snapshot = snapshot
        self.keepSnapshot = keepSnapshot
        self.server = server
        self.progress = progress
    }
}

/// How far a migration is.
public struct MigrationProgress: Sendable {
    /// What is being done, such as `rebuild "album"`, or `waiting for another connection`.
    public var step: String
    /// Of this step, counted from 0.
    public var index: Int
    /// How many steps there are.
    public var count: Int
    /// Rows that the step has written.
    public var done: Int64
    /// Rows that it will write; 0 where that is not known.
    public var total: Int64
}

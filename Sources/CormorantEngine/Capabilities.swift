/// What an engine can do, as it was found when a connection was opened: another version of it, or another engine, may not.
/// Whoever needs something asks here and refuses by name what cannot be; nobody asks for versions or for the engine's name.
package struct Capabilities: Sendable {
    /// Whether a write tells which rows it changes, and their values: what observers, live queries and caches need.
    package let tellsChangedRows: Bool

    package init(tellsChangedRows: Bool) {
        self.tellsChangedRows = tellsChangedRows
    }
}

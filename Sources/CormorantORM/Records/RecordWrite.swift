import CormorantBase

/// What of a record's own is called around its writes.
public enum RecordHookKind: Sendable {
    /// Nothing.
    case none
    /// What comes before the write: validators, and what gives a record the foreign keys of related ones.
    case validators
    /// Hooks before and after the write, and validators between them.
    case all
}

/// A write of a record, as its hooks are called around it.
public struct RecordWrite: Sendable {
    /// What is done with the record.
    public enum Kind: Sendable {
        /// It is inserted.
        case insert
        /// It is written to the row with its key.
        case update
        /// It is inserted or updated, whichever that turns out to be.
        case save
        /// Its row is deleted.
        case delete
    }

    /// What is done with the record.
    public let kind: Kind
    /// The model by which it is written.
    public let model: ModelDescriptor
    /// Of an update of some properties, the indices of their columns; nil: all are written.
    public private(set) var columns: [Int]?

    package init(_ kind: Kind, _ model: ModelDescriptor, columns: [Int]? = nil) {
        self.kind = kind
        self.model = model
        self.columns = columns
    }

    /// Whether a column is written.
    public func writes(_ column: Int) -> Bool { columns?.contains(column) ?? (kind != .delete) }

    /// Has an update of some properties write what hooks have changed, too.
    /// - Parameter old: the values of all columns before the hooks.
    package mutating func addChanges(from old: [Value], to new: [Value]) {
        guard let columns else { return }
        self.columns =
            columns
            + model.changedColumns(from: old, to: new).filter {
                !columns.contains($0) && !model.keyColumns.contains($0)
            }
    }

    /// What a validator of a property, or of the record, threw, as the caller is told it.
    /// - Parameter column: of the property; nil: of the record.
    package func refusal(of column: Int?, _ error: any Error) -> CormorantError {
        let place = column.map { "\(model.name).\(model.columns[$0].name)" } ?? model.name
        let known = error as? CormorantError
        // What goes wrong in a validator, such as a query of its own, is no refusal.
        if let known, ![.callback, .validation].contains(known.code) { return known.prefixed("\(place): ") }
        return CormorantError(
            .validation, "\(place): \(known?.plainMessage ?? "\(error)")", hint: known?.plainHint, table: model.table,
            columns: column.map { [model.columns[$0].column] } ?? known?.columns ?? [],
            cause: known == nil ? error : known?.cause)
    }
}

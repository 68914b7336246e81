/// The columns of a record that may be missing: of a left join, or at the end of a relation. They are those of the
/// record, but each may be NULL; selected as a whole they give an optional record.
@dynamicMemberLookup
public struct OptionalColumns<Columns: RecordColumns>: Sendable {
    package let columns: Columns

    @usableFromInline
    package init(_ columns: Columns) { self.columns = columns }

    /// A column of the record, which is NULL where the outer join found none.
    public subscript<Content>(
        dynamicMember path: KeyPath<Columns, SQLExpression<Content>>
    ) -> SQLExpression<Content.Unwrapped?> {
        columns[keyPath: path].optional
    }

    /// A relation that goes on from there.
    public subscript<Other>(dynamicMember path: KeyPath<Columns, OptionalColumns<Other>>) -> OptionalColumns<Other> {
        columns[keyPath: path]
    }

    /// The records at the end of a to-many relation that goes on from there.
    public subscript<Target>(dynamicMember path: KeyPath<Columns, RelatedRecords<Target>>) -> RelatedRecords<Target> {
        columns[keyPath: path]
    }
}

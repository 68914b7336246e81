extension ColumnDescriptor {
    /// The same column with a check that it holds a raw value of one of the enum's cases; `@Column(checksCases: true)` writes
    /// it.
    public func checkingCases<Property: ColumnValue>(of type: Property.Type) -> ColumnDescriptor
    where
        Property.Unwrapped: CaseIterable & RawRepresentable, Property.Unwrapped.RawValue: ColumnValue
    {
        var column = self
        column.check(choices: Property.Unwrapped.allCases.compactMap { try? $0.rawValue.columnValue })
        return column
    }
}

/// Paging that stays right when rows come and go.
extension RowQuery {
    /// The rows that follow the one with these values of the order's terms, which must make rows unique: give the key as
    /// the last term.
    public func after(values: [Value]) -> Self { changing { $0 = try $0.after(values) } }
}

extension RowQuery where Columns: RecordColumns {
    /// The rows that follow a record in the order of the query.
    public func after(_ record: Columns.Fetched) -> Self {
        changing { tree in
            let table = Columns.Fetched.model.tableReference
            tree = try tree.after(try tree.order.map { try record.columnValue(at: $0.orderedColumn(of: table)) })
        }
    }
}

extension Expression {
    /// The column of a table that an order term sorts by.
    fileprivate func orderedColumn(of table: TableReference) throws -> Int {
        switch orderParts.operand.node {
        case .column(let reference) where reference.path.isEmpty && reference.table === table: return reference.index
        case .collate(let inner, _): return try inner.orderedColumn(of: table)
        case .problem(let error): throw error
        default:
            throw CormorantError(
                .misuse, "the order has a term that is no column of \(table.model)",
                hint: "order by columns, or give after(values:) the value of each term")
        }
    }
}

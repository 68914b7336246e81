import CSQLite
import CormorantBase
import CormorantEngine

/// A row that SQLite is about to change, before and after that.
struct ChangingRow {
    let handle: OpaquePointer?
    let operation: Int32
    unowned(unsafe) let columns: TrackedColumns
    let oldID: Int64
    let newID: Int64

    /// The values of the primary key. Nil: of the whole table, where it cannot be had.
    func key(isNew: Bool) -> (key: RowKey, values: [Value])? {
        guard !columns.key.isEmpty else { return (.integer(isNew ? newID : oldID), []) }
        var values: [Value] = []
        for column in columns.key {
            guard let cell = cell(column, isNew: isNew) else { return nil }
            values.append(cell.value)
        }
        return (RowKey(values), values)
    }

    /// All of it, virtual columns, too; nil where it cannot be had.
    func stored(isNew: Bool) -> StoredRow? {
        var isWhole = true
        let row = try? StoredRow(count: columns.count) { column in
            if let cell = cell(Int(column), isNew: isNew) { return cell }
            if !columns.places[Int(column)].isVirtual { isWhole = false }
            return .null
        }
        guard isWhole, let row else { return nil }
        guard let computed = columns.computed, computed.hasVirtual else { return row }
        return computed.completed(row)
    }

    /// Which columns an update changes; those that cannot be had among them.
    func mask() -> UInt64 {
        mask { column in
            guard let old = cell(column, isNew: false), let new = cell(column, isNew: true) else { return true }
            return !old.equals(new)
        }
    }

    func mask(_ before: StoredRow, _ after: StoredRow) -> UInt64 {
        mask { !before.cells[$0].equals(after.cells[$0]) }
    }

    @inline(__always)
    private func mask(_ isChanged: (Int) -> Bool) -> UInt64 {
        var mask: UInt64 = 0
        for column in 0..<columns.count where isChanged(column) { mask |= 1 << UInt64(min(column, 63)) }
        return mask
    }

    /// Nil where SQLite does not give it. Its bytes last until the next one is asked for.
    @inline(__always)
    private func cell(_ column: Int, isNew: Bool) -> RowCell? {
        let place = columns.places[column]
        if place.isRowID { return RowCell(isNew ? newID : oldID) }
        let number = isNew && operation == SQLITE_UPDATE ? place.updatedNumber : place.number
        if number < 0 { return nil }
        var value: OpaquePointer?
        let status =
            isNew ? sqlite3_preupdate_new(handle, number, &value) : sqlite3_preupdate_old(handle, number, &value)
        guard status == SQLITE_OK, value != nil else { return nil }
        if place.hasDefault, !isNew, UInt(bitPattern: value) == missingField {
            return columns.computed?.defaultCell(column)
        }
        return place.form == .asIs ? Cell(value).plain : mended(Cell(value).plain, place.form)
    }

    private func mended(_ cell: RowCell, _ form: ColumnPlace.Number) -> RowCell? {
        switch form {
        case .asIs: return cell
        case .real: return cell.type == StorageType.integer ? RowCell(Double(cell.int64)) : cell
        case .integer, .either:
            guard cell.type == StorageType.real, let integer = Int64(exactly: cell.double) else { return cell }
            // What it was cannot be told where it may have been both, or was rounded.
            return form == .integer && integer.magnitude < 1 << 53 ? RowCell(integer) : nil
        }
    }
}

/// The one value that SQLite gives of fields that a row on the disk does not have: it was written before the column was added.
private let missingField = UInt(bitPattern: sqlite3_column_value(nil, 0))

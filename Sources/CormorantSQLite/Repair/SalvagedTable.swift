import CormorantBase

/// A table of the new file, while it is written.
final class SalvagedTable {
    struct Column {
        let name: String
        /// In the order of records. Generated ones stand there, too, where they are stored.
        let isGenerated: Bool
        let takesNumbersAlone: Bool
        let isRequired: Bool
    }

    var report: RepairedTable
    let root: UInt32
    let isWithoutRowid: Bool
    let columns: [Column]
    /// The column that is the rowid by another name.
    let key: Int?
    /// Another name of the rowid, which no column has.
    let rowidName: String?
    /// Where rows are missing.
    var gaps: [RowidGap]
    /// Whether it was made.
    let isMade: Bool
    var statements: [Int: Statement] = [:]

    init(_ entry: SchemaEntry, problem: String) {
        report = RepairedTable(name: entry.name, problem: problem)
        (root, isWithoutRowid, columns, key, rowidName, isMade) = (entry.root, false, [], nil, nil, false)
        gaps = []
    }

    init(_ entry: SchemaEntry, _ target: Connection) throws {
        report = RepairedTable(name: entry.name)
        root = entry.root
        isMade = true
        // Of one whose root is not known all rows are missing.
        gaps = root == 0 ? [RowidGap()] : []
        let name = quoteIdentifier(entry.name)
        let withoutRowid = try Statement(target, "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?")
        try withoutRowid.bind(.text(entry.name), 1)
        isWithoutRowid = try withoutRowid.step() && Row(withoutRowid).cell(0).int64 == 1
        withoutRowid.finalize()
        let info = try Statement(target, "PRAGMA main.table_xinfo(\(name))")
        defer { info.finalize() }
        var stored: [(column: Column, key: Int64, isInteger: Bool)] = []
        while try info.step() {
            let row = Row(info)
            let (type, hidden) = (row.cell(2).string ?? "", row.cell(6).int64)
            // Generated when it is read.
            guard hidden != 2 else { continue }
            let column = Column(
                name: row.cell(1).string ?? "", isGenerated: hidden == 3, takesNumbersAlone: Self.isNumber(type),
                isRequired: row.cell(3).int64 == 1)
            stored.append((column, row.cell(5).int64, sameIdentifier(type, "INTEGER")))
        }
        let keys = stored.filter { $0.key > 0 }.sorted { $0.key < $1.key }
        columns = (isWithoutRowid ? keys + stored.filter { $0.key == 0 } : stored).map(\.column)
        // One that is DESC has an index, as other keys: https://www.sqlite.org/lang_createtable.html#rowids_and_the_integer_primary_key
        let index = try Statement(target, "SELECT 1 FROM pragma_index_list(?) WHERE origin = 'pk'")
        defer { index.finalize() }
        try index.bind(.text(entry.name), 1)
        let hasAlias = try !isWithoutRowid && keys.count == 1 && keys[0].isInteger && !index.step()
        key = hasAlias ? stored.firstIndex { $0.key > 0 } : nil
        let names = columns.map(\.name)
        rowidName =
            isWithoutRowid || key != nil
            ? nil : ["rowid", "_rowid_", "oid"].first { name in !names.contains { sameIdentifier($0, name) } }
    }

    /// https://www.sqlite.org/datatype3.html#determination_of_column_affinity
    private static func isNumber(_ type: String) -> Bool {
        let type = type.uppercased()
        func has(_ part: String) -> Bool {
            let (type, part) = (Array(type.utf8), Array(part.utf8))
            return type.count >= part.count
                && (0...(type.count - part.count)).contains { type[$0..<($0 + part.count)].elementsEqual(part) }
        }
        return has("INT")
            || !(has("CHAR") || has("CLOB") || has("TEXT") || has("BLOB") || type.isEmpty)
                && (has("REAL") || has("FLOA") || has("DOUB"))
    }

    /// Pages that were lost stood elsewhere.
    func foundAgain(_ pages: Int) { report.lostPages = max(0, report.lostPages - Int64(pages)) }

    /// Whether a row can be one of the table's, by its shape.
    func fits(_ rowid: Int64?, _ values: [DamagedValue]) -> Bool {
        guard values.count <= columns.count, !values.isEmpty,
            gaps.contains(where: { gap in rowid.map(gap.contains) ?? true })
        else { return false }
        if sameIdentifier(report.name, "sqlite_sequence") {
            guard values.count == 2, case .text = values[0], case .integer = values[1] else { return false }
        }
        for (index, value) in values.enumerated() {
            let column = columns[index]
            switch value {
            case .null: if column.isRequired, index != key { return false }
            case _ where index == key: return false
            case .text, .brokenText, .blob: if column.takesNumbersAlone { return false }
            case .integer, .real: break
            }
        }
        return true
    }
}

/// An index of the new file, whose pages look like those of a table WITHOUT ROWID.
struct SalvagedIndex {
    let columnCount: Int
    let endsWithRowid: Bool
    /// Finds the row of an entry; nil where only an expression could tell.
    let lookup: Statement?

    /// - Parameter table: the one that it is of, if that was made.
    init(_ name: String, of table: SalvagedTable?, _ target: Connection) throws {
        let info = try Statement(target, "SELECT cid, name FROM pragma_index_xinfo(?) ORDER BY seqno")
        defer { info.finalize() }
        try info.bind(.text(name), 1)
        var columns: [String?] = []
        var endsWithRowid = false
        while try info.step() {
            let row = Row(info)
            endsWithRowid = row.cell(0).int64 == -1
            switch row.cell(0).int64 {
            case -1: columns.append(table?.rowidName ?? table?.key.flatMap { table?.columns[$0].name })
            // An expression.
            case -2: columns.append(nil)
            default: columns.append(row.cell(1).string)
            }
        }
        (columnCount, self.endsWithRowid) = (columns.count, endsWithRowid)
        let known = columns.compactMap { $0 }
        guard let table, known.count == columnCount else {
            lookup = nil
            return
        }
        lookup = try Statement(
            target,
            "SELECT 1 FROM main.\(quoteIdentifier(table.report.name)) WHERE "
                + known.map { "\(quoteIdentifier($0)) IS ?" }.joined(separator: " AND "))
    }

    /// Whether a row can be an entry of the index, by its shape.
    func fits(_ values: [DamagedValue]) -> Bool {
        guard values.count == columnCount else { return false }
        guard endsWithRowid else { return true }
        if case .integer? = values.last { return true }
        return false
    }
}

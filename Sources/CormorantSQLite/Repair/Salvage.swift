import CormorantBase

/// What was saved of a table.
public struct RepairedTable: Sendable, Hashable {
    /// The table's name.
    public let name: String
    /// Rows that stand in the new file.
    public internal(set) var rows: Int64 = 0
    /// Rows that were seen and are not in the new table: cut off, out of order, or refused by a constraint that they no longer
    /// meet. What can be read of them is in `lost_and_found`.
    public internal(set) var lostRows: Int64 = 0
    /// Pages that could not be read, were no pages of the table or no longer lead to all that they had: the rows that stood on
    /// them are lost, unless found elsewhere.
    public internal(set) var lostPages: Int64 = 0
    /// What could not be made again: the table itself, or one of its indexes, triggers or views; nil: nothing.
    public internal(set) var problem: String?
}

/// What was saved of a file.
public struct RepairReport: Sendable, Hashable {
    /// Pages of the damaged file.
    public internal(set) var pages: Int64 = 0
    /// Pages of it that cannot be read: altered, where it is encrypted; cut off; or none, where others lead to one. One more where its
    /// write-ahead log has transactions behind a page that was altered: those are left out.
    public internal(set) var unreadablePages: Int64 = 0
    /// The tables of the new file.
    public internal(set) var tables: [RepairedTable] = []
    /// Rows of which is not known to what table they belong, and what was read of rows that are not whole: those of
    /// `lost_and_found`.
    public internal(set) var foundRows: Int64 = 0
    /// Whether nothing was lost, as far as that can be known.
    public var isWhole: Bool {
        unreadablePages == 0 && foundRows == 0
            && tables.allSatisfy { $0.lostRows == 0 && $0.lostPages == 0 && $0.problem == nil }
    }
}

/// Writes a new file of what can be read of a damaged one, which stays as it is. Encrypted, the new one has the same key.
/// - Parameters:
///   - schema: CREATE statements, for tables whose own cannot be read; those of the file come first. nil: those of the copy
///     that was kept beside it, if there is one.
///   - progress: told the pages that were looked at and all, and asked whether to go on.
package func repair(
    _ path: String, to newPath: String, codecs: (any PageCodecSource)?, schema: String?, progress: CopyProgress?
) throws -> RepairReport {
    for path in [path, newPath] { try refuseURI(path, "a damaged file is read by its path") }
    try checkPath(path)
    guard fileExists(path) else {
        throw refusalOfURL(path)
            ?? CormorantError(.cannotOpen, "there is no file \"\(path)\"", hint: "check the path")
    }
    // As SQLite has its log, and as the copy of its schema is named.
    let path = canonicalPath(path)
    let codec = try codecs?.makeCodec(path: newPath)
    var report = RepairReport()
    try makeDatabase(at: newPath, rightsOf: path) { temporary in
        let source = try DamagedFile(path, codecs)
        var options = OpenOptions(journalMode: .memory, synchronous: .off, foreignKeys: false)
        options.codecs = codec?.shared
        let target = try Connection(path: temporary, options: options)
        defer { target.close() }
        let monitor = ProgressMonitor { _ in progress?(0, Int64(source.pageCount)) ?? true }
        let given = try schema.map { try schemaEntries(statements($0), monitor, skipsOthers: false) }
        let kept = try given == nil ? readSchemaCopy(schemaCopyPath(path), codec?.shared, monitor) : nil
        let extra = try given ?? schemaEntries((kept ?? []).flatMap(statements), monitor, skipsOthers: true)
        let salvage = Salvage(source, target, extra.entries, isPartial: extra.isPartial, progress)
        report = try salvage.run()
        try source.refuseChanges()
        try target.script("PRAGMA journal_mode = DELETE")
    }
    return report
}

/// One repair.
final class Salvage {
    private let source: DamagedFile
    private let target: Connection
    private let writer: SalvageWriter
    private let progress: CopyProgress?
    /// What each page was taken for.
    private var owners: [UInt8]
    private let references: PageReferences
    /// Pages that others lead to and that are no pages of a tree.
    private var refused: Set<UInt32> = []
    private var seen: Int64 = 0
    private var report = RepairReport()
    /// Rows whose place is not known, by the page that is the highest that leads to them.
    private var orphans: [(top: UInt32, page: UInt32)] = []

    init(
        _ source: DamagedFile, _ target: Connection, _ extra: [SchemaEntry], isPartial: Bool, _ progress: CopyProgress?
    ) {
        self.source = source
        self.target = target
        self.progress = progress
        owners = [UInt8](repeating: 0, count: Int(source.pageCount) + 1)
        references = PageReferences(source)
        writer = SalvageWriter(target, source, extra, isPartial: isPartial)
    }

    func run() throws -> RepairReport {
        report.pages = Int64(source.pageCount)
        // One statement may take long.
        let monitor = ProgressMonitor { _ in self.goesOn }
        target.setMonitor(monitor)
        defer { withExtendedLifetime(monitor) { target.setMonitor(nil) } }
        // Of one that is encrypted it shows below.
        if source.header == nil, source.page(1) != nil { report.unreadablePages += 1 }
        report.unreadablePages += Int64(source.lastPage - source.pageCount)
        // Of its log nobody knows how many.
        if commitsBehindDamage(ofLogBeside: source.path) > 0 { report.unreadablePages += 1 }
        try writer.begin()
        var schema: [SchemaEntry] = []
        var unread: [SalvagedRow] = []
        let tree = DamagedTree(source)
        try references.count(from: 1, isTable: true, looked)
        let schemaGaps = try walk(tree, from: 1, isTable: true) { rowid, values, isWhole, page in
            if isWhole, let entry = SchemaEntry(values) {
                schema.append(entry)
            } else {
                unread.append(SalvagedRow(rowid: rowid, values: values, isWhole: isWhole, page: page))
            }
        }
        let schemaIsWhole = schemaGaps.isEmpty && unread.isEmpty
        let free = source.freePages()
        if !schemaIsWhole { schema += try scatteredSchema(schema, free ?? []) }
        try writer.makeTables(schema)
        if !schemaIsWhole { writer.noteSchemaLoss() }
        for row in unread { try writer.keep(row.rowid, row.values, row.page) }
        for table in writer.tables where table.root > 0 {
            try references.count(from: table.root, isTable: !table.isWithoutRowid, looked)
        }
        for entry in schema where entry.root > 0 && (entry.isStatistics || entry.type == "index") {
            try references.count(from: entry.root, isTable: entry.isStatistics, looked)
        }
        for table in writer.tables where table.root > 0 {
            let lost = try walk(tree, from: table.root, isTable: !table.isWithoutRowid) {
                rowid, values, isWhole, page in
                try self.writer.write(rowid, values, isWhole, to: table, page)
            }
            table.gaps += lost
            table.report.lostPages += Int64(lost.count)
        }
        // What ANALYZE has counted is counted anew.
        for entry in schema where entry.isStatistics {
            _ = try walk(tree, from: entry.root, isTable: true) { _, _, _, _ in }
        }
        // Of those that are whole the pages are known; the others' look like those of a table WITHOUT ROWID.
        for entry in schema where entry.type == "index" && entry.root > 0 {
            _ = try walk(tree, from: entry.root, isTable: false) { _, _, _, _ in }
        }
        try assignOrphans(free, isIndexWanted: !schemaIsWhole || writer.hasTablesWithoutRowid)
        try writer.finish(schema)
        report.tables = writer.tables.map(\.report) + [writer.schemaLoss].compactMap { $0 }
        report.foundRows = writer.foundRows
        return report
    }

    private func looked() throws {
        seen += 1
        guard seen % 256 != 1 || goesOn else {
            throw CormorantError(.interrupted, "the repair was cancelled", hint: "nothing was changed; try again")
        }
    }

    /// Pages are looked at twice: to count what leads to them, and to read them.
    private var goesOn: Bool { progress?(min(seen / 2, report.pages), report.pages) ?? true }

    /// Calls `found` with all rows of a tree.
    /// - Returns: the rowids between which pages are lost.
    private func walk(
        _ tree: DamagedTree, from root: UInt32, isTable: Bool,
        _ found: (Int64?, [DamagedValue], Bool, UInt32) throws -> Void
    ) throws -> [RowidGap] {
        var gaps: [RowidGap] = []
        var open: [(page: UInt32, gap: RowidGap)] = [(root, RowidGap())]
        while let (number, gap) = open.popLast() {
            try looked()
            guard let page = source.treePage(number, isTable: isTable, isRoot: number == root), let kind = page.kind,
                owners[Int(number)] == 0, references.leadOnce(to: number), page.mostlyLies(in: gap)
            else {
                gaps.append(gap)
                refused.insert(number)
                continue
            }
            owners[Int(number)] = 1
            if kind != .tableInterior { try rows(of: page, tree, in: gap, found) }
            if !page.isAccountedFor(source.greatestCell) { gaps.append(gap) }
            guard !kind.isLeaf else { continue }
            let children = page.children()
            // Of keys that are out of order none says anything.
            let areOrdered = page.isOrdered(in: gap) && children.allSatisfy { 2...max(2, source.lastPage) ~= $0.page }
            var least = gap.least
            for child in children {
                let greatest = areOrdered ? child.greatest ?? gap.greatest : gap.greatest
                open.append((child.page, RowidGap(least: least, greatest: greatest)))
                if areOrdered { least = greatest }
            }
        }
        return gaps
    }

    /// - Parameter gap: where their rowids are.
    private func rows(
        of page: DamagedPage, _ tree: DamagedTree, in gap: RowidGap = RowidGap(),
        _ found: (Int64?, [DamagedValue], Bool, UInt32) throws -> Void
    ) throws {
        let strays = page.strays(in: gap)
        for index in 0..<page.cellCount {
            let row = tree.row(page, index) { overflow in
                guard owners[Int(overflow)] == 0, references.belongToOneRow(overflow) else { return false }
                owners[Int(overflow)] = 2
                return true
            }
            guard let row else {
                try found(nil, [], false, page.number)
                continue
            }
            try found(row.rowid, row.values, row.isWhole && !strays.contains(index), page.number)
        }
    }

    // Pages that no tree leads to ---------------------------------------------------------------------------------------

    /// What looks like a row of the schema on pages that it does not lead to.
    private func scatteredSchema(_ known: [SchemaEntry], _ free: Set<UInt32>) throws -> [SchemaEntry] {
        var names = Set(known.map(\.identity))
        var entries: [SchemaEntry] = []
        let tree = DamagedTree(source)
        for number in 2...max(2, source.pageCount) where owners[Int(min(number, source.pageCount))] == 0 {
            guard !free.contains(number), let page = source.page(number), page.kind == .tableLeaf, page.isPlausible
            else { continue }
            var mine: [SchemaEntry] = []
            for index in 0..<page.cellCount {
                if let row = tree.row(page, index, { _ in true }), row.isWhole, let entry = SchemaEntry(row.values) {
                    mine.append(entry)
                }
            }
            guard !mine.isEmpty, mine.count == page.cellCount else { continue }
            owners[Int(number)] = 1
            entries += mine.filter { names.insert($0.identity).inserted }
        }
        return entries
    }

    /// - Parameters:
    ///   - known: the pages that are free; nil where that is not known, and rows that were deleted may be among those found.
    ///   - isIndexWanted: whether pages of an index may be those of a table WITHOUT ROWID.
    private func assignOrphans(_ known: Set<UInt32>?, isIndexWanted: Bool) throws {
        let free = known ?? []
        var parents: [UInt32: UInt32] = [:]
        var pagesWithRows: [UInt32] = []
        var read: Set<UInt32> = []
        if source.pageCount >= 1 {
            for number in 1...source.pageCount where number != source.lockPage && owners[Int(number)] == 0 {
                try looked()
                guard let page = source.page(number) else {
                    report.unreadablePages += 1
                    continue
                }
                guard !free.contains(number), page.isPlausible, let kind = page.kind, kind.isTable || isIndexWanted
                else { continue }
                read.insert(number)
                if kind != .tableInterior, page.cellCount > 0 { pagesWithRows.append(number) }
                for child in page.children() { parents[child.page] = number }
            }
        }
        for child in parents.keys where !read.contains(child) {
            let isKnown = Int(child) < owners.count && owners[Int(child)] != 0
            // One that cannot be read, or is cut off, is counted above.
            if !isKnown, source.page(child) != nil || child > source.lastPage { report.unreadablePages += 1 }
        }
        var groups: [UInt32: [UInt32]] = [:]
        for page in pagesWithRows {
            var top = page
            var steps = 0
            while let parent = parents[top], steps < 64 { (top, steps) = (parent, steps + 1) }
            groups[top, default: []].append(page)
        }
        let found = groups.sorted { $0.key < $1.key }.map(\.value)
        var again: [(table: SalvagedTable, pages: Int)] = []
        for pages in found { again += try assign(pages, areOfTables: true) }
        // Once the tables have their rows, which tell entries of their indexes.
        for pages in found where isIndexWanted { _ = try assign(pages, areOfTables: false) }
        // Pages that were lost stood elsewhere, unless there are some of which nothing is known: those may be what was lost.
        guard known != nil, !hasUnknownPages(free, read) else { return }
        for (table, pages) in again { table.foundAgain(pages) }
    }

    /// Whether a page is none that is read, free, overflow of a row, one that is counted as lost or a list of SQLite's own.
    private func hasUnknownPages(_ free: Set<UInt32>, _ read: Set<UInt32>) -> Bool {
        var number: UInt32 = 2
        while number <= source.pageCount {
            let isKnown =
                owners[Int(number)] != 0 || free.contains(number) || read.contains(number) || refused.contains(number)
                || source.isPointerMap(number) || number == source.lockPage
            if !isKnown { return true }
            number &+= 1
        }
        return false
    }

    /// Gives the rows of pages under one to the table that they are of.
    /// - Returns: that table, and how many of its pages are whole.
    private func assign(_ pages: [UInt32], areOfTables: Bool) throws -> [(table: SalvagedTable, pages: Int)] {
        let tree = DamagedTree(source)
        var rows: [SalvagedRow] = []
        var wholePages = 0
        for number in pages {
            guard let page = source.page(number), page.kind?.isTable == areOfTables else { continue }
            var mine: [SalvagedRow] = []
            var isWholePage = page.isAccountedFor(source.greatestCell)
            try self.rows(of: page, tree) { rowid, values, isWhole, _ in
                guard areOfTables ? rowid != nil : !values.isEmpty else {
                    isWholePage = false
                    return
                }
                mine.append(SalvagedRow(rowid: rowid, values: values, isWhole: isWhole, page: number))
            }
            if isWholePage { wholePages += 1 }
            if try areOfTables || !writer.areEntries(mine) { rows += mine }
        }
        let table = writer.table(for: rows)
        for row in rows {
            if let table {
                try writer.write(row.rowid, row.values, row.isWhole, to: table, row.page)
            } else {
                try writer.keep(row.rowid, row.values, row.page)
            }
        }
        // The page that led to them had no rows, unlike that of a table WITHOUT ROWID.
        guard areOfTables, let table else { return [] }
        return [(table, wholePages)]
    }
}

/// A row that was found on a page.
struct SalvagedRow {
    /// nil in a table WITHOUT ROWID and in an index.
    let rowid: Int64?
    let values: [DamagedValue]
    let isWhole: Bool
    let page: UInt32
}

/// Between which rowids, both nil for any, rows are missing.
struct RowidGap {
    var least: Int64?
    var greatest: Int64?

    func contains(_ rowid: Int64) -> Bool { rowid > least ?? .min && rowid <= greatest ?? .max || rowid == .min }
}

/// Reads the rows of pages, with what overflows.
struct DamagedTree {
    private let source: DamagedFile

    init(_ source: DamagedFile) { self.source = source }

    /// - Parameter use: asked for each page of overflow whether it may be the row's.
    /// - Returns: nil where there is no row.
    func row(
        _ page: DamagedPage, _ index: Int, _ use: (UInt32) -> Bool
    ) -> (rowid: Int64?, values: [DamagedValue], isWhole: Bool)? {
        guard let cell = page.cell(index, atMost: source.greatestCell) else { return nil }
        // The end of a file may cut it off.
        let end = max(cell.local.startIndex, min(cell.local.endIndex, page.present))
        var bytes = Array(cell.local[..<end])
        var next = end < cell.local.endIndex ? 0 : cell.overflow
        var steps = 0
        var isDoubtful = false
        while bytes.count < cell.size, next != 0, steps <= cell.size / (source.usable - 4) + 1,
            let overflow = source.page(next), use(next)
        {
            let count = min(cell.size - bytes.count, source.usable - 4)
            guard overflow.present >= 4 + count else { break }
            // A page of zeros is the end of a row that goes on with zeros, or what a file has in the place of what was never written.
            if bytes.suffix(4).contains(where: { $0 != 0 }), !overflow.bytes.contains(where: { $0 != 0 }) {
                isDoubtful = true
            }
            bytes += overflow.bytes[4..<4 + count]
            next = overflow.number32(0)
            steps += 1
        }
        // The chain ends with the row, or it was another one's.
        let isWhole = bytes.count == cell.size && next == 0 && !isDoubtful
        guard let record = damagedRecord(bytes, size: cell.size, source.encoding) else { return nil }
        return (cell.rowid, record.values, record.isWhole && isWhole)
    }
}

/// A row of sqlite_schema.
struct SchemaEntry {
    let type: String
    let name: String
    let table: String
    let root: UInt32
    let sql: String?

    init(type: String, name: String, table: String, root: UInt32, sql: String?) {
        (self.type, self.name, self.table, self.root, self.sql) = (type, name, table, root, sql)
    }

    init?(_ values: [DamagedValue]) {
        guard values.count == 5, let type = values[0].string, let name = values[1].string, let table = values[2].string
        else { return nil }
        (self.type, self.name, self.table, sql) = (type, name, table, values[4].string)
        let isStored = self.type == "table" && !Self.isVirtual(sql)
        if case .integer(let root) = values[3], root > 0 || !isStored {
            self.root = UInt32(exactly: root) ?? .max
        } else {
            // No page: those of a table were somewhere.
            root = isStored ? .max : 0
        }
        guard ["table", "index", "view", "trigger"].contains(self.type) else { return nil }
        // An index of a constraint has no SQL; all else begins so.
        guard let sql = self.sql else { return }
        guard sql.utf8.count >= 6, sameIdentifier(String(sql.prefix(6)), "CREATE") else { return nil }
    }

    var identity: [UInt8] { Array((type + "\0" + foldIdentifier(name)).utf8) }
    var isStatistics: Bool { type == "table" && foldIdentifier(name).hasPrefix("sqlite_stat") }
    var isVirtual: Bool { type == "table" && Self.isVirtual(sql) }

    private static func isVirtual(_ sql: String?) -> Bool {
        let words = sql?.split(maxSplits: 2, whereSeparator: { $0.isWhitespace }) ?? []
        return words.count > 1 && sameIdentifier(String(words[1]), "VIRTUAL")
    }
}

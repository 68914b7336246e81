/// A page of which nothing is certain: what would lie beyond its end reads as 0.
/// https://www.sqlite.org/fileformat2.html#b_tree_pages
struct DamagedPage {
    enum Kind: Int {
        case indexInterior = 2
        case tableInterior = 5
        case indexLeaf = 10
        case tableLeaf = 13

        var isTable: Bool { self == .tableInterior || self == .tableLeaf }
        var isLeaf: Bool { self == .indexLeaf || self == .tableLeaf }
    }

    let number: UInt32
    let bytes: [UInt8]
    /// How many of them SQLite uses.
    let usable: Int
    /// How many of them the file has, if it ends within them.
    var present = Int.max

    func byte(_ place: Int) -> Int { bytes.indices.contains(place) ? Int(bytes[place]) : 0 }
    func number16(_ place: Int) -> Int { byte(place) << 8 | byte(place &+ 1) }
    func number32(_ place: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: number16(place)) << 16 | UInt32(truncatingIfNeeded: number16(place &+ 2))
    }

    /// https://www.sqlite.org/fileformat2.html#varint
    func varint(_ place: inout Int) -> UInt64 { readVarint(bytes, &place) }

    var isDatabaseHeader: Bool {
        bytes.count >= 100 && Array(bytes[..<15]) == Array("SQLite format 3".utf8) && byte(20) <= bytes.count - 480
            && (byte(21), byte(22), byte(23)) == (64, 32, 32)
    }

    /// As the first page of a database says; nil where an old program wrote it.
    /// https://www.sqlite.org/fileformat2.html#in_header_database_size
    var databasePageCount: UInt32? { number32(24) == number32(92) ? number32(28) : nil }

    private var start: Int { number == 1 ? 100 : 0 }
    var kind: Kind? { Kind(rawValue: byte(start)) }
    var cellCount: Int { number16(start &+ 3) }
    private var cellsStart: Int { start &+ (kind?.isLeaf ?? true ? 8 : 12) }
    func cellPlace(_ index: Int) -> Int { number16(cellsStart &+ index &* 2) }
    var rightmostChild: UInt32 { number32(start &+ 8) }

    /// Whether the page looks like one of a tree, as far as that shows without its rows.
    var isPlausible: Bool {
        guard kind != nil, cellCount > 0 || kind?.isLeaf == true else { return false }
        let end = cellsStart &+ cellCount &* 2
        let content = number16(start &+ 5) == 0 ? 65_536 : number16(start &+ 5)
        guard end <= usable, content >= end, content <= usable, byte(start &+ 7) <= 60 else { return false }
        return (0..<cellCount).allSatisfy { cellPlace($0) >= content && cellPlace($0) < usable }
    }
}

/// - Returns: 0 where it goes beyond the end; `place` is behind it.
func readVarint(_ bytes: [UInt8], _ place: inout Int) -> UInt64 {
    var value: UInt64 = 0
    for index in 0..<9 {
        guard bytes.indices.contains(place) else { return 0 }
        let byte = UInt64(bytes[place])
        place &+= 1
        if index == 8 { return value << 8 | byte }
        value = value << 7 | byte & 0x7F
        if byte < 0x80 { return value }
    }
    return value
}

/// What a page has of a row; the rest is on pages of overflow.
struct DamagedCell {
    /// nil in an index and in a table WITHOUT ROWID.
    let rowid: Int64?
    let size: Int
    let local: ArraySlice<UInt8>
    /// 0: there are none.
    let overflow: UInt32
}

extension DamagedPage {
    /// The row of a cell; nil where it is none. https://www.sqlite.org/fileformat2.html#b_tree_pages
    func cell(_ index: Int, atMost greatest: Int) -> DamagedCell? {
        guard let kind, kind != .tableInterior else { return nil }
        var place = cellPlace(index)
        guard place >= cellsStart &+ cellCount &* 2, place < usable else { return nil }
        if kind == .indexInterior { place &+= 4 }
        let size = varint(&place)
        let rowid = kind == .tableLeaf ? Int64(bitPattern: varint(&place)) : nil
        guard size > 0, size <= UInt64(clamping: greatest), let size = Int(exactly: size) else { return nil }
        let most = kind == .tableLeaf ? usable - 35 : (usable - 12) * 64 / 255 - 23
        var local = size
        if size > most {
            let least = (usable - 12) * 32 / 255 - 23
            let wanted = least + (size - least) % (usable - 4)
            local = wanted <= most ? wanted : least
        }
        let end = place &+ local
        guard end &+ (local < size ? 4 : 0) <= usable, end <= bytes.count else { return nil }
        return DamagedCell(
            rowid: rowid, size: size, local: bytes[place..<end], overflow: local < size ? number32(end) : 0)
    }

    /// The rowids of a page of a table, in the order of its cells.
    private var rowids: [Int64] {
        guard let kind, kind.isTable, cellsStart &+ cellCount &* 2 <= usable else { return [] }
        return (0..<cellCount).map { index in
            var place = cellPlace(index)
            if kind == .tableInterior { place &+= 4 } else { _ = varint(&place) }
            return Int64(bitPattern: varint(&place))
        }
    }

    /// Whether it can be the page that another one takes it for; not where another one was written over it.
    func mostlyLies(in gap: RowidGap) -> Bool {
        guard kind == .tableLeaf else { return true }
        let rowids = rowids
        return rowids.count { gap.contains($0) } * 2 >= rowids.count
    }

    func isOrdered(in gap: RowidGap) -> Bool { strays(in: gap).isEmpty }

    /// The cells whose rowids are out of order, or are not where the page is said to have them.
    func strays(in gap: RowidGap) -> Set<Int> {
        let rowids = rowids
        var strays: Set<Int> = []
        for (index, rowid) in rowids.enumerated() {
            if !gap.contains(rowid) { strays.insert(index) }
            if index > 0, rowids[index - 1] >= rowid { strays.formUnion([index - 1, index]) }
        }
        return strays
    }

    /// Whether all of a page's bytes are cells, free blocks or fragments, each once: where a cell is no longer counted, its bytes are none
    /// of these. https://www.sqlite.org/fileformat2.html#b_tree_pages
    func isAccountedFor(_ greatest: Int) -> Bool {
        guard let kind else { return false }
        let content = number16(start &+ 5) == 0 ? 65_536 : number16(start &+ 5)
        var used: [Range<Int>] = []
        for index in 0..<cellCount {
            let place = cellPlace(index)
            var end = place
            if kind == .tableInterior {
                end &+= 4
                _ = varint(&end)
            } else {
                // A row that cannot be read is counted as such.
                guard let cell = cell(index, atMost: greatest) else { return true }
                end = cell.local.endIndex &+ (cell.overflow == 0 && cell.local.count == cell.size ? 0 : 4)
            }
            used.append(place..<max(end, place &+ 4))
        }
        var block = number16(start &+ 1)
        while block > 0 {
            guard block >= content, block &+ 4 <= usable, used.count <= usable / 4 else { return false }
            used.append(block..<block &+ max(4, number16(block &+ 2)))
            block = number16(block)
        }
        used.sort { $0.lowerBound < $1.lowerBound }
        var place = content
        var fragments = 0
        for range in used {
            guard range.lowerBound >= place else { return false }
            fragments &+= range.lowerBound &- place
            place = range.upperBound
        }
        return place <= usable && fragments &+ (usable &- place) == byte(start &+ 7)
    }

    /// The pages under this one, with the greatest rowid that each may have; nil: any.
    func children() -> [(page: UInt32, greatest: Int64?)] {
        guard let kind, !kind.isLeaf, cellsStart &+ cellCount &* 2 <= usable else { return [] }
        var all: [(UInt32, Int64?)] = []
        for index in 0..<cellCount {
            var place = cellPlace(index)
            let child = number32(place)
            place &+= 4
            all.append((child, kind == .tableInterior ? Int64(bitPattern: varint(&place)) : nil))
        }
        all.append((rightmostChild, nil))
        return all
    }
}

/// A value as it stands in a record.
enum DamagedValue {
    case null
    case integer(Int64)
    case real(Double)
    /// As UTF-8, which need not be valid.
    case text([UInt8])
    /// UTF-16 as it stands, with a surrogate that has no other, which UTF-8 does not have.
    case brokenText([UInt8])
    case blob([UInt8])

    var string: String? { if case .text(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil } }
}

/// The values of a record; of one that was cut off those that are whole.
/// https://www.sqlite.org/fileformat2.html#record_format
/// - Returns: nil where its sizes do not fit together, so that it is no record.
func damagedRecord(
    _ bytes: [UInt8], size: Int, _ encoding: DamagedFile.TextEncoding
) -> (values: [DamagedValue], isWhole: Bool)? {
    var place = 0
    let headerSize = readVarint(bytes, &place)
    guard headerSize >= UInt64(place), headerSize <= UInt64(bytes.count), let end = Int(exactly: headerSize) else {
        return nil
    }
    var kinds: [UInt64] = []
    while place < end { kinds.append(readVarint(bytes, &place)) }
    guard place == end, kinds.count <= 32_767 else { return nil }
    var sum = end
    for kind in kinds {
        guard let count = valueSize(kind), count <= size - sum else { return nil }
        sum += count
    }
    guard sum == size else { return nil }
    var values: [DamagedValue] = []
    for kind in kinds {
        let count = valueSize(kind) ?? 0
        guard place + count <= bytes.count else { return (values, false) }
        values.append(damagedValue(kind, bytes[place..<place + count], encoding))
        place += count
    }
    return (values, true)
}

private func valueSize(_ kind: UInt64) -> Int? {
    switch kind {
    case 0, 8, 9: 0
    case 1...4: Int(kind)
    case 5: 6
    case 6, 7: 8
    case 10, 11: nil
    default: Int(exactly: (kind - 12) / 2)
    }
}

private func damagedValue(
    _ kind: UInt64, _ bytes: ArraySlice<UInt8>, _ encoding: DamagedFile.TextEncoding
) -> DamagedValue {
    func number() -> Int64 {
        bytes.reduce(Int64(Int8(bitPattern: bytes.first ?? 0)) >> 8) { $0 << 8 | Int64($1) }
    }
    switch kind {
    case 0: return .null
    case 1...6: return .integer(number())
    case 7: return .real(Double(bitPattern: UInt64(bitPattern: number())))
    case 8: return .integer(0)
    case 9: return .integer(1)
    case _ where kind % 2 == 0: return .blob(Array(bytes))
    case _ where encoding == .utf8: return .text(Array(bytes))
    default:
        let bytes = Array(bytes)
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { index -> UInt16 in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return encoding == .utf16LittleEndian ? second << 8 | first : first << 8 | second
        }
        let text = String(decoding: units, as: UTF16.self)
        return text.utf16.elementsEqual(units) ? .text(Array(text.utf8)) : .brokenText(bytes)
    }
}

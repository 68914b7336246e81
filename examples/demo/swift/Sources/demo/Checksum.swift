import Cormorant

/// What load.py calls checksum: the number of rows, and FNV-1a over the tables and every value of every row.
struct Checksum {
    private(set) var rows = 0
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    init(of database: Database) throws {
        try add(Section.self, in: database)
        try add(Maintainer.self, in: database)
        try add(Package.self, in: database)
        try add(Dependency.self, in: database)
    }

    private mutating func add<R: Summed>(_ type: R.Type, in database: Database) throws {
        add(R.model.createSQL)
        let key = R.model.keyColumns.map { R.model.columns[$0].name }
        try database.cursor(type, Query(order: key)).forEach { record in
            for value in record.values {
                switch try value.columnValue {
                case .null: add("\0")
                case .integer(let number): add("\(number)")
                case .text(let text): add(text)
                case .real, .blob: break  // no model here has any
                }
                add("\u{1F}")
            }
            add("\n")
            rows += 1
        }
    }

    private mutating func add(_ text: String) {
        for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
}

/// A record that gives its values in the order of its columns.
private protocol Summed: Record {
    var values: [any ColumnValue] { get }
}

extension Section: Summed {
    var values: [any ColumnValue] { [name] }
}

extension Maintainer: Summed {
    var values: [any ColumnValue] { [id, name] }
}

extension Package: Summed {
    var values: [any ColumnValue] {
        [name, version, section, maintainerID, priority, installedSize, essential, summary, note]
    }
}

extension Dependency: Summed {
    var values: [any ColumnValue] { [package, position, kind, target, wantedVersion, found] }
}

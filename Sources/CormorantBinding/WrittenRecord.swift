import CCormorant
import CCormorantBinding
import CormorantBase
import CormorantC
import CormorantORM

/// One record as its values, which stay where they are until it has been written.
struct WrittenRecord: RecordAccess {
    private let items: UnsafePointer<MarshalReader.Item>
    private let columns: UnsafePointer<Int32>?
    private let count: Int
    private let types: Unmanaged<ColumnTypes>
    /// Where the row goes that comes back.
    private let block: UnsafeMutablePointer<corm_block>
    private(set) var returned: MarshalRow.Returned = .nothing

    /// - Parameter items: the values of the writer's columns.
    /// - Returns: whether it was written, and what came back.
    static func write(
        _ writer: corm_python_writer, _ items: UnsafePointer<MarshalReader.Item>,
        _ block: UnsafeMutablePointer<corm_block>
    ) throws -> (isWritten: Bool, returned: MarshalRow.Returned) {
        let policy = try conflictPolicy(writer.conflict)
        return try with(writer.database, writer.model) { database, box in
            let count = try checkedCount(writer, box)
            var record = WrittenRecord(
                items: items, columns: writer.columns, count: count, types: .passUnretained(box.types), block: block)
            let isWritten = try database.withPlan(box.descriptor) { plan in
                switch writer.operation {
                case CORM_WRITE_INSERT: return try plan.insert(&record, policy)
                case CORM_WRITE_SAVE: try plan.save(&record)
                case CORM_WRITE_UPDATE: try plan.update(&record, with: plan.update(writer.properties))
                default: return try plan.delete(&record)
                }
                return true
            }
            return (isWritten, record.returned)
        }
    }

    private static func checkedCount(_ writer: corm_python_writer, _ box: ModelBox) throws -> Int {
        guard writer.columns != nil || writer.count == box.types.count else {
            throw CormorantError(
                .misuse, "a record of \(box.descriptor.name) has \(box.types.count) values, \(writer.count) were given",
                hint: "give one value for each column")
        }
        return writer.count
    }

    func write(to writer: inout RecordWriter) throws {
        try withoutRetaining(types) { types in
            for index in 0..<count {
                let column = columns.map { Int($0[index]) } ?? index
                try writer.write(items[index], types, at: column)
            }
        }
    }

    mutating func read(from reader: RecordReader) throws {
        returned = .row
        var writer = MarshalWriter(block)
        try writer.row(reader, types.takeUnretainedValue())
        writer.finish()
    }

    mutating func readBack(only columns: [Int], from reader: RecordReader) throws {
        returned = .row
        var writer = MarshalWriter(block)
        try writer.row(reader, types.takeUnretainedValue(), only: columns)
        writer.finish()
    }

    mutating func setGeneratedKey(_ key: Int64) { returned = .key(key) }

    mutating func clearGeneratedKey() { returned = .nothing }

    mutating func undoing<Result>(_ write: (inout Self) throws -> Result) throws -> Result { try write(&self) }
}

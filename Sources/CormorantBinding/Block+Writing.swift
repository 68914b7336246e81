public import CCormorant
public import CCormorantBinding
import CormorantBase
import CormorantC
import CormorantORM
import CormorantQuery

@_cdecl("corm_block_write") @implementation
public func corm_block_write(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ operation: Int32, _ conflict: Int32,
    _ properties: UnsafePointer<CChar>?, _ rows: UnsafeRawPointer?, _ size: Int,
    _ block: UnsafeMutablePointer<corm_block>?, _ outCount: UnsafeMutablePointer<Int64>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try with(handle, model) { database, box in
            let reader = try MarshalReader(rows, size)
            let count = try reader.sequence()
            var work = BlockWrite(
                operation: operation, conflict: try conflictPolicy(conflict), properties: properties,
                count: count,
                row: MarshalRow(reader: reader, model: box.descriptor, types: box.types))
            if let block {
                var writer = MarshalWriter(block)
                try writer.beginList()
                work.row.writer = writer
            }
            if count == 1 {
                var index = 0
                try database.withPlan(box.descriptor) { try work.run($0, &index) }
            } else {
                try database.batch(box.descriptor) { plan, index in try work.run(plan, &index) }
            }
            try work.row.writer?.endList(count)
            work.row.writer?.finish()
            outCount?.pointee = work.changed
            return CORM_OK
        }
    }
}

/// The rows of one block, written one after another.
private struct BlockWrite {
    let operation: Int32
    let conflict: ConflictPolicy
    let properties: UnsafePointer<CChar>?
    let count: Int
    var row: MarshalRow
    var changed: Int64 = 0

    mutating func run(_ plan: ModelPlan, _ index: inout Int) throws {
        if operation != CORM_WRITE_UPDATE, properties != nil {
            throw CormorantError(.misuse, "properties go with CORM_WRITE_UPDATE only", hint: "pass none")
        }
        switch operation {
        case CORM_WRITE_INSERT:
            while index < count {
                row.returned = .nothing
                let inserted = try plan.insert(&row, conflict)
                if inserted { changed &+= 1 }
                answer(inserted)
                index &+= 1
            }
        case CORM_WRITE_SAVE:
            while index < count {
                row.returned = .nothing
                try plan.save(&row)
                changed &+= 1
                answer(true)
                index &+= 1
            }
        case CORM_WRITE_UPDATE:
            let planned = try plan.update(properties)
            while index < count {
                row.returned = .nothing
                try plan.update(&row, with: planned)
                changed &+= 1
                answer(true)
                index &+= 1
            }
        case CORM_WRITE_DELETE:
            while index < count {
                let deleted = try plan.delete(&row)
                if deleted { changed &+= 1 }
                row.writer?.bool(deleted)
                index &+= 1
            }
        default:
            throw CormorantError(
                .misuse, "operation \(operation) is unknown", hint: "use one of the CORM_WRITE_ constants")
        }
    }

    /// The item of the answer for one row; a whole row is written as it is read.
    @inline(__always)
    private mutating func answer(_ done: Bool) {
        switch row.returned {
        case .row: return
        case .key(let key): row.writer?.integer(key)
        case .nothing: if done { row.writer?.none() } else { row.writer?.bool(false) }
        }
    }
}

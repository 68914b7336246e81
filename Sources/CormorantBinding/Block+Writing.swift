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
                let first = work.row.writer?.count ?? 0
                let missing = try database.batch(
                    box.descriptor, sending: work.isSent ? count : 0, mayChangeNothing: operation == CORM_WRITE_DELETE
                ) { plan, index in
                    try work.run(plan, &index)
                }.unchanged
                work.changed &-= Int64(missing.count)
                // A deletion is answered with one bool.
                for index in missing { work.row.writer?.makeFalse(at: first + index) }
            }
            try work.row.writer?.endList(count)
            work.row.writer?.finish()
            outCount?.pointee = work.changed
            return CORM_OK
        }
    }
}

@_cdecl("corm_block_upsert") @implementation
public func corm_block_upsert(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ options: UnsafePointer<corm_upsert_options>?,
    _ rows: UnsafeRawPointer?, _ size: Int, _ block: UnsafeMutablePointer<corm_block>?,
    _ outCount: UnsafeMutablePointer<Int64>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try with(handle, model) { database, box in
            let options = try UpsertOptions(options)
            let reader = try MarshalReader(rows, size)
            let count = try reader.sequence()
            var writer = MarshalWriter(try require(block, "block"))
            try writer.beginList()
            var row = MarshalRow(reader: reader, model: box.descriptor, types: box.types)
            row.writer = writer
            var work = BlockUpsert(options: options, count: count, row: row)
            if count != 1 {
                try database.batch(box.descriptor) { plan, index in try work.run(plan, &index) }
            } else if options.keepsRow {
                try work.run { try database.fetchOrInsert(&$0, of: box.descriptor, on: options.key) }
            } else {
                var index = 0
                try database.withPlan(box.descriptor) { try work.run($0, &index) }
            }
            try work.row.writer?.endList(count)
            work.row.writer?.finish()
            outCount?.pointee = work.written
            return CORM_OK
        }
    }
}

@_cdecl("corm_block_lookup") @implementation
public func corm_block_lookup(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ on: UnsafePointer<CChar>?, _ rows: UnsafeRawPointer?,
    _ size: Int, _ block: UnsafeMutablePointer<corm_block>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try with(handle, model) { database, box in
            let key = try names(on, "on")
            let reader = try MarshalReader(rows, size)
            guard try reader.sequence() == 1 else { throw MarshalReader.damaged() }
            var row = MarshalRow(reader: reader, model: box.descriptor, types: box.types)
            row.writer = MarshalWriter(try require(block, "block"))
            try row.writer?.beginList()
            let isFound = try database.withPlan(box.descriptor) { try $0.fetch(&row, with: $0.lookup(on: key)) }
            try row.writer?.endList(isFound ? 1 : 0)
            row.writer?.finish()
            return isFound ? CORM_OK : CORM_NOT_FOUND
        }
    }
}

/// The same of an upsert.
private struct BlockUpsert {
    let options: UpsertOptions
    let count: Int
    var row: MarshalRow
    var written: Int64 = 0

    mutating func run(_ plan: ModelPlan, _ index: inout Int) throws {
        let planned = try options.planned(plan)
        let keepsRow = options.keepsRow
        while index < count {
            try run { row in
                if keepsRow { return try plan.fetchOrInsert(&row, with: planned) }
                try plan.upsert(&row, with: planned)
                return true
            }
            index &+= 1
        }
    }

    mutating func run(_ body: (inout MarshalRow) throws -> Bool) throws {
        row.begin()
        if try body(&row) { written &+= 1 }
        row.answer(true)
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
    /// Whether nothing of a row need be known before the next is written.
    var isSent: Bool { operation != CORM_WRITE_INSERT || conflict == .abort }

    mutating func run(_ plan: ModelPlan, _ index: inout Int) throws {
        if operation != CORM_WRITE_UPDATE, properties != nil {
            throw CormorantError(.misuse, "properties go with CORM_WRITE_UPDATE only", hint: "pass none")
        }
        switch operation {
        case CORM_WRITE_INSERT:
            while index < count {
                row.begin()
                let inserted = try plan.insert(&row, conflict)
                if inserted { changed &+= 1 }
                row.answer(inserted)
                index &+= 1
            }
        case CORM_WRITE_SAVE:
            while index < count {
                row.begin()
                try plan.save(&row)
                changed &+= 1
                row.answer(true)
                index &+= 1
            }
        case CORM_WRITE_UPDATE:
            let planned = try plan.update(properties)
            while index < count {
                row.begin()
                try plan.update(&row, with: planned)
                changed &+= 1
                row.answer(true)
                index &+= 1
            }
        case CORM_WRITE_DELETE:
            while index < count {
                row.begin()
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
}

extension MarshalRow {
    /// The item of the answer for one row; a whole row is written as it is read.
    @inline(__always)
    fileprivate mutating func answer(_ done: Bool) {
        switch returned {
        case .row: return
        case .key(let key): writer?.integer(key)
        case .nothing: if done { writer?.none() } else { writer?.bool(false) }
        }
    }
}

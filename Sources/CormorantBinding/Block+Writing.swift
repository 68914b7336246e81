public import CCormorant
public import CCormorantBinding
import CormorantBase
import CormorantC
import CormorantORM
import CormorantQuery

@_cdecl("corm_block_write") @implementation
public func corm_block_write(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ operation: Int32, _ conflict: Int32,
    _ properties: UnsafePointer<CChar>?, _ columns: UnsafePointer<Int32>?, _ columnCount: Int, _ isPart: Bool,
    _ rows: UnsafeRawPointer?, _ size: Int, _ block: UnsafeMutablePointer<corm_block>?,
    _ outCount: UnsafeMutablePointer<Int64>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try with(handle, model) { database, box in
            let reader = try MarshalReader(rows, size)
            let columns = columns.map { UnsafeBufferPointer(start: $0, count: columnCount) }
            let count = try reader.rows(columns, of: box)
            var work = BlockWrite(
                operation: operation, conflict: try conflictPolicy(conflict), properties: properties,
                count: count,
                row: MarshalRow(reader: reader, model: box.descriptor, types: box.types, columns: columns))
            if let block {
                var writer = MarshalWriter(block)
                try writer.beginList()
                work.row.writer = writer
            }
            if count == 1 {
                var index = 0
                try database.withPlan(box.descriptor) { try work.run($0, &index, 1) }
            } else {
                try database.batch(
                    box.descriptor, count, isInsert: operation == CORM_WRITE_INSERT, isPart: isPart
                ) { plan, index, end in
                    try work.run(plan, &index, end)
                } receive: { plan, index in
                    try work.receive(plan, index)
                }
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
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ options: UnsafePointer<corm_upsert_options>?, _ isPart: Bool,
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
                try database.batch(
                    box.descriptor, count, isSent: options.areSent(box.descriptor), isPart: isPart
                ) { plan, index, end in
                    try work.run(plan, &index, end)
                } receive: { plan, index in
                    try work.receive(plan, index)
                }
            } else if options.keepsRow {
                try work.run { try database.fetchOrInsert(&$0, of: box.descriptor, on: options.key) }
            } else {
                var index = 0
                try database.withPlan(box.descriptor) { try work.run($0, &index, 1) }
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
    private var sent = SentRows()

    init(options: UpsertOptions, count: Int, row: MarshalRow) {
        (self.options, self.count, self.row) = (options, count, row)
    }

    mutating func run(_ plan: ModelPlan, _ index: inout Int, _ end: Int) throws {
        let planned = try options.planned(plan)
        let keepsRow = options.keepsRow
        let isSent = plan.pipeline != nil
        sent.begin(index)
        while index < end {
            if isSent {
                row.begin()
                sent.places.append(row.place)
                if keepsRow {
                    _ = try plan.fetchOrInsert(&row, with: planned)
                } else {
                    try plan.upsert(&row, with: planned)
                }
            } else {
                try run { row in
                    if keepsRow { return try plan.fetchOrInsert(&row, with: planned) }
                    try plan.upsert(&row, with: planned)
                    return true
                }
            }
            index &+= 1
        }
    }

    mutating func receive(_ plan: ModelPlan, _ index: Int) throws {
        if try sent.receive(&row, plan, index, .save) { written &+= 1 }
        row.answer(true)
    }

    mutating func run(_ body: (inout MarshalRow) throws -> Bool) throws {
        row.begin()
        if try body(&row) { written &+= 1 }
        row.answer(true)
    }
}

/// Where rows begin that were sent, for what comes of them.
private struct SentRows {
    var places: [Int] = []
    private var first = 0

    mutating func begin(_ index: Int) {
        places.removeAll(keepingCapacity: true)
        first = index
    }

    mutating func receive(
        _ row: inout MarshalRow, _ plan: ModelPlan, _ index: Int, _ kind: RecordWrite.Kind
    ) throws -> Bool {
        guard places.indices.contains(index &- first) else { throw MarshalReader.damaged() }
        let next = row.reader.position
        defer { row.reader.position = next }
        row.begin(at: places[index &- first])
        return try plan.receive(&row, kind)
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
    private var sent = SentRows()

    init(operation: Int32, conflict: ConflictPolicy, properties: UnsafePointer<CChar>?, count: Int, row: MarshalRow) {
        (self.operation, self.conflict, self.properties) = (operation, conflict, properties)
        (self.count, self.row) = (count, row)
    }

    mutating func run(_ plan: ModelPlan, _ index: inout Int, _ end: Int) throws {
        if operation != CORM_WRITE_UPDATE, properties != nil {
            throw CormorantError(.misuse, "properties go with CORM_WRITE_UPDATE only", hint: "pass none")
        }
        if plan.pipeline != nil { return try send(plan, &index, end) }
        switch operation {
        case CORM_WRITE_INSERT:
            while index < end {
                row.begin()
                let inserted = try plan.insert(&row, conflict)
                if inserted { changed &+= 1 }
                row.answer(inserted)
                index &+= 1
            }
        case CORM_WRITE_SAVE:
            while index < end {
                row.begin()
                try plan.save(&row)
                changed &+= 1
                row.answer(true)
                index &+= 1
            }
        case CORM_WRITE_UPDATE:
            let planned = try plan.update(properties)
            while index < end {
                row.begin()
                try plan.update(&row, with: planned)
                changed &+= 1
                row.answer(true)
                index &+= 1
            }
        case CORM_WRITE_DELETE:
            while index < end {
                row.begin()
                let deleted = try plan.delete(&row)
                if deleted { changed &+= 1 }
                row.writer?.bool(deleted)
                index &+= 1
            }
        default: throw unknownOperation()
        }
    }

    /// The same of rows whose outcome is received later.
    private mutating func send(_ plan: ModelPlan, _ index: inout Int, _ end: Int) throws {
        let planned = operation == CORM_WRITE_UPDATE ? try plan.update(properties) : nil
        sent.begin(index)
        while index < end {
            row.begin()
            sent.places.append(row.place)
            switch operation {
            case CORM_WRITE_INSERT: _ = try plan.insert(&row, conflict)
            case CORM_WRITE_SAVE: try plan.save(&row)
            case CORM_WRITE_DELETE: _ = try plan.delete(&row)
            default:
                guard let planned else { throw unknownOperation() }
                try plan.update(&row, with: planned)
            }
            index &+= 1
        }
    }

    mutating func receive(_ plan: ModelPlan, _ index: Int) throws {
        let kind: RecordWrite.Kind =
            switch operation {
            case CORM_WRITE_INSERT: .insert
            case CORM_WRITE_SAVE: .save
            case CORM_WRITE_UPDATE: .update
            default: .delete
            }
        let isChanged = try sent.receive(&row, plan, index, kind)
        if isChanged { changed &+= 1 }
        if kind == .delete { row.writer?.bool(isChanged) } else { row.answer(isChanged) }
    }

    private func unknownOperation() -> CormorantError {
        CormorantError(.misuse, "operation \(operation) is unknown", hint: "use one of the CORM_WRITE_ constants")
    }
}

extension MarshalReader {
    /// How many rows come next, of these columns or, nil, of all.
    fileprivate func rows(_ columns: UnsafeBufferPointer<Int32>?, of box: ModelBox) throws -> Int {
        let count = try sequence()
        guard let columns else { return count }
        guard !columns.isEmpty, columns.allSatisfy({ (0..<box.types.count).contains(Int($0)) }) else {
            throw CormorantError(
                .misuse, "\(box.descriptor.name) does not have the columns of the rows", hint: "give their places")
        }
        guard count.isMultiple(of: columns.count) else { throw MarshalReader.damaged() }
        return count / columns.count
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

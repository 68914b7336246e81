public import CCormorant
import CormorantBase
import CormorantORM
import CormorantPlatform
import CormorantThreads

/// A record in memory of its own, and its texts.
private final class OwnedRecord {
    let start: UnsafeMutableRawPointer
    let texts = ScratchMemory(firstSize: 256)

    init(size: Int) throws {
        guard let start = calloc(1, size) else {
            throw CormorantError(.noMemory, "there is no memory for a record", hint: "make the struct smaller")
        }
        self.start = start
    }

    deinit { free(start) }
}

/// Those that were given out, by where they lie: any other pointer is none, and is not touched.
private enum OwnedRecords {
    private static let lock = RecursiveLock(.ownedRecords, outlivesForks: true)
    nonisolated(unsafe) private static var records: [UnsafeMutableRawPointer: OwnedRecord] = [:]

    static func give(_ record: OwnedRecord) -> UnsafeMutableRawPointer {
        _ = lock.locked { records.updateValue(record, forKey: record.start) }
        return record.start
    }

    static func take(_ start: UnsafeMutableRawPointer) -> OwnedRecord? {
        lock.locked { records.removeValue(forKey: start) }
    }
}

@_cdecl("corm_query_first_owned") @implementation
public func corm_query_first_owned(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ query: UnsafePointer<corm_query>?,
    _ outRecord: UnsafeMutableRawPointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        defer { consumeRest(of: query) }
        let box = try requireModel(model)
        guard let outRecord else {
            throw CormorantError(.misuse, "out_record is NULL", hint: "pass where the pointer goes")
        }
        let layout = try box.rows()
        let record = try OwnedRecord(size: layout.size)
        var access = StructRecord(base: record.start, layout: layout, arena: record.texts)
        let given = try GivenQuery(query, of: box.descriptor, takesOne: true)
        if given.isOne {
            try database(handle).onlyRow {
                try openCursor(handle, box, given, limit: 2)
            } _: { cursor in
                try cursor.next { try access.read(from: $0) }
            }
            outRecord.storeBytes(of: OwnedRecords.give(record), as: UnsafeMutableRawPointer?.self)
            return CORM_OK
        }
        let cursor = try openCursor(handle, box, given, limit: 1)
        defer { cursor.close() }
        let found: Void? = try cursor.next { try access.read(from: $0) }
        outRecord.storeBytes(
            of: found.map { OwnedRecords.give(record) }, as: UnsafeMutableRawPointer?.self)
        return found == nil ? CORM_NOT_FOUND : CORM_OK
    }
}

@_cdecl("corm_record_free") @implementation
public func corm_record_free(_ record: UnsafeMutableRawPointer?) {
    guard let record else { return }
    _ = OwnedRecords.take(record)
}

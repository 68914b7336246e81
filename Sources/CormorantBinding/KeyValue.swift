public import CCormorant
public import CCormorantBinding
import CormorantBase
import CormorantC
import CormorantKeyValue

@_cdecl("corm_block_store_get") @implementation
public func corm_block_store_get(
    _ handle: OpaquePointer?, _ key: UnsafePointer<CChar>?, _ size: Int, _ block: UnsafeMutablePointer<corm_block>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let store = try requireStore(handle)
        var writer = MarshalWriter(try require(block, "block"))
        let found = try store.get(keyBytes(key, size)) { try writer.row($0) }
        writer.finish()
        return found ? CORM_OK : CORM_NOT_FOUND
    }
}

@_cdecl("corm_block_store_put") @implementation
public func corm_block_store_put(
    _ handle: OpaquePointer?, _ rows: UnsafeRawPointer?, _ size: Int, _ outCount: UnsafeMutablePointer<Int64>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let store = try requireStore(handle)
        let reader = try MarshalReader(rows, size)
        let count = try reader.sequence()
        var written: Int64 = 0
        if count == 1 {
            written = try reader.put(into: store) ? 1 : 0
        } else {
            try store.batch(count) { _ in if try reader.put(into: store) { written += 1 } }
        }
        outCount?.pointee = written
        return CORM_OK
    }
}

@_cdecl("corm_block_store_expiry") @implementation
public func corm_block_store_expiry(
    _ milliseconds: Int64, _ outExpires: UnsafeMutablePointer<Int64>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try require(outExpires, "out_expires").pointee = KeyValueStore.expiry(milliseconds)
        return CORM_OK
    }
}

extension MarshalReader {
    /// Puts the tuple that comes next: key, json, expires, version and value.
    fileprivate func put(into store: KeyValueStore) throws -> Bool {
        guard case .sequence(5) = try next(), case .text(let key, let size) = try next(),
            case .bool(let isJSON) = try next()
        else { throw MarshalReader.damaged() }
        let (expires, version) = (try optionalInteger("expires"), try optionalInteger("version"))
        let start = position
        return try store.put(
            UnsafeRawBufferPointer(start: key, count: size), isJSON: isJSON, expires: expires, version: version
        ) { statement, index in
            position = start
            try bindNext(to: statement, index, borrowing: true, "the value")
        }
    }

    private func optionalInteger(_ what: String) throws -> Int64? {
        guard case .integer(let integer) = try value(what) else { return nil }
        return integer
    }
}

public import CCormorant
import CormorantBase
import CormorantORM
import CormorantObservation

@_cdecl("corm_database_set_cache") @implementation
public func corm_database_set_cache(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ maxCount: Int64, _ maxBytes: Int64,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try database(handle).setCache(requireModel(model).descriptor, count: maxCount, bytes: maxBytes)
        return CORM_OK
    }
}

@_cdecl("corm_database_cache_statistics") @implementation
public func corm_database_cache_statistics(
    _ handle: OpaquePointer?, _ model: OpaquePointer?,
    _ outStatistics: UnsafeMutablePointer<corm_cache_statistics>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outStatistics, "out_statistics")
        var made = try readStruct(UnsafePointer(out), out.pointee.struct_size, "corm_cache_statistics")
        let found = try database(handle).cacheStatistics(requireModel(model).descriptor)
        (made.hits, made.misses, made.count, made.bytes) = (found.hits, found.misses, found.count, found.bytes)
        writeStruct(made, to: out, made.struct_size)
        return CORM_OK
    }
}

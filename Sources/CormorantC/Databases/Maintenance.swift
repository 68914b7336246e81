public import CCormorant
import CormorantBase
import CormorantORM
import CormorantSQLite

@_cdecl("corm_database_backup") @implementation
public func corm_database_backup(
    _ handle: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ cipher: UnsafePointer<corm_cipher_options>?,
    _ progress: corm_progress_callback?, _ context: UnsafeMutableRawPointer?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let path = try string(path, "path")
        let codecs = try cipherSource(cipher)
        try database(handle).backup(to: path, codecs: codecs, progress: copyProgress("copying", progress, context))
        return CORM_OK
    }
}

@_cdecl("corm_database_vacuum") @implementation
public func corm_database_vacuum(
    _ handle: OpaquePointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try database(handle).vacuum()
        return CORM_OK
    }
}

@_cdecl("corm_database_optimize") @implementation
public func corm_database_optimize(
    _ handle: OpaquePointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try database(handle).optimize()
        return CORM_OK
    }
}

@_cdecl("corm_database_checkpoint") @implementation
public func corm_database_checkpoint(
    _ handle: OpaquePointer?, _ mode: Int32, _ outLogPages: UnsafeMutablePointer<Int64>?,
    _ outCopiedPages: UnsafeMutablePointer<Int64>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let database = try database(handle)
        guard let mode = CheckpointMode(rawValue: mode) else {
            throw CormorantError(
                .misuse, "checkpoint mode \(mode) is unknown", hint: "use one of the CORM_CHECKPOINT_ constants")
        }
        let pages = try database.checkpoint(mode)
        outLogPages?.pointee = pages.log
        outCopiedPages?.pointee = pages.copied
        return CORM_OK
    }
}

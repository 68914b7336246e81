public import CCormorant
import CormorantBase
import CormorantCipher
import CormorantORM
import CormorantSQLite

@_cdecl("corm_cipher_decrypt") @implementation
public func corm_cipher_decrypt(
    _ path: UnsafePointer<CChar>?, _ cipher: UnsafePointer<corm_cipher_options>?, _ progress: corm_progress_callback?,
    _ context: UnsafeMutableRawPointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try recode(
            string(path, "path"), from: requireCipher(cipher), to: nil,
            progress: copyProgress("decrypt", progress, context)
        )
        return CORM_OK
    }
}

@_cdecl("corm_cipher_rekey") @implementation
public func corm_cipher_rekey(
    _ path: UnsafePointer<CChar>?, _ from: UnsafePointer<corm_cipher_options>?,
    _ to: UnsafePointer<corm_cipher_options>?, _ progress: corm_progress_callback?,
    _ context: UnsafeMutableRawPointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try recode(
            string(path, "path"), from: cipherSource(from), to: requireCipher(to),
            progress: copyProgress(from == nil ? "encrypt" : "rekey", progress, context))
        return CORM_OK
    }
}

@_cdecl("corm_cipher_check") @implementation
public func corm_cipher_check(
    _ handle: OpaquePointer?, _ outPages: UnsafeMutablePointer<UInt32>?, _ capacity: Int,
    _ outCount: UnsafeMutablePointer<Int>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let outCount = try require(outCount, "out_count")
        guard capacity == 0 || capacity > 0 && outPages != nil else { throw missingArray("pages") }
        let found = try database(handle).withConnection { try $0.pagesNotAuthentic(limit: capacity) }
        for (index, page) in found.pages.enumerated() { outPages?[index] = page }
        outCount.pointee = found.count
        return CORM_OK
    }
}

@_cdecl("corm_database_attach") @implementation
public func corm_database_attach(
    _ handle: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?,
    _ cipher: UnsafePointer<corm_cipher_options>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let path = try string(path, "path")
        let name = try string(name, "name")
        try database(handle).attach(path, as: name, codecs: cipherSource(cipher))
        return CORM_OK
    }
}

func copyProgress(
    _ step: StaticString, _ callback: corm_progress_callback?, _ context: UnsafeMutableRawPointer?
) -> CopyProgress? {
    guard let callback else { return nil }
    return { pages, total in
        var told = corm_progress()
        told.step = UnsafeRawPointer(step.utf8Start).assumingMemoryBound(to: CChar.self)
        told.count = 1
        told.done = pages
        told.total = total
        return callback(&told, context)
    }
}

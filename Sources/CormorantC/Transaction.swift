public import CCormorant
import CormorantBase
import CormorantORM
import CormorantSQLite

@_cdecl("corm_transaction_begin") @implementation
public func corm_transaction_begin(
    _ handle: OpaquePointer?, _ kind: Int32, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        guard let kind = TransactionKind(rawValue: kind) else {
            throw CormorantError(
                .misuse, "transaction kind \(kind) is unknown", hint: "use one of the CORM_TRANSACTION_ constants")
        }
        try database(handle).begin(kind)
        return CORM_OK
    }
}

@_cdecl("corm_transaction_commit") @implementation
public func corm_transaction_commit(
    _ handle: OpaquePointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try database(handle).commit()
        return CORM_OK
    }
}

@_cdecl("corm_transaction_rollback") @implementation
public func corm_transaction_rollback(
    _ handle: OpaquePointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try database(handle).rollback()
        return CORM_OK
    }
}

@_cdecl("corm_transaction_depth") @implementation
public func corm_transaction_depth(_ handle: OpaquePointer?) -> Int32 {
    (try? database(handle)).map { Int32(clamping: $0.transactionDepth) } ?? 0
}

public import CCormorant
import CormorantBase
import CormorantORM
import CormorantSQLite

@_cdecl("corm_transaction_begin") @implementation
public func corm_transaction_begin(
    _ handle: OpaquePointer?, _ kind: Int32, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try database(handle).begin(transactionKind(kind))
        return CORM_OK
    }
}

private func transactionKind(_ number: Int32) throws -> TransactionKind {
    guard let kind = TransactionKind(rawValue: number) else {
        throw CormorantError(
            .misuse, "transaction kind \(number) is unknown", hint: "use one of the CORM_TRANSACTION_ constants")
    }
    return kind
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

@_cdecl("corm_transaction_open") @implementation
public func corm_transaction_open(
    _ handle: OpaquePointer?, _ kind: Int32, _ task: corm_task_callback?, _ context: UnsafeMutableRawPointer?,
    _ outNumber: UnsafeMutablePointer<Int64>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let outNumber = try require(outNumber, "out_transaction")
        let owner = task.flatMap { task in TransactionOwner { task(context) } }
        outNumber.pointee = try database(handle).open(transactionKind(kind), owner: owner)
        return CORM_OK
    }
}

@_cdecl("corm_transaction_close") @implementation
public func corm_transaction_close(
    _ handle: OpaquePointer?, _ number: Int64, _ commit: Bool, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try database(handle).close(number, committing: commit)
        return CORM_OK
    }
}

@_cdecl("corm_transaction_depth") @implementation
public func corm_transaction_depth(_ handle: OpaquePointer?) -> Int { (try? database(handle))?.transactionDepth ?? 0 }

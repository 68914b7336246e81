public import CCormorant
import CCormorantBinding
import CormorantBase
import CormorantC
import CormorantORM

@_cdecl("corm_block_batch_execute") @implementation
public func corm_block_batch_execute(
    _ handle: OpaquePointer?, _ sql: UnsafePointer<CChar>?, _ bindings: UnsafeRawPointer?, _ size: Int,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let kept = try KeptBlock(bindings, size)
        try requireBatch(handle).add(string(sql, "SQL")) { try bindBlock(kept.data, kept.size, to: $0) }
        return CORM_OK
    }
}

@_cdecl("corm_block_batch_write") @implementation
public func corm_block_batch_write(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ operation: Int32, _ conflict: Int32,
    _ properties: UnsafePointer<CChar>?, _ rows: UnsafeRawPointer?, _ size: Int,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let batch = try requireBatch(handle)
        let box = try requireModel(model)
        let operation = try recordOperation(operation, conflict, updatedNames(properties))
        guard try MarshalReader(rows, size).sequence() == 1 else { throw MarshalReader.damaged() }
        batch.add(operation, KeptRow(try KeptBlock(rows, size), box), of: box.descriptor)
        return CORM_OK
    }
}

@_cdecl("corm_block_batch_add") @implementation
public func corm_block_batch_add(
    _ handle: OpaquePointer?, _ part: corm_block_part?, _ context: UnsafeMutableRawPointer?, _ release: corm_release?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        guard let part else { throw CormorantError(.misuse, "the part is NULL", hint: "pass a function that writes") }
        let batch = try requireBatch(handle)
        let kept = HostContext(context, release)
        batch.add { _ in
            var (changes, key) = (Int64(0), Int64(0))
            var error: OpaquePointer?
            let status = part(kept.context, &changes, &key, &error)
            if status < 0 || error != nil { throw failure(of: "the part of the batch", status, error) }
            return WriteResult(changes: changes, generatedKey: key == 0 ? nil : key)
        }
        return CORM_OK
    }
}

private func recordOperation(_ number: Int32, _ conflict: Int32, _ properties: [String]?) throws -> RecordOperation {
    switch number {
    case CORM_WRITE_INSERT: return .insert(try conflictPolicy(conflict))
    case CORM_WRITE_SAVE: return .save
    case CORM_WRITE_UPDATE: return .update(properties)
    case CORM_WRITE_DELETE: return .delete
    default:
        throw CormorantError(
            .misuse, "operation \(number) is unknown", hint: "use one of the CORM_WRITE_ constants")
    }
}

/// A copy of one marshalled row.
private struct KeptRow: RecordAccess {
    private let block: KeptBlock
    private let box: ModelBox

    init(_ block: KeptBlock, _ box: ModelBox) {
        self.block = block
        self.box = box
    }

    func write(to writer: inout RecordWriter) throws {
        let reader = try MarshalReader(block.data, block.size)
        _ = try reader.sequence()
        try MarshalRow(reader: reader, model: box.descriptor, types: box.types).write(to: &writer)
    }

    mutating func read(from reader: RecordReader) {}
    mutating func readBack(only columns: [Int], from reader: RecordReader) {}
    mutating func setGeneratedKey(_ key: Int64) {}
    mutating func clearGeneratedKey() {}
}

import CCormorant
import CormorantORM
import CormorantPlatform

// How columns lie in Arrow's structs: https://arrow.apache.org/docs/format/CDataInterface.html. The engine's buffers are
// laid out as Arrow's are, so nothing is copied. Each struct's private_data keeps an object that owns what it points to; a
// child has its own, because a consumer may move it out and release it on its own.

extension ColumnKind {
    fileprivate var format: StaticString {
        switch self {
        case .null: "n"
        case .int64: "l"
        case .int32: "i"
        case .uint64: "L"
        case .uint32: "I"
        case .bool: "b"
        case .double: "g"
        case .float: "f"
        case .text: "u"
        case .blob: "z"
        case .time, .moment: "tsu:UTC"
        case .date: "tdD"
        case .timeOfDay: "ttu"
        case .duration: "tDu"
        }
    }
}

func exportedSchema(_ columns: [ResultColumn]) -> ArrowSchema {
    let children = Children(
        columns.map { column in
            let name = CName(column.name)
            var child = ArrowSchema()
            child.format = staticCString(column.kind.format)
            child.name = UnsafePointer(name.start)
            child.flags = column.isOptional ? Int64(ARROW_FLAG_NULLABLE) : 0
            child.release = release(schema:)
            child.private_data = Unmanaged<AnyObject>.passRetained(name).toOpaque()
            return child
        })
    var schema = ArrowSchema()
    schema.format = staticCString("+s")
    schema.name = staticCString("")
    schema.n_children = Int64(columns.count)
    schema.children = children.pointers
    schema.release = release(schema:)
    schema.private_data = Unmanaged<AnyObject>.passRetained(children).toOpaque()
    return schema
}

func exportedArray(_ batch: ColumnBatch) -> ArrowArray {
    let children = Children(batch.columns.map { exportedArray(BufferPointers($0)) })
    var array = ArrowArray()
    array.length = Int64(batch.rowCount)
    array.n_buffers = 1
    array.buffers = children.noBuffer
    array.n_children = Int64(batch.columns.count)
    array.children = children.pointers
    array.release = release(array:)
    array.private_data = Unmanaged<AnyObject>.passRetained(children).toOpaque()
    return array
}

private func exportedArray(_ column: BufferPointers) -> ArrowArray {
    var array = ArrowArray()
    array.length = Int64(column.buffer.rowCount)
    array.null_count = Int64(column.buffer.nullCount)
    array.n_buffers = Int64(column.count)
    array.buffers = column.start
    array.release = release(array:)
    array.private_data = Unmanaged<AnyObject>.passRetained(column).toOpaque()
    return array
}

private func release(schema: UnsafeMutablePointer<ArrowSchema>?) {
    guard let schema, schema.pointee.release != nil else { return }
    for index in 0..<Int(schema.pointee.n_children) {
        guard let child = schema.pointee.children[index], let release = child.pointee.release else { continue }
        release(child)
    }
    let kept = schema.pointee.private_data
    schema.pointee = ArrowSchema()
    if let kept { Unmanaged<AnyObject>.fromOpaque(kept).release() }
}

private func release(array: UnsafeMutablePointer<ArrowArray>?) {
    guard let array, array.pointee.release != nil else { return }
    for index in 0..<Int(array.pointee.n_children) {
        guard let child = array.pointee.children[index], let release = child.pointee.release else { continue }
        release(child)
    }
    let kept = array.pointee.private_data
    array.pointee = ArrowArray()
    if let kept { Unmanaged<AnyObject>.fromOpaque(kept).release() }
}

/// The memory of a struct's children.
private final class Children<Child> {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<Child>?>
    /// The one buffer of a struct array, its validity, is not there.
    let noBuffer: UnsafeMutablePointer<UnsafeRawPointer?>
    private let children: UnsafeMutablePointer<Child>

    init(_ list: [Child]) {
        children = .allocate(capacity: list.count)
        pointers = .allocate(capacity: list.count)
        for (index, child) in list.enumerated() {
            (children + index).initialize(to: child)
            (pointers + index).initialize(to: children + index)
        }
        noBuffer = .allocate(capacity: 1)
        noBuffer.initialize(to: nil)
    }

    deinit {
        noBuffer.deallocate()
        pointers.deallocate()
        children.deallocate()
    }
}

/// A column's buffers in Arrow's order.
private final class BufferPointers {
    let buffer: ColumnBuffer
    let start: UnsafeMutablePointer<UnsafeRawPointer?>
    let count: Int

    init(_ buffer: ColumnBuffer) {
        self.buffer = buffer
        start = .allocate(capacity: 3)
        start.initialize(repeating: nil, count: 3)
        start[0] = UnsafeRawPointer(buffer.validity)
        if buffer.kind == .null {
            count = 0
        } else if let offsets = buffer.offsets {
            count = 3
            start[1] = UnsafeRawPointer(offsets)
            start[2] = UnsafeRawPointer(buffer.values)
        } else {
            count = 2
            start[1] = UnsafeRawPointer(buffer.values)
        }
    }

    deinit { start.deallocate() }
}

private final class CName {
    let start: UnsafeMutablePointer<CChar>?

    init(_ name: String) { start = strdup(name) }

    deinit { free(start) }
}

import CCormorant
import CormorantBase
import CormorantORM
import CormorantPlatform

/// A column reader as an Arrow stream: https://arrow.apache.org/docs/format/CStreamInterface.html
package final class ColumnStream {
    private let reader: ColumnReader
    /// Whether another has taken its reader over.
    private var isMovedOut = false
    private var lastError: UnsafeMutablePointer<CChar>?

    package init(_ reader: ColumnReader) { self.reader = reader }

    deinit { free(lastError) }

    /// Another stream of the same rows, where none was read from this one, which has none any more. Some look at a
    /// stream's schema, and ask for it again to read it.
    package func movedOut() throws -> ColumnStream {
        guard !reader.isBegun else { throw ColumnStream.gone() }
        isMovedOut = true
        return ColumnStream(reader)
    }

    private static func gone() -> CormorantError {
        CormorantError(.misuse, "the rows were read, or given out again", hint: "run the query again")
    }

    private func next() throws -> ColumnBatch? {
        guard !isMovedOut else { throw ColumnStream.gone() }
        return try reader.next()
    }

    /// The stream, which keeps this object until it is released.
    package func exported() -> ArrowArrayStream {
        var stream = ArrowArrayStream()
        stream.get_schema = { stream, out in
            run(stream) { out?.pointee = exportedSchema($0.reader.columns) }
        }
        stream.get_next = { stream, out in
            // An array that reads as released is the end.
            run(stream) { out?.pointee = try $0.next().map(exportedArray) ?? ArrowArray() }
        }
        stream.get_last_error = { stream in UnsafePointer(object(stream)?.lastError) }
        stream.release = { stream in
            guard let stream, stream.pointee.release != nil else { return }
            if let kept = stream.pointee.private_data { Unmanaged<ColumnStream>.fromOpaque(kept).release() }
            stream.pointee = ArrowArrayStream()
        }
        stream.private_data = Unmanaged.passRetained(self).toOpaque()
        return stream
    }

    fileprivate func remember(_ error: (any Error)?) {
        free(lastError)
        lastError = error.flatMap { strdup(text(of: $0)) }
    }
}

private func object(_ stream: UnsafeMutablePointer<ArrowArrayStream>?) -> ColumnStream? {
    guard let kept = stream?.pointee.private_data else { return nil }
    return Unmanaged<ColumnStream>.fromOpaque(kept).takeUnretainedValue()
}

/// With the status by name in front, which an errno does not say.
private func text(of error: any Error) -> String {
    guard let error = error as? CormorantError, let name = corm_status_name(error.code.rawValue) else {
        return String(describing: error)
    }
    return "\(String(cString: name)): \(error.plainMessage)" + (error.plainHint.map { " (\($0))" } ?? "")
}

/// What `boundary` is to the other exports.
private func run(_ stream: UnsafeMutablePointer<ArrowArrayStream>?, _ body: (ColumnStream) throws -> Void) -> Int32 {
    guard let stream = object(stream) else { return EINVAL }
    do {
        try body(stream)
        stream.remember(nil)
        return 0
    } catch {
        stream.remember(error)
        switch (error as? CormorantError)?.code {
        case .noMemory: return ENOMEM
        case .io: return EIO
        case .interrupted: return EINTR
        case .busy: return EBUSY
        default: return EINVAL
        }
    }
}

import CCormorant
import CormorantBase
import CormorantORM

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A column reader as an Arrow stream: https://arrow.apache.org/docs/format/CStreamInterface.html
final class ColumnStream {
    private let reader: ColumnReader
    private var lastError: UnsafeMutablePointer<CChar>?

    init(_ reader: ColumnReader) { self.reader = reader }

    deinit { free(lastError) }

    /// The stream, which keeps this object until it is released.
    func exported() -> ArrowArrayStream {
        var stream = ArrowArrayStream()
        stream.get_schema = { stream, out in
            run(stream) { out?.pointee = exportedSchema($0.reader.columns) }
        }
        stream.get_next = { stream, out in
            // An array that reads as released is the end.
            run(stream) { out?.pointee = try $0.reader.next().map(exportedArray) ?? ArrowArray() }
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
        lastError = error.flatMap { strdup(String(describing: $0)) }
    }
}

private func object(_ stream: UnsafeMutablePointer<ArrowArrayStream>?) -> ColumnStream? {
    guard let kept = stream?.pointee.private_data else { return nil }
    return Unmanaged<ColumnStream>.fromOpaque(kept).takeUnretainedValue()
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

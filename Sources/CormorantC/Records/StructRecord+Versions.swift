/// The versions of structs side by side, before they are written: what is rolled back has its own again.
struct SavedVersions {
    private let first: UnsafeMutableRawPointer
    private let layout: StructLayout
    private let bytes: [UInt8]

    /// - Parameter record: the first of `count`.
    init(_ record: StructRecord, count: Int) {
        (first, layout) = (record.base, record.layout)
        guard let field = layout.version else {
            bytes = []
            return
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count &* field.size)
        for index in 0..<count {
            let place = first + index &* record.layout.size + field.offset
            bytes += UnsafeRawBufferPointer(start: place, count: field.size)
        }
        self.bytes = bytes
    }

    func restore() {
        guard let field = layout.version else { return }
        bytes.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: field.size) {
                let place = first + start / field.size &* layout.size + field.offset
                place.copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + field.size]).baseAddress
                        ?? UnsafeRawPointer(place), byteCount: field.size)
            }
        }
    }
}

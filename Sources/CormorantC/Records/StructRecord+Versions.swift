/// The versions and times of structs side by side, before they are written: what is rolled back has its own again.
struct SavedVersions {
    private let first: UnsafeMutableRawPointer
    private let layout: StructLayout
    /// Those of each record after each other.
    private let bytes: [UInt8]

    /// - Parameter record: the first of `count`.
    init(_ record: StructRecord, count: Int) {
        (first, layout) = (record.base, record.layout)
        guard !layout.counted.isEmpty else {
            bytes = []
            return
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count &* layout.counted.reduce(0) { $0 &+ $1.size })
        for index in 0..<count {
            for field in layout.counted {
                let place = first + index &* record.layout.size + field.offset
                bytes += UnsafeRawBufferPointer(start: place, count: field.size)
            }
        }
        self.bytes = bytes
    }

    func restore() {
        var start = 0
        var index = 0
        while start < bytes.count {
            for field in layout.counted {
                let place = first + index &* layout.size + field.offset
                UnsafeMutableRawBufferPointer(start: place, count: field.size)
                    .copyBytes(from: bytes[start..<start + field.size])
                start += field.size
            }
            index += 1
        }
    }
}

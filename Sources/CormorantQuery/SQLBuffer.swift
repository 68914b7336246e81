/// SQL text while it is written, as bytes: appending to a `String` costs three times as much (benchmarks: compile).
struct SQLBuffer {
    private var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(256) }

    /// How many bytes there are.
    var count: Int { bytes.count }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    @inline(__always)
    static func += (buffer: inout SQLBuffer, text: String) {
        var text = text
        text.withUTF8 { buffer.bytes.append(contentsOf: $0) }
    }

    mutating func insert(_ text: String, at offset: Int) { bytes.insert(contentsOf: text.utf8, at: offset) }
}

/// SQL text while it is written, as bytes: appending to a `String` costs five times as much, to an array of bytes twice
/// (benchmarks: compile).
final class SQLBuffer {
    private var bytes = UnsafeMutableRawPointer.allocate(byteCount: 256, alignment: 1)
    private var capacity = 256
    /// How many bytes there are.
    private(set) var count = 0

    deinit { bytes.deallocate() }

    var text: String { String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self) }

    /// Not inlined: in each of the hundreds of places that write something it made this module's code a tenth larger.
    @inline(never)
    static func += (buffer: SQLBuffer, text: String) {
        var text = text
        text.withUTF8 { buffer.append($0) }
    }

    func insert(_ text: String, at offset: Int) {
        let tail = [UInt8](UnsafeRawBufferPointer(start: bytes + offset, count: count - offset))
        count = offset
        self += text
        tail.withUnsafeBufferPointer { append($0) }
    }

    @inline(__always)
    private func append(_ more: UnsafeBufferPointer<UInt8>) {
        guard let start = more.baseAddress else { return }
        if more.count > capacity - count { grow(by: more.count) }
        (bytes + count).copyMemory(from: start, byteCount: more.count)
        count += more.count
    }

    private func grow(by more: Int) {
        capacity = max(2 * capacity, count + more)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 1)
        larger.copyMemory(from: bytes, byteCount: count)
        bytes.deallocate()
        bytes = larger
    }
}

/// The pipes to the compiler: each message is JSON with its length before it, in eight bytes, the lowest first.
struct Connection {
    private let input: CInt
    private let output: CInt

    /// What the compiler sends is source text; longer ones are none.
    private static let longest = 1 << 30

    /// Over standard input and output.
    init() {
        input = STDIN_FILENO
        output = STDOUT_FILENO
    }

    /// - Returns: the bytes of the next message; nil where the compiler has no more.
    func receive() -> [UInt8]? {
        guard let header = bytes(8) else { return nil }
        let length = header.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard length > 0 && length <= UInt64(Self.longest) else { return nil }
        return bytes(Int(length))
    }

    /// - Returns: false where nobody listens any more.
    func send(_ message: [UInt8]) -> Bool {
        let length = UInt64(message.count)
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: length >> ($0 * 8)) } + message
        return bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let written = write(
                    output, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if written < 0 && errno == EINTR { continue }
                guard written > 0 else { return false }
                rest = rest.dropFirst(written)
            }
            return true
        }
    }

    private func bytes(_ count: Int) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let found = read(input, buffer.baseAddress! + filled, count - filled)
                if found < 0 && errno == EINTR { continue }
                guard found > 0 else { return }
                filled += found
            }
        }
        return bytes.count == count ? bytes : nil
    }
}

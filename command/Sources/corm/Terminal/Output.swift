import CormorantBase
import CormorantPlatform

/// Who reads standard output has closed it: the command ends, and says nothing.
struct OutputClosed: Error {}

/// What a command writes to standard output or a file, in large blocks.
final class Output: @unchecked Sendable {  // used by the main thread alone
    static let standard = Output(1, "standard output")

    private let descriptor: Int32
    /// What messages call it.
    private let name: String
    /// What takes the blocks in place of a file.
    private let sink: (([UInt8]) throws -> Void)?
    private var buffer: [UInt8] = []

    init(_ descriptor: Int32, _ name: String) {
        self.descriptor = descriptor
        self.name = name
        sink = nil
    }

    init(_ name: String, sink: @escaping ([UInt8]) throws -> Void) {
        descriptor = -1
        self.name = name
        self.sink = sink
    }

    /// A text for a person, of one line or several: nothing in it commands the terminal.
    func write(_ text: String) throws { try write(bytes: printable(text, on: .output).utf8) }

    func write(bytes: some Sequence<UInt8>) throws {
        buffer.append(contentsOf: bytes)
        if buffer.count >= 65_536 { try flush() }
    }

    func line(_ text: String = "") throws {
        try write(text)
        try write("\n")
    }

    /// A line for a program, as it is.
    func data(_ line: String) throws {
        try write(bytes: line.utf8)
        try write("\n")
    }

    func flush() throws {
        defer { buffer.removeAll(keepingCapacity: true) }
        if let sink { return try sink(buffer) }
        try buffer.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count, let base = bytes.baseAddress {
                let step = Self.write(descriptor, base + written, bytes.count - written)
                if step >= 0 {
                    written += step
                } else if errno == EPIPE {
                    throw OutputClosed()
                } else if errno != EINTR {
                    throw CormorantError(
                        .io, "\(name) cannot be written: \(String(cString: strerror(errno)))",
                        hint: "write it elsewhere, or make room")
                } else {
                    try Interruption.check()
                }
            }
        }
    }

    private static func write(_ descriptor: Int32, _ base: UnsafeRawPointer, _ count: Int) -> Int {
        CormorantPlatform.write(descriptor, base, count)
    }

    /// Writes a text for a person to standard error at once. A failure there has nowhere to be told.
    static func error(_ text: String) { command(printable(text, on: .error)) }

    /// Writes to the terminal of standard error what is to command it, too.
    static func command(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { bytes in bytes.baseAddress.map { write(2, $0, bytes.count) } }
    }

    /// Writing to a closed pipe, or beyond the greatest size of a file (`ulimit -f`), then fails, so that the command can put
    /// things away before it ends.
    static func ignoreWriteSignals() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }
}

func exitProcess(_ status: Int32) -> Never { exit(status) }

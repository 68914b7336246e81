import CormorantBase
import CormorantCipher
import CormorantPlatform
import CormorantSQLite
import CormorantThreads

/// Reads keys from files, the environment and the terminal, each of them once. What is read is wiped.
enum SecretReader {
    /// By what was read; the main thread's alone.
    nonisolated(unsafe) private static var keys: [String: CipherKey] = [:]
    /// More than any key has.
    private static let limit = 16 << 20

    /// The content of a file without a newline at its end.
    static func key(file path: String) throws -> CipherKey {
        try once("file \(path)") {
            guard path != "-" else {
                throw CormorantError(
                    .misuse, "a key is not read from standard input", hint: "name a file, or set CORM_KEY")
            }
            let file = open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { throw unreadable(path, errno) }
            defer { close(file) }
            return try key(from: file, of: "\"\(visible(path))\"") { unreadable(path, $0) }
        }
    }

    /// The value of a variable, which is then no longer in the environment of this process and of those it starts; nil where
    /// it is not set.
    static func key(variable: String) throws -> CipherKey? {
        if let key = keys["variable \(variable)"] { return key }
        guard let value = getenv(variable) else { return nil }
        let count = strlen(value)
        defer {
            wipe(value, count)
            unsetenv(variable)
        }
        return try once("variable \(variable)") {
            try key(UnsafeRawBufferPointer(start: value, count: count), of: variable)
        }
    }

    /// Asks for the key of a file; nil where nobody is there to answer.
    static func ask(once path: String) throws -> CipherKey? {
        guard canAsk else { return nil }
        return try once("answer for \(path)") { try answer("Key for \(visible(path))") }
    }

    /// Asks for a key that is yet to be used, until the same was typed twice.
    static func askTwice(_ question: String) throws -> CipherKey? {
        guard canAsk else { return nil }
        return try withAnswer(question) { first in
            try withAnswer("The same again") { second in
                guard first.elementsEqual(second) else {
                    throw CormorantError(.misuse, "the two keys differ", hint: "nothing was changed; try again")
                }
            }
            return try key(first, of: "the answer")
        }
    }

    private static func once(_ name: String, _ read: () throws -> CipherKey) rethrows -> CipherKey {
        if let key = keys[name] { return key }
        let key = try read()
        keys[name] = key
        return key
    }

    static func key(_ bytes: UnsafeRawBufferPointer, of source: String) throws -> CipherKey {
        guard !bytes.isEmpty else {
            throw CormorantError(.misuse, "the key in \(source) is empty", hint: "give a passphrase or a raw key")
        }
        return try CipherKey(bytes: bytes)
    }

    private static func key(
        from file: Int32, of source: String, _ failure: (Int32) -> CormorantError
    ) throws -> CipherKey {
        try withBytes(of: file, until: nil, failure) { bytes in
            try key(UnsafeRawBufferPointer(rebasing: bytes.last == 0x0A ? bytes.dropLast() : bytes[...]), of: source)
        }
    }

    /// Reads to the end of the file, or up to a byte.
    private static func withBytes<Result>(
        of file: Int32, until end: UInt8?, _ failure: (Int32) -> CormorantError,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 8)
        defer { discard(buffer) }
        var count = 0
        while end == nil || count == 0 || buffer[count - 1] != end {
            if count == buffer.count {
                guard count < limit else {
                    throw CormorantError(.tooBig, "a key has 16 MB at most", hint: "check the file")
                }
                let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * count, alignment: 8)
                larger.copyMemory(from: UnsafeRawBufferPointer(buffer))
                discard(buffer)
                buffer = larger
            }
            guard let start = buffer.baseAddress else { break }
            try Interruption.waitToRead(file)
            let step = read(file, start + count, end == nil ? buffer.count - count : 1)
            if step == 0 { break }
            if step < 0, errno == EINTR {
                try Interruption.check()
                continue
            }
            guard step > 0 else { throw failure(errno) }
            count += step
        }
        return try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }

    private static func discard(_ buffer: UnsafeMutableRawBufferPointer) {
        if let start = buffer.baseAddress { wipe(start, buffer.count) }
        buffer.deallocate()
    }

    private static func unreadable(_ path: String, _ number: Int32) -> CormorantError {
        CormorantError(
            .cannotOpen, "the key file \"\(visible(path))\" cannot be read: \(String(cString: strerror(number)))",
            hint: "check the path and its permissions")
    }

    // The terminal --------------------------------------------------------------------------------------------------

    private static var canAsk: Bool { isatty(0) == 1 && Terminal.error.isThere }

    private static func answer(_ question: String) throws -> CipherKey {
        try withAnswer(question) { try key($0, of: "the answer") }
    }

    /// What a person types on a line, which is not shown.
    private static func withAnswer<Result>(
        _ question: String, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        var shown = termios()
        guard tcgetattr(0, &shown) == 0 else { throw unreadable("terminal", errno) }
        lock.lock()
        settings = shown
        lock.unlock()
        // Also when Ctrl-C ends the command at once.
        Interruption.onRequest { restoreTerminal() }
        shown.c_lflag = shown.c_lflag & ~tcflag_t(ECHO) | tcflag_t(ECHONL)
        guard tcsetattr(0, TCSAFLUSH, &shown) == 0 else { throw unreadable("terminal", errno) }
        defer { restoreTerminal() }
        Output.error("\(question): ")
        do {
            return try withBytes(of: 0, until: 0x0A, { unreadable("terminal", $0) }) { bytes in
                restoreTerminal()
                return try body(UnsafeRawBufferPointer(rebasing: bytes.last == 0x0A ? bytes.dropLast() : bytes[...]))
            }
        } catch let error as CormorantError where error.code == .interrupted {
            Output.error("\n")
            throw error
        }
    }

    private static let lock = RecursiveLock(.binding)
    /// Those of the terminal before a question was asked, until it is answered; `lock` guards them.
    nonisolated(unsafe) private static var settings: termios?

    private static func restoreTerminal() {
        lock.lock()
        defer { lock.unlock() }
        guard var before = settings else { return }
        settings = nil
        tcsetattr(0, TCSAFLUSH, &before)
    }
}

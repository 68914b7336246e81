import CormorantBase
import CormorantPlatform
import CormorantSQLite

/// All of standard input as text.
func readStandardInput() throws -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
        try Interruption.waitToRead(0)
        let count = read(0, &chunk, chunk.count)
        if count == 0 { break }
        if count < 0, errno == EINTR {
            try Interruption.check()
            continue
        }
        guard count > 0 else {
            throw CormorantError(.io, "standard input cannot be read: \(String(cString: strerror(errno)))")
        }
        bytes += chunk[..<count]
        guard bytes.count < 1 << 30 else {
            throw CormorantError(.tooBig, "standard input has a gigabyte or more", hint: "give it less")
        }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
        throw CormorantError(.encoding, "standard input is not UTF-8", hint: "give it as UTF-8")
    }
    return text
}

/// A text file that must be there.
func readTextFile(_ path: String) throws -> String {
    do {
        if let text = try readText(path) { return text }
    } catch let error as CormorantError where error.code == .io || error.code == .cannotOpen {
        // A signal ends the wait for a pipe.
        try Interruption.check()
        throw error
    }
    throw CormorantError(.cannotOpen, "there is no file \"\(visible(path))\"", hint: "check the path")
}

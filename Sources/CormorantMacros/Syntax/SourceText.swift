/// A piece of a program's text that the compiler sent, and where it stands.
final class SourceText: Sendable {
    let bytes: [UInt8]
    /// The file's path; empty where the text is in no file.
    let file: String
    /// Of the first byte in the file, in bytes.
    let offset: Int

    init(_ text: String, file: String = "", offset: Int = 0) {
        bytes = Array(text.utf8)
        self.file = file
        self.offset = offset
    }
}

/// A stretch of source text, from the start of its first token to the end of its last.
struct SourceRange {
    let source: SourceText
    /// In bytes of the source.
    let bytes: Range<Int>

    var text: String { String(decoding: source.bytes[bytes], as: UTF8.self) }
}

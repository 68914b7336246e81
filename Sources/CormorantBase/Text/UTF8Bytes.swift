/// Whether bytes are well-formed UTF-8. The common case, ASCII, is checked eight bytes at a time.
@inlinable
package func isValidUTF8(_ bytes: UnsafeRawPointer, count: Int) -> Bool {
    let ascii = countOfASCII(bytes, count: count)
    return ascii == count || isValidMultibyte(bytes + ascii, count: count &- ascii)
}

/// How many bytes stand before the first that is not ASCII.
@inlinable
package func countOfASCII(_ bytes: UnsafeRawPointer, count: Int) -> Int {
    var index = 0
    while index &+ 8 <= count {
        if bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 != 0 { break }
        index &+= 8
    }
    while index < count, bytes.load(fromByteOffset: index, as: UInt8.self) & 0x80 == 0 { index &+= 1 }
    return index
}

extension String {
    /// A copy of bytes; nil where they are not well-formed UTF-8.
    @inlinable
    package init?(checkingUTF8 bytes: UnsafeBufferPointer<UInt8>) {
        guard let base = bytes.baseAddress else {
            self = ""
            return
        }
        let ascii = countOfASCII(base, count: bytes.count)
        if ascii < bytes.count, !isValidMultibyte(base + ascii, count: bytes.count &- ascii) { return nil }
        #if canImport(Darwin)
            // A span of UTF-8 is of macOS 26.
            self.init(decoding: bytes, as: UTF8.self)
        #else
            // Not checked once more.
            self.init(copying: UTF8Span(unchecked: bytes.span, isKnownASCII: ascii == bytes.count))
        #endif
    }
}

/// Source: the table of well-formed byte sequences, Unicode Standard, table 3-7.
@usableFromInline @inline(never)
package func isValidMultibyte(_ bytes: UnsafeRawPointer, count: Int) -> Bool {
    var index = 0
    func byte(_ at: Int) -> UInt8 { bytes.load(fromByteOffset: at, as: UInt8.self) }
    while index < count {
        let lead = byte(index)
        let length: Int
        var low: UInt8 = 0x80
        var high: UInt8 = 0xBF
        switch lead {
        case 0x00...0x7F:
            index &+= 1
            continue
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, low) = (3, 0xA0)
        case 0xED: (length, high) = (3, 0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, low) = (4, 0x90)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, high) = (4, 0x8F)
        default: return false
        }
        guard index &+ length <= count else { return false }
        guard byte(index &+ 1) >= low, byte(index &+ 1) <= high else { return false }
        var next = 2
        while next < length {
            guard byte(index &+ next) & 0xC0 == 0x80 else { return false }
            next &+= 1
        }
        index &+= length
    }
    return true
}

/// Substring search over bytes.
package func contains(_ text: String, _ part: String) -> Bool { byteOffset(of: part, in: text) != nil }

/// Where a part begins for the first time.
package func byteOffset(of part: String, in text: String) -> Int? {
    let text = Array(text.utf8)
    let part = Array(part.utf8)
    guard text.count >= part.count else { return nil }
    return (0...(text.count - part.count)).first { text[$0..<($0 + part.count)].elementsEqual(part) }
}

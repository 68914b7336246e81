import CormorantBase
import CormorantPlatform

/// What a browser asks for.
struct HTTPRequest {
    var method: String
    /// Without what follows a `?`; not decoded, for no path of ours needs it.
    var path: String
    var query: [String: String] = [:]
    /// Their names in lower case.
    var headers: [String: String]
    /// Bytes of the body.
    var length: Int
    var body: [UInt8] = []

    var keepsAlive: Bool { headers["connection"]?.lowercased() != "close" }

    /// Bytes of the first line and all headers, and of a body.
    static let greatestHead = 16 << 10
    static let greatestBody = 8 << 20
}

/// A request that is answered with a status and one line of text; the connection ends behind it.
struct HTTPFailure: Error {
    var status: Int
    var text: String
}

extension HTTPRequest {
    /// Headers that say something here. Two of one, and one of them could be meant for somebody else.
    private static let single = [
        "connection", "content-length", "content-type", "cookie", "host", "origin", "sec-fetch-site",
        "transfer-encoding",
    ]

    /// Reads the head of a request. Source: RFC 9112, without what no browser sends: folded lines, a line feed that ends a line alone,
    /// blanks before a colon, and a list of lengths.
    init(head bytes: ArraySlice<UInt8>) throws(HTTPFailure) {
        guard bytes.withUnsafeBytes({ isValidUTF8($0.baseAddress, $0.count) }) else {
            throw HTTPFailure(status: 400, text: "the request is no text")
        }
        var lines = Self.lines(bytes)
        guard lines.allSatisfy({ $0.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } }) else {
            throw HTTPFailure(status: 400, text: "the request has control characters")
        }
        let words = lines.removeFirst().split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 3, words[0].isToken, words[1].first == UInt8(ascii: "/"),
            words[1].allSatisfy({ 0x21...0x7E ~= $0 })
        else { throw HTTPFailure(status: 400, text: "the first line is no request") }
        let version = words[2].text
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            throw HTTPFailure(status: 505, text: "only HTTP/1.1 is spoken here")
        }
        headers = version == "HTTP/1.0" ? ["connection": "close"] : [:]
        for line in lines {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), line[..<colon].isToken else {
                throw HTTPFailure(status: 400, text: "a header has no name")
            }
            let name = line[..<colon].text.lowercased()
            guard headers[name] == nil || !Self.single.contains(name) else {
                throw HTTPFailure(status: 400, text: "a header comes twice")
            }
            headers[name] = trimmed(line[(colon + 1)...].text[...])
        }
        guard headers["transfer-encoding"] == nil else {
            throw HTTPFailure(status: 501, text: "send a body with its length")
        }
        length = try Self.length(headers["content-length"])
        let target = words[1].text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        method = words[0].text
        path = String(target[0])
        for pair in target.count > 1 ? target[1].split(separator: "&") : [] {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            query[unescaped(parts[0])] = parts.count > 1 ? unescaped(parts[1]) : ""
        }
    }

    private static func lines(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = bytes.startIndex
        for place in bytes.indices where bytes[place] == 0x0A && place > start && bytes[place - 1] == 0x0D {
            lines.append(bytes[start..<place - 1])
            start = place + 1
        }
        return lines + [bytes[start...]]
    }

    private static func length(_ text: String?) throws(HTTPFailure) -> Int {
        guard let text else { return 0 }
        guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let length = Int(text) else {
            throw HTTPFailure(status: 400, text: "the length of the body is no number")
        }
        guard length <= greatestBody else {
            throw HTTPFailure(status: 413, text: "the body is longer than \(greatestBody) bytes")
        }
        return length
    }

    /// The value of a cookie.
    func cookie(_ name: String) -> String? {
        for pair in (headers["cookie"] ?? "").split(separator: ";") {
            let parts = trimmed(pair).split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0] == name { return String(parts[1]) }
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }

    /// Whether it may be a method, or the name of a header.
    fileprivate var isToken: Bool {
        !isEmpty
            && allSatisfy { byte in
                0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }
}

private func isValidUTF8(_ base: UnsafeRawPointer?, _ count: Int) -> Bool {
    guard let base else { return true }
    return CormorantBase.isValidUTF8(base.assumingMemoryBound(to: UInt8.self), count: count)
}

private func trimmed(_ text: Substring) -> String {
    var text = text
    while text.first == " " || text.first == "\t" { text.removeFirst() }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return String(text)
}

/// The text of a part of a query; what is no escape stays as it is.
private func unescaped(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%"), rest.count >= 2,
            let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
        else {
            bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
            continue
        }
        bytes.append(value)
        rest = rest.dropFirst(2)
    }
    return String(decoding: bytes, as: UTF8.self)
}

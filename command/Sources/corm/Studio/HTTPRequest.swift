import CormorantBase
import CormorantPlatform

/// What a browser asks for.
struct HTTPRequest {
    var method: String
    /// Without what follows a `?`; not decoded, for no path of ours needs it.
    var path: String
    var query: [String: String]
    /// Their names in lower case.
    var headers: [String: String]
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
    /// Reads the head of a request. Source: RFC 9112, without what no browser sends: folded lines, and a list of lengths.
    init(head bytes: ArraySlice<UInt8>) throws(HTTPFailure) {
        guard !bytes.contains(0), bytes.withUnsafeBytes({ isValidUTF8($0.baseAddress, $0.count) }) else {
            throw HTTPFailure(status: 400, text: "the request is no text")
        }
        var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines.removeFirst().split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[1].hasPrefix("/") else {
            throw HTTPFailure(status: 400, text: "the first line is no request")
        }
        guard words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else {
            throw HTTPFailure(status: 505, text: "only HTTP/1.1 is spoken here")
        }
        var headers: [String: String] = words[2] == "HTTP/1.0" ? ["connection": "close"] : [:]
        for line in lines where !line.isEmpty {
            guard let colon = line.firstIndex(of: ":"), line.first != " ", line.first != "\t" else {
                throw HTTPFailure(status: 400, text: "a header has no name")
            }
            let name = line[..<colon].lowercased()
            let value = trimmed(line[line.index(after: colon)...])
            guard headers[name] == nil || !["host", "content-length", "origin", "cookie"].contains(name) else {
                throw HTTPFailure(status: 400, text: "a header comes twice")
            }
            headers[name] = value
        }
        guard headers["transfer-encoding"] == nil else {
            throw HTTPFailure(status: 501, text: "send a body with its length")
        }
        let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        method = String(words[0])
        path = String(target[0])
        query = [:]
        self.headers = headers
        for pair in target.count > 1 ? target[1].split(separator: "&") : [] {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            query[unescaped(parts[0])] = parts.count > 1 ? unescaped(parts[1]) : ""
        }
    }

    /// Bytes of the body.
    func length() throws(HTTPFailure) -> Int {
        guard let text = headers["content-length"] else { return 0 }
        guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let length = Int(text) else {
            throw HTTPFailure(status: 400, text: "the length of the body is no number")
        }
        guard length <= Self.greatestBody else {
            throw HTTPFailure(status: 413, text: "the body is longer than \(Self.greatestBody) bytes")
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

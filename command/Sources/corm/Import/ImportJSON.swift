import CormorantBase
import CormorantORM

/// Reads objects: the elements of an array, or one on each line.
final class JSONRecordReader: RecordReader {
    private(set) var names: [String] = []
    private(set) var fields: [ImportField] = []
    private(set) var line = 0
    private(set) var text = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    var position: Int64 { buffer.position - Int64(buffer.end - buffer.start) }

    private var buffer: ImportBuffer
    private let isLines: Bool
    private var state = State.start
    private var nextLine = 1
    /// Where bytes that were dropped came from, for messages.
    private var offset = 0
    /// Positions of the names, by their bytes.
    private var places: [[UInt8]: Int] = [:]
    /// The place of the key that comes next where objects have their keys in one order.
    private var expected = 0
    /// Texts without their escapes.
    private var unescaped = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
    private var unescapedCapacity = 1
    private var unescapedCount = 0

    private enum State {
        case start
        case element(isFirst: Bool)
        case end
    }

    /// - Parameter isLines: whether there is an object on each line, instead of an array.
    init(_ source: any ImportSource, isLines: Bool) throws {
        buffer = ImportBuffer(source)
        self.isLines = isLines
        try buffer.skipMark()
    }

    deinit {
        buffer.free()
        unescaped.deallocate()
    }

    func next() throws -> ImportOutcome {
        let known = names.count
        let outcome = isLines ? try nextLineRecord() : try nextElement()
        if case .malformed = outcome, names.count > known {
            // What no record has is no field.
            for name in names[known...] { places[Array(name.utf8)] = nil }
            names.removeLast(names.count - known)
            fields.removeLast(fields.count - known)
        }
        return outcome
    }

    // MARK: Lines

    private func nextLineRecord() throws -> ImportOutcome {
        while true {
            var length: Int?
            var looked = 0
            repeat {
                let rest = self.rest
                length = rest[looked...].firstIndex(of: 0x0A).map { $0 + 1 }
                looked = rest.count
            } while try length == nil && buffer.fill()
            let count = length ?? rest.count
            if count == 0 { return .end }
            guard length != nil || buffer.isComplete else {
                throw CormorantError(.json, "line \(nextLine) is longer than 64 MB", hint: "split it")
            }
            let record = UnsafeBufferPointer(rebasing: rest[..<count])
            var scanner = scanner(record)
            drop(record)
            scanner.skipSpace()
            if scanner.position == record.count { continue }
            do {
                let outcome = try object(&scanner)
                scanner.skipSpace()
                guard scanner.position == record.count else { return .malformed("text follows the object") }
                return outcome
            } catch let fault as JSONFault {
                return .malformed(fault.message)
            }
        }
    }

    // MARK: An array

    private func nextElement() throws -> ImportOutcome {
        while true {
            var scanner = scanner(rest)
            do {
                switch state {
                case .end: return try ending(&scanner)
                case .start:
                    scanner.skipSpace()
                    guard scanner.next == UInt8(ascii: "[") else {
                        throw scanner.malformed("expected an array of objects")
                    }
                    scanner.position += 1
                    drop(scanner.position)
                    state = .element(isFirst: true)
                    continue
                case .element(let isFirst):
                    scanner.skipSpace()
                    if scanner.take("]") {
                        drop(scanner.position)
                        state = .end
                        continue
                    }
                    if !isFirst {
                        guard scanner.take(",") else { throw scanner.malformed("expected , or ]") }
                        scanner.skipSpace()
                    }
                    let start = scanner.position
                    var ahead = scanner
                    try ahead.skipValue()
                    let outcome = try object(&scanner)
                    drop(start)
                    drop(UnsafeBufferPointer(rebasing: rest[..<(ahead.position - start)]))
                    state = .element(isFirst: false)
                    return outcome
                }
            } catch let fault as JSONFault {
                // What is wrong at the end of what is there may be right with what follows.
                guard try buffer.fill() else {
                    guard buffer.isComplete || !fault.isCutShort else {
                        let line = nextLine + rest.prefix { $0 <= 0x20 || $0 == UInt8(ascii: ",") }.count { $0 == 0x0A }
                        throw CormorantError(
                            .json, "the record in line \(line) is longer than 64 MB",
                            hint: "split it; nothing was imported")
                    }
                    throw CormorantError(
                        .json, "the document is no JSON: \(fault.message)",
                        hint: "nothing was imported; mend the document")
                }
            }
        }
    }

    private func ending(_ scanner: inout JSONScanner) throws -> ImportOutcome {
        scanner.skipSpace()
        if scanner.position < scanner.end { throw scanner.malformed("text follows the array") }
        guard try buffer.fill() else { return .end }
        return try nextElement()
    }

    // MARK: Objects

    /// Reads the object that comes next; another value is gone over.
    private func object(_ scanner: inout JSONScanner) throws -> ImportOutcome {
        for index in fields.indices { fields[index] = missing }
        (expected, unescapedCount) = (0, 0)
        guard scanner.take("{") else {
            try scanner.skipValue()
            return .malformed("it is no object")
        }
        scanner.skipSpace()
        if scanner.take("}") { return .record }
        var twice: String?
        while true {
            let place = try place(of: scanner.key(), scanner)
            if fields[place].kind != .missing { twice = names[place] }
            fields[place] = try value(&scanner)
            scanner.skipSpace()
            if scanner.take("}") { break }
            guard scanner.take(",") else { throw scanner.malformed("expected , or }") }
            scanner.skipSpace()
        }
        return twice.map { .malformed("it has the key \"\(visible($0))\" twice") } ?? .record
    }

    private var missing: ImportField {
        ImportField(kind: .missing, bytes: UnsafeBufferPointer(start: nil, count: 0))
    }

    private func value(_ scanner: inout JSONScanner) throws -> ImportField {
        let start = scanner.position
        let kind: ImportField.Kind
        switch scanner.next {
        case UInt8(ascii: "\""):
            return ImportField(kind: .text, bytes: plain(try scanner.string(), scanner))
        case UInt8(ascii: "-"), 0x30...0x39: kind = .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): kind = .bool
        case UInt8(ascii: "n"): kind = .null
        default: kind = .json
        }
        if kind == .json, let blob = try blob(&scanner) { return blob }
        try scanner.skipValue()
        return ImportField(
            kind: kind,
            bytes: UnsafeBufferPointer(start: scanner.base + start, count: scanner.position - start))
    }

    /// A blob, as `corm export` writes it where a string would be a text, and sqlite-utils:
    /// `{"$base64": true, "encoded": "AP8="}`.
    private func blob(_ scanner: inout JSONScanner) throws -> ImportField? {
        var ahead = scanner
        guard try ahead.takeKey("$base64", first: true), ahead.next == UInt8(ascii: "t") else { return nil }
        try ahead.take("true" as StaticString)
        guard try ahead.takeKey("encoded", first: false), let token = try ahead.lastString() else { return nil }
        scanner.position = ahead.position
        return ImportField(kind: .base64, bytes: plain(token, scanner))
    }

    private func place(of key: JSONScanner.Token, _ scanner: JSONScanner) -> Int {
        let bytes = plain(key, scanner)
        if expected < names.count, names[expected].utf8.elementsEqual(bytes) {
            expected += 1
            return expected - 1
        }
        let name = Array(bytes)
        if let place = places[name] {
            expected = place + 1
            return place
        }
        names.append(String(decoding: name, as: UTF8.self))
        places[name] = names.count - 1
        fields.append(missing)
        expected = names.count
        return names.count - 1
    }

    private func plain(_ token: JSONScanner.Token, _ scanner: JSONScanner) -> UnsafeBufferPointer<UInt8> {
        guard token.isRich else { return token.bytes }
        let count = scanner.unescape(token, to: unescaped + unescapedCount)
        unescapedCount += count
        return UnsafeBufferPointer(start: unescaped + unescapedCount - count, count: count)
    }

    // MARK: The text

    private var rest: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: UnsafePointer(buffer.base) + buffer.start, count: buffer.end - buffer.start)
    }

    private func scanner(_ bytes: UnsafeBufferPointer<UInt8>) -> JSONScanner {
        if unescapedCapacity < bytes.count {
            unescaped.deallocate()
            unescapedCapacity = bytes.count
            unescaped = .allocate(capacity: unescapedCapacity)
        }
        let base = bytes.baseAddress ?? UnsafePointer(buffer.base)
        return JSONScanner(base: base, end: bytes.count, offset: offset, position: 0)
    }

    /// Goes over what stands between records.
    private func drop(_ count: Int) {
        for byte in rest[..<count] where byte == 0x0A { nextLine += 1 }
        buffer.start += count
        offset += count
    }

    /// Goes over a record.
    private func drop(_ record: UnsafeBufferPointer<UInt8>) {
        line = nextLine
        text = record
        drop(record.count)
    }
}

extension JSONScanner {
    /// Goes over the key of an object if it is the one that comes next.
    mutating func takeKey(_ key: StaticString, first isFirst: Bool) throws -> Bool {
        skipSpace()
        guard take(isFirst ? "{" : ",") else { return false }
        skipSpace()
        guard next == UInt8(ascii: "\"") else { return false }
        return try self.key().bytes.elementsEqual(
            UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
    }

    /// The string that is an object's last value, which ends behind it.
    mutating func lastString() throws -> Token? {
        guard next == UInt8(ascii: "\"") else { return nil }
        let token = try string()
        skipSpace()
        return take("}") ? token : nil
    }
}

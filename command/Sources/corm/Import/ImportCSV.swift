import CormorantBase

/// Reads CSV. Source: RFC 4180, with LF or CRLF at the end of lines. Empty lines are left out, unless there is but one field.
final class CSVReader: RecordReader {
    private(set) var names: [String] = []
    private(set) var fields: [ImportField] = []
    private(set) var line = 0
    private(set) var text = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    var position: Int64 { buffer.position - Int64(buffer.end - buffer.start) }

    /// A field, from the record's first byte. Of one in quotes, without them.
    private struct Span {
        var start: Int
        var end: Int
        var isQuoted = false
        var hasQuotes = false
    }

    private var buffer: ImportBuffer
    private let separator: UInt8
    private var spans: [Span] = []
    private var nextLine = 1
    /// Fields without the quotes that are doubled in them.
    private var unquoted = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
    private var unquotedCapacity = 1

    /// - Parameter hasTitles: whether the first record has the fields' names; without, they are c1, c2, ...
    init(_ source: any ImportSource, separator: UInt8, hasTitles: Bool) throws {
        buffer = ImportBuffer(source)
        self.separator = separator
        try buffer.skipMark()
        if hasTitles {
            switch try next() {
            case .record: break
            case .malformed(let reason):
                throw CormorantError(.type, "the line of titles is no CSV: \(reason)", hint: "mend it")
            case .end:
                throw CormorantError(.type, "there is nothing to import", hint: "give CSV with a line of titles")
            }
            guard let base = text.baseAddress, isValidUTF8(base, count: text.count) else {
                throw CormorantError(.encoding, "the line of titles is not UTF-8", hint: "convert the file to UTF-8")
            }
            names = fields.map(\.string)
        } else {
            // The first record is looked at for how many fields it has, and read again.
            switch try scan() {
            case .read: names = (1...max(1, spans.count)).map { "c\($0)" }
            case .broken(let reason):
                throw CormorantError(
                    .type, "the first record is no CSV: \(reason)", hint: "mend it; it says how many fields there are")
            case .end: break
            }
        }
    }

    /// Gives the fields of records without titles their names.
    func rename(_ names: [String]) { self.names = names }

    deinit {
        buffer.free()
        unquoted.deallocate()
    }

    func next() throws -> ImportOutcome {
        while true {
            line = nextLine
            switch try scan() {
            case .end: return .end
            case .broken(let reason):
                try skipLine()
                return .malformed(reason)
            case .read(let length):
                let record = take(length)
                let isEmpty = spans.count == 1 && spans[0].end == spans[0].start && !spans[0].isQuoted
                if isEmpty, names.count != 1 { continue }
                text = record
                resolve(record)
                guard names.isEmpty || fields.count == names.count else {
                    return .malformed("it has \(fields.count) fields where \(names.count) are wanted")
                }
                return .record
            }
        }
    }

    private enum Scan {
        /// The record's length with the end of its line.
        case read(Int)
        case broken(String)
        case end
    }

    /// Finds the fields of the record at the buffer's start, which it leaves there.
    private func scan() throws -> Scan {
        while true {
            if let found = scanOnce() { return found }
            if try buffer.fill() { continue }
            // Now it is known that no more comes.
            if let found = scanOnce() { return found }
            // What stands in it is no record of its own.
            throw tooLong()
        }
    }

    private func tooLong() -> CormorantError {
        CormorantError(
            .tooBig, "the record in line \(line) is longer than 64 MB",
            hint: "close its quote, or split it; nothing was imported")
    }

    /// nil: more bytes are needed to tell.
    private func scanOnce() -> Scan? {
        let base = UnsafePointer(buffer.base) + buffer.start
        let end = buffer.end - buffer.start
        let isComplete = buffer.isComplete
        // Taken out, for properties of a class are checked at each access.
        var spans = spans
        self.spans = []
        spans.removeAll(keepingCapacity: true)
        defer { self.spans = spans }
        var at = 0
        if end == 0 { return isComplete ? .end : nil }
        while true {
            var span = Span(start: at, end: at)
            if at < end, base[at] == 0x22 {
                at += 1
                span.start = at
                span.isQuoted = true
                while true {
                    while at < end, base[at] != 0x22 { at += 1 }
                    guard at < end else {
                        return isComplete ? .broken("the quote of field \(spans.count + 1) is never closed") : nil
                    }
                    guard at + 1 < end || isComplete else { return nil }
                    guard at + 1 < end, base[at + 1] == 0x22 else { break }
                    span.hasQuotes = true
                    at += 2
                }
                span.end = at
                at += 1
            } else {
                while at < end {
                    let byte = base[at]
                    if byte == separator || byte == 0x0A { break }
                    if byte == 0x22 {
                        return .broken("field \(spans.count + 1) has a quote and does not begin with one")
                    }
                    if byte == 0x0D {
                        guard at + 1 < end || isComplete else { return nil }
                        if at + 1 < end, base[at + 1] != 0x0A {
                            return .broken("field \(spans.count + 1) has a carriage return that ends no line")
                        }
                    }
                    at += 1
                }
                guard at < end || isComplete else { return nil }
                span.end = at
                if at > span.start, at == end || base[at] == 0x0A, base[at - 1] == 0x0D { span.end -= 1 }
            }
            spans.append(span)
            if at < end, base[at] == 0x0D, span.isQuoted {
                guard at + 1 < end || isComplete else { return nil }
                if at + 1 == end || base[at + 1] == 0x0A { at += 1 }
            }
            if at == end { return isComplete ? .read(at) : nil }
            if base[at] == 0x0A { return .read(at + 1) }
            guard base[at] == separator else {
                return .broken("text follows the closing quote of field \(spans.count)")
            }
            at += 1
        }
    }

    /// Goes over a record that was found.
    private func take(_ length: Int) -> UnsafeBufferPointer<UInt8> {
        let record = UnsafeBufferPointer(start: UnsafePointer(buffer.base) + buffer.start, count: length)
        // Only within quotes may there be ends of lines besides the last.
        nextLine += 1
        for span in spans where span.isQuoted {
            for byte in record[span.start..<span.end] where byte == 0x0A { nextLine += 1 }
        }
        buffer.start += length
        return record
    }

    /// Goes to the next line after a record that is none.
    private func skipLine() throws {
        var looked = 0
        while true {
            let rest = UnsafeBufferPointer(
                start: UnsafePointer(buffer.base) + buffer.start, count: buffer.end - buffer.start)
            let end = rest[looked...].firstIndex(of: 0x0A)
            looked = rest.count
            if end == nil, try buffer.fill() { continue }
            guard end != nil || buffer.isComplete else { throw tooLong() }
            text = UnsafeBufferPointer(rebasing: rest[..<(end.map { $0 + 1 } ?? rest.count)])
            buffer.start += text.count
            nextLine += 1
            return
        }
    }

    private func resolve(_ record: UnsafeBufferPointer<UInt8>) {
        var fields = fields
        self.fields = []
        defer { self.fields = fields }
        fields.removeAll(keepingCapacity: true)
        guard let base = record.baseAddress else { return }
        var used = 0
        for span in spans {
            var bytes = UnsafeBufferPointer(start: base + span.start, count: span.end - span.start)
            if span.hasQuotes {
                if unquotedCapacity < record.count {
                    // Nothing in it is used yet: only the first field that needs it comes here with too little.
                    unquoted.deallocate()
                    unquotedCapacity = record.count
                    unquoted = .allocate(capacity: unquotedCapacity)
                }
                let start = used
                var at = 0
                while at < bytes.count {
                    unquoted[used] = bytes[at]
                    used += 1
                    at += bytes[at] == 0x22 ? 2 : 1
                }
                bytes = UnsafeBufferPointer(start: unquoted + start, count: used - start)
            }
            fields.append(ImportField(kind: span.isQuoted ? .quoted : bytes.isEmpty ? .null : .plain, bytes: bytes))
        }
    }
}

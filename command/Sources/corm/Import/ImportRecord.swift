import CormorantBase

/// A value of a record as its format has it. The bytes stay until the next record is read.
struct ImportField {
    enum Kind {
        /// The record does not say.
        case missing
        case null
        /// Text of CSV, which may stand for anything; `""` in it is an empty text, and nothing at all is NULL.
        case plain
        /// The same in quotes.
        case quoted
        /// Text of JSON, which in a column of blobs is base64.
        case text
        /// A blob as base64.
        case base64
        case number
        case bool
        /// An array or object as it is written.
        case json
    }

    var kind: Kind
    var bytes: UnsafeBufferPointer<UInt8>

    var string: String { String(decoding: bytes, as: UTF8.self) }
}

/// What a reader comes to.
enum ImportOutcome {
    case record
    /// A record that is not written as its format wants it, and why.
    case malformed(String)
    case end
}

/// Reads records one after another, in memory of one record's size.
protocol RecordReader: AnyObject {
    /// The names of the fields, which a reader may add to with a record.
    var names: [String] { get }
    /// The values of the newest record, one for each name.
    var fields: [ImportField] { get }
    /// The line on which the newest record begins, from 1.
    var line: Int { get }
    /// The newest record as it is written.
    var text: UnsafeBufferPointer<UInt8> { get }
    /// Bytes read so far.
    var position: Int64 { get }

    func next() throws -> ImportOutcome
}

/// The text of a source that was read and is not done with, in one piece.
struct ImportBuffer {
    /// A record of more bytes than this is malformed: what opens a quote and closes none is not read to the end.
    static let greatestRecord = 1 << 26

    let source: any ImportSource
    private(set) var base = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << 18)
    private var capacity = 1 << 18
    /// The record's first byte, and the end of what is there.
    var start = 0
    private(set) var end = 0
    private(set) var isComplete = false
    private(set) var position: Int64 = 0

    init(_ source: any ImportSource) { self.source = source }

    func free() { base.deallocate() }

    /// Reads more behind what is there; false when there is no more.
    mutating func fill() throws -> Bool {
        guard !isComplete else { return false }
        if start > 0 {
            base.update(from: base + start, count: end - start)
            (start, end) = (0, end - start)
        }
        if end == capacity {
            guard capacity < Self.greatestRecord else { return false }
            let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity * 2)
            larger.update(from: base, count: end)
            base.deallocate()
            base = larger
            capacity *= 2
        }
        // A pipe gives little at once, and a record is looked through anew each time.
        let before = end
        repeat {
            let count = try source.read(into: UnsafeMutableRawBufferPointer(start: base + end, count: capacity - end))
            isComplete = count == 0
            end += count
            position += Int64(count)
        } while !isComplete && end < capacity && end < 2 * before
        return end > before
    }

    /// Goes over a byte order mark.
    mutating func skipMark() throws {
        while end < 3, try fill() {}
        let isWide =
            end >= 2 && ((base[0] == 0) != (base[1] == 0) || base[0] ^ base[1] == 1 && min(base[0], base[1]) == 0xFE)
        if isWide {
            throw CormorantError(
                .encoding, "the data is UTF-16", hint: "convert it: iconv -f UTF-16 -t UTF-8 FILE")
        }
        if end >= 3, base[0] == 0xEF, base[1] == 0xBB, base[2] == 0xBF { start = 3 }
    }
}

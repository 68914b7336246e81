/// A point in time with the offset from UTC of the clock that told it: when a mail was sent, where a photo was taken. `Timestamp`
/// is the point in time alone.
///
/// In the file it is the text `YYYY-MM-DD HH:MM:SS.ffffffZ[+HH:MM]` of RFC 9557: the time in UTC, and behind it the offset. So
/// earlier times are lesser texts for any program, and those that are one moment differ behind the `Z` alone.
public struct OffsetTimestamp: Sendable, Hashable, Comparable {
    /// The moment.
    public var timestamp: Timestamp
    /// How many seconds the clock is ahead of UTC; negative: behind it.
    public var offsetSeconds: Int

    /// A moment, and how many seconds a clock is ahead of UTC there.
    public init(_ timestamp: Timestamp, offsetSeconds: Int) {
        self.timestamp = timestamp
        self.offsetSeconds = offsetSeconds
    }

    /// By the moment, then by the offset, as the file's texts.
    public static func < (left: OffsetTimestamp, right: OffsetTimestamp) -> Bool {
        (left.timestamp, left.offsetSeconds) < (right.timestamp, right.offsetSeconds)
    }

    /// Less than a day either way.
    package static let offsets = -86_399...86_399

    /// How many bytes the text form has at most: with seconds in the offset.
    package static let textSize = 38
    /// A regular expression of the text form.
    package static let textPattern = #"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}Z\[[-+]\d\d:\d\d(:\d\d)?\]$"#
    /// How many of them are the moment's.
    package static let momentSize = 26

    /// What the clock shows, as microseconds since 1970-01-01 00:00:00.
    private var local: Int64? {
        let (sum, overflows) = timestamp.microseconds.addingReportingOverflow(
            Int64(clamping: offsetSeconds) * 1_000_000)
        return overflows ? nil : sum
    }

    /// What is wrong with it, said behind "is a time"; nil where it can be written.
    package var fault: String? {
        guard OffsetTimestamp.offsets.contains(offsetSeconds) else { return "whose offset from UTC is a day or more" }
        // Python and others have no clock that shows the year 0.
        guard Timestamp.range.contains(timestamp.microseconds), let local, Timestamp.range.contains(local) else {
            return TimeForm.offsetDatetime.beyond
        }
        return nil
    }

    /// Writes the text form, and returns how many bytes it has; the caller has looked for a fault.
    package func write(to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        writeMoment(timestamp, to: bytes)
        bytes[26] = UInt8(ascii: "Z")
        bytes[27] = UInt8(ascii: "[")
        let end = 28 + writeOffset(to: bytes + 28)
        bytes[end] = UInt8(ascii: "]")
        return end + 1
    }

    /// The text form; an error for what has a fault.
    /// - Parameter what: the value, in the error.
    package func stored(_ what: String) throws -> String {
        if let fault {
            throw CormorantError(
                .range, "\(what) is a time \(fault)", hint: "give a time of the years 1 to 9999, with an offset")
        }
        return text(OffsetTimestamp.textSize) { write(to: $0) }
    }

    /// ISO 8601: what the clock shows, and its offset. The caller has looked for a fault.
    /// - Parameter isFull: with the fraction of a whole second, too.
    package func iso(isFull: Bool = false) -> String {
        let shown = Timestamp(microseconds: local ?? timestamp.microseconds)
        return text(OffsetTimestamp.momentSize + 9) { bytes in
            var count: Int
            if isFull {
                writeMoment(shown, to: bytes)
                count = OffsetTimestamp.momentSize
            } else {
                count = shown.write(to: bytes)
            }
            bytes[10] = UInt8(ascii: "T")
            count += writeOffset(to: bytes + count)
            return count
        }
    }

    private func writeOffset(to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        let seconds = Int64(offsetSeconds.magnitude)
        bytes[0] = UInt8(ascii: offsetSeconds < 0 ? "-" : "+")
        digits(seconds / 3600, 2, bytes + 1)
        bytes[3] = UInt8(ascii: ":")
        digits(seconds / 60 % 60, 2, bytes + 4)
        guard seconds % 60 != 0 else { return 6 }
        bytes[6] = UInt8(ascii: ":")
        digits(seconds % 60, 2, bytes + 7)
        return 9
    }

    /// Reads the text form that `write` makes and no other.
    package init?(stored text: UnsafeBufferPointer<UInt8>) {
        guard text.count == 35 || text.count == OffsetTimestamp.textSize, text[19] == 0x2E,
            text[26] == UInt8(ascii: "Z"), text[27] == UInt8(ascii: "["), text[text.count - 1] == UInt8(ascii: "]"),
            let time = Timestamp(parsing: UnsafeBufferPointer(rebasing: text[..<26])), text[10] == 0x20,
            let offset = secondsOfOffset(UnsafeBufferPointer(rebasing: text[28..<(text.count - 1)]))
        else { return nil }
        self.init(time, offsetSeconds: offset)
        // Of the two forms of an offset the one that it has, and no -00:00.
        guard fault == nil, (offset % 60 != 0) == (text.count == OffsetTimestamp.textSize),
            offset != 0 || text[28] == UInt8(ascii: "+")
        else { return nil }
    }

    /// Reads ISO 8601 with an offset, `Z` being +00:00, and the text form. nil for any other text; what it gives may have a fault.
    package init?(parsing text: UnsafeBufferPointer<UInt8>, cutting: Bool = false) {
        if let stored = OffsetTimestamp(stored: text) {
            self = stored
            return
        }
        guard let (time, offset) = Timestamp.parts(parsing: text, cutting: cutting), let offset else { return nil }
        self.init(time, offsetSeconds: Int(offset))
    }
}

extension OffsetTimestamp: CustomStringConvertible {
    /// ISO 8601: `2026-01-31T12:00:00+01:00`.
    public var description: String {
        fault == nil ? iso() : "\(timestamp.microseconds) microseconds since 1970 at \(offsetSeconds) seconds from UTC"
    }
}

/// All six digits of the fraction, without which a whole second would sort behind its parts.
private func writeMoment(_ time: Timestamp, to bytes: UnsafeMutablePointer<UInt8>) {
    if time.write(to: bytes) == Timestamp.textSize { return }
    bytes[19] = 0x2E
    digits(0, 6, bytes + 20)
}

private func text(_ capacity: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int) -> String {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
        guard let base = buffer.baseAddress else { return "" }
        return String(decoding: buffer[..<write(base)], as: UTF8.self)
    }
}

/// Orders texts of offset datetimes, and of datetimes beside them, as the moments that they are.
package func compareMoments(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
    func moment(_ text: UnsafeBufferPointer<UInt8>) -> (
        whole: UnsafeBufferPointer<UInt8>, fraction: UnsafeBufferPointer<UInt8>
    )? {
        guard text.count == Timestamp.wholeTextSize || text.count >= OffsetTimestamp.momentSize && text[19] == 0x2E
        else {
            return nil
        }
        return (
            UnsafeBufferPointer(rebasing: text[..<19]),
            UnsafeBufferPointer(rebasing: text.count == 19 ? text[19...] : text[20..<26])
        )
    }
    // What is none of them stands behind all that are.
    switch (moment(left), moment(right)) {
    case (let left?, let right?):
        let order = compareBytes(left.whole, right.whole)
        if order != 0 { return order }
        for index in 0..<6 {
            let digit = index < left.fraction.count ? left.fraction[index] : 0x30
            let other = index < right.fraction.count ? right.fraction[index] : 0x30
            if digit != other { return digit < other ? -1 : 1 }
        }
        return 0
    case (nil, nil): return compareBytes(left, right)
    case (nil, _): return 1
    case (_, nil): return -1
    }
}

private func compareBytes(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
    for (one, other) in zip(left, right) where one != other { return one < other ? -1 : 1 }
    return left.count - right.count
}

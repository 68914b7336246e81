import CormorantBase
import CormorantQuery

extension JSONScanner {
    /// Takes the value that comes next and writes it to a column, as its type wants it.
    mutating func write(
        _ fact: JSONMapping.Fact, of mapping: JSONMapping, _ writer: inout RecordWriter, isImport: Bool
    ) throws {
        let column = fact.column
        guard writer.uses(column) else { return try skipValue() }
        if next == UInt8(ascii: "n") {
            try take("null")
            return try writeNull(column, mapping, &writer, isImport: isImport)
        }
        switch fact.type {
        case .int64, .int32, .duration:
            let value = try integer()
            try writer.write(integer: value, as: fact, at: column)
        case .text, .varchar:
            let token = try string("a string")
            try write(text: token, fact, &writer)
        case .double, .float:
            let value = try real(isFloat: fact.type == .float)
            try writer.write(value, at: column)
        case .bool:
            let value = next == UInt8(ascii: "t")
            guard value || next == UInt8(ascii: "f") else { throw expected("true or false") }
            try take(value ? "true" : "false" as StaticString)
            writer.write(value, at: column)
        case .datetime:
            let token = try string("a string of a time")
            let bytes = try plain(token, writer)
            guard let time = Timestamp(parsing: bytes) else {
                throw JSONFault(.type, "the string is \(Timestamp.fault(of: bytes))", TimeForm.datetime.formHint)
            }
            guard Timestamp.range.contains(time.microseconds) else {
                throw JSONFault(.range, "the time is beyond the years 1 to 9999", "give a time within them")
            }
            try writer.write(time, at: column)
        case .offsetDatetime:
            let token = try string("a string of a time")
            let bytes = try plain(token, writer)
            guard let time = OffsetTimestamp(parsing: bytes) else {
                let form = TimeForm.offsetDatetime
                throw JSONFault(.type, "the string is \(form.fault(of: bytes))", form.formHint)
            }
            if let fault = time.fault {
                throw JSONFault(.range, "the time is one \(fault)", "give a time within the years, with such an offset")
            }
            try writer.write(time, at: column)
        case .date: try write(.date, column, &writer)
        case .time: try write(.time, column, &writer)
        case .uuid:
            let token = try string("a string of a UUID")
            guard let uuid = UUIDBytes(parsing: try plain(token, writer)) else {
                throw JSONFault(.type, "the string is no UUID", "give 32 hexadecimal digits, with or without dashes")
            }
            try writer.write(uuid, at: column)
        case .blob:
            let token = try string("a string of base64")
            guard let bytes = try base64(plain(token, writer), writer) else {
                throw JSONFault(.type, "the string is no base64", "encode the bytes as RFC 4648 has it, padded")
            }
            try writer.write(blobBorrowing: bytes.baseAddress ?? UnsafeRawPointer(base), count: bytes.count, at: column)
        case .decimal:
            let isString = next == UInt8(ascii: "\"")
            let token: Token = try isString ? string() : number("a decimal number")
            let bytes: UnsafeBufferPointer<UInt8> = isString ? try plain(token, writer) : token.bytes
            guard isDecimalText(bytes), let start = bytes.baseAddress else {
                throw JSONFault(.type, "the string is no decimal number", "give digits, with a sign, point or exponent")
            }
            try writer.write(textBorrowing: start, count: bytes.count, at: column)
        case .json:
            let start = position
            try skipValue()
            try writer.write(textBorrowing: base + start, count: position - start, at: column)
        }
    }

    private mutating func write(_ form: TimeForm, _ column: Int, _ writer: inout RecordWriter) throws {
        let token = try string("a string of a \(form.name)")
        let bytes = try plain(token, writer)
        guard let value = form.value(parsing: bytes) else {
            throw JSONFault(.type, "the string is \(form.fault(of: bytes))", form.formHint)
        }
        try writer.write(form, value, at: column)
    }

    private func writeNull(
        _ column: Int, _ mapping: JSONMapping, _ writer: inout RecordWriter, isImport: Bool
    ) throws {
        let descriptor = mapping.model.columns[column]
        // A key that cannot be missing is the program's to give.
        if mapping.takesNull[column], isImport || mapping.holdsNull[column] || column != mapping.model.generatedColumn {
            if mapping.holdsNull[column] || isImport { return writer.writeNull(at: column) }
            return try writer.writeZero(at: column)
        }
        // A document that is null is a value of its own where the column has no NULL.
        if descriptor.type == .json { return try writer.write("null", at: column) }
        throw JSONFault(
            .nullValue, "null, which \(mapping.model.name).\(descriptor.name) cannot hold",
            "give a value, or leave the key out where the column has a default")
    }

    // MARK: Strings

    private mutating func string(_ what: String) throws -> Token {
        guard next == UInt8(ascii: "\"") else { throw expected(what) }
        return try string()
    }

    /// The bytes of a string without its escapes; they stay until the record is written.
    private func plain(_ token: Token, _ writer: borrowing RecordWriter) throws -> UnsafeBufferPointer<UInt8> {
        guard token.isRich else { return token.bytes }
        let room = try writer.checkedAllocate(token.count).assumingMemoryBound(to: UInt8.self)
        return UnsafeBufferPointer(start: room, count: unescape(token, to: room))
    }

    @inline(__always)
    private func write(text token: Token, _ fact: JSONMapping.Fact, _ writer: inout RecordWriter) throws {
        let bytes = token.isRich ? try plain(token, writer) : token.bytes
        if fact.textSize > 0 {
            guard bytes.count < fact.textSize else {
                let array = "char[\(fact.textSize)]"
                throw JSONFault(
                    .range, "the string has \(bytes.count) bytes, which with a NUL do not fit into \(array)",
                    "give a shorter one, or make the array longer")
            }
            guard !bytes.contains(0) else {
                let hint = "leave it out, or make the field a corm_text"
                throw JSONFault(.encoding, "the string holds a NUL character", hint)
            }
        }
        try writer.write(textBorrowing: bytes.baseAddress ?? base, count: bytes.count, at: fact.column)
    }

    /// Source: RFC 4648, section 4.
    private func base64(_ text: UnsafeBufferPointer<UInt8>, _ writer: borrowing RecordWriter) throws
        -> UnsafeRawBufferPointer?
    {
        guard text.count % 4 == 0 else { return nil }
        let padding = text.reversed().prefix(2).prefix { $0 == UInt8(ascii: "=") }.count
        let count = text.count / 4 * 3 - padding
        let room = try writer.checkedAllocate(max(1, count + 2)).assumingMemoryBound(to: UInt8.self)
        var (bits, bitCount, written): (UInt32, Int, Int) = (0, 0, 0)
        for byte in text.dropLast(padding) {
            let value: UInt8
            switch byte {
            case 0x41...0x5A: value = byte - 0x41
            case 0x61...0x7A: value = byte - 0x61 + 26
            case 0x30...0x39: value = byte - 0x30 + 52
            case UInt8(ascii: "+"): value = 62
            case UInt8(ascii: "/"): value = 63
            default: return nil
            }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                room[written] = UInt8(truncatingIfNeeded: bits >> UInt32(bitCount))
                written += 1
            }
        }
        // Bits that stand for nothing must be zero, so that one value has one text.
        guard bits & (1 << UInt32(bitCount) - 1) == 0 else { return nil }
        return UnsafeRawBufferPointer(start: room, count: written)
    }

    // MARK: Numbers

    private mutating func number(_ what: String) throws -> Token {
        guard next == UInt8(ascii: "-") || (0x30...0x39).contains(next) else { throw expected(what) }
        return try number()
    }

    private mutating func integer() throws -> Int64 {
        let token = try number("an integer")
        guard !token.isRich else {
            throw JSONFault(.type, "expected an integer, found a number with a point or an exponent", "round it")
        }
        let isNegative = token.start[0] == UInt8(ascii: "-")
        var value: Int64 = 0
        var index = isNegative ? 1 : 0
        while index < token.count {
            let digit = Int64(token.start[index] &- 0x30)
            index &+= 1
            let (tenfold, over) = value.multipliedReportingOverflow(by: 10)
            let (sum, beyond) =
                isNegative
                ? tenfold.subtractingReportingOverflow(digit) : tenfold.addingReportingOverflow(digit)
            guard !over, !beyond else {
                throw JSONFault(.range, "the integer does not fit into signed 64 bits", "keep such numbers as text")
            }
            value = sum
        }
        return value
    }

    private mutating func real(isFloat: Bool) throws -> Double {
        let token = try number("a number")
        let value = token.double
        let isInfinity = token.bytes.drop { $0 == UInt8(ascii: "-") }.elementsEqual("9e999".utf8)
        if value.isInfinite {
            guard isInfinity else { throw JSONFault(.range, "the number does not fit into a double", "scale it") }
        } else if value.isZero,
            token.bytes.prefix(while: { $0 | 0x20 != UInt8(ascii: "e") }).contains(where: { 0x31...0x39 ~= $0 })
        {
            throw JSONFault(.range, "the number does not fit into a double", "scale it")
        } else if isFloat, Float(rounding: value) == nil {
            throw JSONFault(.range, "the number does not fit into 32 bits", "make the column a double")
        } else if isFloat, !token.isRich, Double(Float(value)) != value {
            throw JSONFault(
                .range, "the number is an integer that 32 bits of a float cannot hold",
                "make the column a double, or write it with an exponent")
        } else if !token.isRich, value.magnitude >= 9_007_199_254_740_992 {
            // Source: IEEE 754: beyond 2^53 not every integer is a double.
            guard String(decoding: token.bytes, as: UTF8.self) == exactInteger(value) else {
                throw JSONFault(
                    .range, "the number is an integer that a double cannot hold", "write it with an exponent")
            }
        }
        return value
    }

    private func exactInteger(_ value: Double) -> String? { Int64(exactly: value).map { "\($0)" } }
}

extension JSONScanner.Token {
    /// The nearest double. Up to 15 digits with a small exponent need one exact division; the rest goes the long way.
    fileprivate var double: Double {
        var digits: UInt64 = 0
        var count = 0
        var afterPoint = 0
        var isPastPoint = false
        let isNegative = start[0] == UInt8(ascii: "-")
        for index in (isNegative ? 1 : 0)..<self.count {
            let byte = start[index]
            if byte == UInt8(ascii: ".") {
                isPastPoint = true
            } else if byte | 0x20 == UInt8(ascii: "e") {
                count = 16
                break
            } else {
                digits = digits &* 10 &+ UInt64(byte &- 0x30)
                count &+= 1
                if isPastPoint { afterPoint &+= 1 }
                if count > 15 { break }
            }
        }
        if count <= 15 {
            let value = Double(digits) / powersOfTen[afterPoint]
            return isNegative ? -value : value
        }
        return Double(String(decoding: bytes, as: UTF8.self)) ?? 0
    }
}

/// Those that a double holds exactly and a number of 15 digits can need.
private let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
]

extension RecordWriter {
    /// Writes an integer of a document.
    @inline(__always)
    fileprivate mutating func write(integer value: Int64, as fact: JSONMapping.Fact, at column: Int) throws {
        guard fact.integers.contains(value) else { throw doesNotFit(fact) }
        write(value, at: column)
    }

    private func doesNotFit(_ fact: JSONMapping.Fact) -> JSONFault {
        let isUnsigned = fact.integers.lowerBound == 0
        let bits = 64 - fact.integers.upperBound.leadingZeroBitCount + (isUnsigned ? 0 : 1)
        return JSONFault(
            .range,
            "the integer does not fit into \(isUnsigned ? "unsigned" : "signed") \(bits == 63 ? 64 : bits) bits",
            "make the column wide enough")
    }
}

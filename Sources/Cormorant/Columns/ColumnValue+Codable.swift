import CormorantBase

// In documents of `Codable` records values are texts, in the forms that `writeJSON` has.

extension Timestamp: Codable {
    /// Reads ISO 8601; a time without an offset is UTC.
    public init(from decoder: any Decoder) throws {
        self = try decoder.read("time of the years 1 to 9999 as 2026-01-31T12:00:00Z", Timestamp.init)
    }

    /// `2026-01-31T12:00:00.000000Z`
    public func encode(to encoder: any Encoder) throws {
        let moment = OffsetTimestamp(self, offsetSeconds: 0)
        try encoder.write(moment.fault == nil ? moment.iso(isFull: true).dropLast(6) + "Z" : nil, self)
    }
}

extension OffsetTimestamp: Codable {
    /// Reads ISO 8601 with an offset.
    public init(from decoder: any Decoder) throws {
        self = try decoder.read(
            "time with an offset of the years 1 to 9999 as 2026-01-31T12:00:00+01:00", OffsetTimestamp.init)
    }

    /// `2026-01-31T12:00:00.000000+01:00`
    public func encode(to encoder: any Encoder) throws {
        try encoder.write(fault == nil ? iso(isFull: true)[...] : nil, self)
    }
}

extension LocalDate: Codable {
    public init(from decoder: any Decoder) throws {
        self = try decoder.read("date of the years 1 to 9999 as 2026-01-31", LocalDate.init)
    }

    public func encode(to encoder: any Encoder) throws {
        try encoder.write(try? TimeForm.date.text(of: Int64(days), "it")[...], self)
    }
}

extension LocalTime: Codable {
    public init(from decoder: any Decoder) throws {
        self = try decoder.read("time of day as 12:00:00", LocalTime.init)
    }

    public func encode(to encoder: any Encoder) throws {
        try encoder.write(try? TimeForm.time.text(of: microseconds, "it")[...], self)
    }
}

extension UUIDBytes: Codable {
    public init(from decoder: any Decoder) throws {
        self = try decoder.read("UUID as 00000000-0000-0000-0000-000000000000", UUIDBytes.init)
    }

    public func encode(to encoder: any Encoder) throws { try encoder.write(description[...], self) }
}

extension DecimalText: Codable {
    /// Reads a string, or a whole number; other numbers have lost digits before they come here.
    public init(from decoder: any Decoder) throws {
        if let whole = try? decoder.singleValueContainer().decode(Int64.self) {
            text = String(whole)
        } else {
            text = try decoder.read("decimal number as \"12.50\"") { text in
                var text = text
                return text.withUTF8(isDecimalText) ? text : nil
            }
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var text = text
        try encoder.write(text.withUTF8(isDecimalText) ? text[...] : nil, self)
    }
}

extension Decoder {
    fileprivate func read<Value>(_ what: String, _ value: (String) -> Value?) throws -> Value {
        let container = try singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = value(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\"\(text)\" is no \(what)")
        }
        return value
    }
}

extension Encoder {
    /// - Parameter text: nil where the value has none.
    fileprivate func write(_ text: Substring?, _ value: Any) throws {
        guard let text else {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: codingPath, debugDescription: "\(value) is none that a column can hold"))
        }
        var container = singleValueContainer()
        try container.encode(String(text))
    }
}

import CormorantBase
import CormorantPlatform

/// Parameters as libpq takes them.
struct WireParameters {
    let count: Int32
    /// 0: what the server finds where it stands; nil: those that it has for a statement that it keeps.
    let types: UnsafePointer<UInt32>?
    let values: UnsafePointer<UnsafePointer<CChar>?>?
    let lengths: UnsafePointer<Int32>?
    let formats: UnsafePointer<Int32>?
}

extension PostgresStatement {
    /// Writes what is bound in the form of each parameter's type. What does not fit is written anew when the server has told the
    /// types again: another connection may have changed a column's.
    func encodeParameters() throws -> WireParameters {
        do { return try encodeAsDescribed() } catch {
            guard [.type, .range, .json].contains(error.code), connection.transaction != .failed,
                connection.loss == nil, try connection.describesOthers(prepared)
            else { throw error }
            return try encodeAsDescribed()
        }
    }

    private func encodeAsDescribed() throws(CormorantError) -> WireParameters {
        let count = prepared.sql.numbers.count
        guard count > 0 else {
            return WireParameters(count: 0, types: nil, values: nil, lengths: nil, formats: nil)
        }
        encoder.clear()
        for place in 0..<count {
            let number = prepared.sql.numbers[place]
            let type = place < prepared.parameterTypes.count ? prepared.parameterTypes[place] : .other
            do throws(ParameterFault) {
                try encoder.encode(bound[number - 1], type, place)
                if prepared.name == nil { try encoder.putUntyped(bound[number - 1], type, place) }
            } catch {
                throw fault(error, place, type)
            }
        }
        guard prepared.name == nil || encoder.hasUntyped else { return encoder.parameters }
        prepared.comparesTypes = true
        return encoder.typed(prepared.parameterOIDs)
    }

    func fault(_ fault: ParameterFault, _ place: Int, _ type: WireType) -> CormorantError {
        let number = prepared.sql.numbers[place]
        let name = prepared.sql.names[number].map { "the parameter \($0)" } ?? "parameter \(number)"
        return fault.error(name, type, prepared.sql.source)
    }
}

/// Why a value cannot be sent as a parameter of this type.
struct ParameterFault: Error {
    let code: ErrorCode
    let what: String
    let hint: String?

    static let tooBig = ParameterFault(
        .tooBig, "more than 1 GB", hint: "PostgreSQL takes texts and blobs up to 1 GB")

    init(_ code: ErrorCode, _ what: String, hint: String? = nil) {
        self.code = code
        self.what = what
        self.hint = hint
    }

    func error(_ parameter: String, _ type: WireType, _ sql: String) -> CormorantError {
        CormorantError(
            code, "\(parameter) is \(type.title), and is given \(what)", hint: hint ?? "give it \(type.title)", sql: sql
        )
    }
}

/// Each value has 32 bytes of its own, for what is written of it; what is longer is sent from where it lies, or gets a copy.
struct ParameterEncoder {
    private static let slotSize = 32
    private let count: Int
    let values: UnsafeMutablePointer<UnsafePointer<CChar>?>
    let lengths: UnsafeMutablePointer<Int32>
    let formats: UnsafeMutablePointer<Int32>
    private let types: UnsafeMutablePointer<UInt32>
    private let slots: UnsafeMutableRawPointer
    /// Whether the types are surely those of now.
    private var keepsTypes = false
    /// Whether a value goes as a text without a type, as its type would lose some of it.
    private(set) var hasUntyped = false
    private var copies: [UnsafeMutableRawPointer] = []

    init(_ count: Int) {
        self.count = count
        let size = max(1, count)
        values = .allocate(capacity: size)
        values.initialize(repeating: nil, count: count)
        lengths = .allocate(capacity: size)
        lengths.initialize(repeating: 0, count: count)
        formats = .allocate(capacity: size)
        formats.initialize(repeating: 1, count: count)
        types = .allocate(capacity: size)
        types.initialize(repeating: 0, count: size)
        slots = .allocate(byteCount: size * ParameterEncoder.slotSize, alignment: 8)
    }

    /// Before values are written anew.
    /// - Parameter keepingTypes: whether the types are surely those of now.
    mutating func clear(keepingTypes: Bool = false) {
        (keepsTypes, hasUntyped) = (keepingTypes, false)
        if !copies.isEmpty {
            for copy in copies { copy.deallocate() }
            copies.removeAll(keepingCapacity: true)
        }
        values.update(repeating: nil, count: count)
        formats.update(repeating: 1, count: count)
    }

    mutating func free() {
        clear()
        values.deallocate()
        lengths.deallocate()
        formats.deallocate()
        types.deallocate()
        slots.deallocate()
    }

    var parameters: WireParameters {
        WireParameters(
            count: Int32(truncatingIfNeeded: count), types: nil, values: UnsafePointer(values),
            lengths: UnsafePointer(lengths), formats: UnsafePointer(formats))
    }

    /// For a statement that the server reads anew: of a text, and of NULL, it finds the type where it stands, as the tables are now.
    func typed(_ described: [UInt32]) -> WireParameters {
        for place in 0..<count {
            let isOpen = values[place] == nil || formats[place] == 0 || place >= described.count
            types[place] = isOpen ? 0 : described[place]
        }
        return WireParameters(
            count: Int32(truncatingIfNeeded: count), types: UnsafePointer(types), values: UnsafePointer(values),
            lengths: UnsafePointer(lengths), formats: UnsafePointer(formats))
    }

    mutating func encode(_ value: BoundValue, _ type: WireType, _ place: Int) throws(ParameterFault) {
        switch value.kind {
        case .null: break
        case .integer: try encode(value.integer, type, place)
        case .real: try encode(value.real, type, place)
        case .text: try encode(text: value.bytes, type, place)
        case .blob:
            guard type == .bytea else { throw ParameterFault(.type, "a blob") }
            try send(value.bytes, place)
        }
    }

    private mutating func encode(_ value: Int64, _ type: WireType, _ place: Int) throws(ParameterFault) {
        switch type {
        case .int8: put(value.bigEndian, place)
        case .int4: put(try narrow(value, Int32.self).bigEndian, place)
        case .int2: put(try narrow(value, Int16.self).bigEndian, place)
        case .oid: put(try narrow(value, UInt32.self).bigEndian, place)
        case .bool:
            guard value == 0 || value == 1 else {
                throw ParameterFault(.range, "an integer other than 0 and 1", hint: "give it 0 or 1")
            }
            put(UInt8(truncatingIfNeeded: value), place)
        case .float8:
            put(Double(value).bitPattern.bigEndian, place)
            if Int64(exactly: Double(value)) != value { try putUntyped("\(value)", place) }
        case .float4:
            put(Float(value).bitPattern.bigEndian, place)
            if Int64(exactly: Float(value)) != value { try putUntyped("\(value)", place) }
        case .numeric, .text, .json, .jsonb, .jsonValue, .other: try put("\(value)", place)
        case .bytea, .uuid, .date, .time, .timestamp, .timestamptz, .oneOf: throw ParameterFault(.type, "an integer")
        }
    }

    private func narrow<I: FixedWidthInteger>(_ value: Int64, _ type: I.Type) throws(ParameterFault) -> I {
        guard let narrow = I(exactly: value) else {
            throw ParameterFault(
                .range, "an integer that does not fit into it", hint: "give a lesser one, or write CAST(? AS bigint)")
        }
        return narrow
    }

    private mutating func encode(_ value: Double, _ type: WireType, _ place: Int) throws(ParameterFault) {
        switch type {
        case .float8: put(value.bitPattern.bigEndian, place)
        case .float4:
            let narrow = Float(value)
            guard narrow.isFinite || !value.isFinite else {
                throw ParameterFault(.range, "a real that is too great for it")
            }
            put(narrow.bitPattern.bigEndian, place)
            // The server takes no text of a number that is too small.
            guard Double(narrow) != value, narrow != 0, !value.isNaN else { break }
            // Of what lies in the middle between two, the text may be nearer to one: it is found by that.
            let other = value + (value - Double(narrow))
            if !keepsTypes {
                try putUntyped("\(value)", place)
            } else if Double(Float(other)) == other {
                try putNarrow("\(value)", place)
            }
        case .numeric:
            guard value.isFinite else { throw ParameterFault(.range, "a real that is no number, or infinite") }
            try put("\(value)", place)
        case .int2, .int4, .int8, .oid, .bool:
            guard let integer = Int64(exactly: value) else {
                throw ParameterFault(
                    value.rounded() == value ? .range : .type, "a real that is no integer of it",
                    hint: "give an integer, or write CAST(? AS double precision)")
            }
            try encode(integer, type, place)
        case .text, .other: try put("\(value)", place)
        case .json, .jsonb, .jsonValue:
            guard value.isFinite else { throw ParameterFault(.json, "a real that JSON has not") }
            try put("\(value)", place)
        case .bytea, .uuid, .date, .time, .timestamp, .timestamptz, .oneOf: throw ParameterFault(.type, "a real")
        }
    }

    private mutating func encode(
        text: UnsafeBufferPointer<UInt8>, _ type: WireType, _ place: Int
    ) throws(ParameterFault) {
        try ParameterEncoder.check(text)
        switch type {
        case .text, .json, .jsonValue: try send(text, place)
        case .jsonb, .other: try put(text, place)
        case .numeric:
            guard isDecimalText(text) else { throw ParameterFault(.type, "a text that is no decimal number") }
            try put(text, place)
        case .uuid:
            guard let uuid = UUIDBytes(parsing: text) else { throw ParameterFault(.type, "a text that is no UUID") }
            put(uuid.high.bigEndian, place)
            (slots + place * ParameterEncoder.slotSize + 8).storeBytes(of: uuid.low.bigEndian, as: UInt64.self)
            lengths[place] = 16
        case .timestamptz, .timestamp:
            let microseconds = try time(text, .datetime)
            put((microseconds - ServerEpoch.microseconds).bigEndian, place)
        case .date: put(Int32(truncatingIfNeeded: try time(text, .date) - ServerEpoch.days).bigEndian, place)
        case .time: put(try time(text, .time).bigEndian, place)
        case .int2, .int4, .int8, .oid, .bool:
            guard let integer = Int64(String(decoding: text, as: UTF8.self)) else {
                throw ParameterFault(.type, "a text that is no integer of it")
            }
            try encode(integer, type, place)
        case .float4, .float8:
            guard isDecimalText(text), let real = Double(String(decoding: text, as: UTF8.self)) else {
                throw ParameterFault(.type, "a text that is no number")
            }
            guard real.isFinite else { throw ParameterFault(.range, "a number that is too great") }
            try encode(real, type, place)
            if !keepsTypes, real != 0 {
                try put(text, place)
                hasUntyped = true
            } else if type == .float4, real != 0 {
                try putNarrow(String(decoding: text, as: UTF8.self), place)
            }
        case .bytea, .oneOf: throw ParameterFault(.type, "a text")
        }
    }

    /// Refuses what no text of a server's is.
    static func check(_ text: UnsafeBufferPointer<UInt8>) throws(ParameterFault) {
        guard let start = text.baseAddress else { return }
        guard memchr(start, 0, text.count) == nil else {
            throw ParameterFault(
                .encoding, "a text with a NUL, which PostgreSQL cannot store",
                hint: "take the NUL out, or give a blob")
        }
        guard isValidUTF8(start, count: text.count) else {
            throw ParameterFault(.encoding, "a text that is not UTF-8", hint: "give UTF-8, or a blob")
        }
    }

    private func time(_ text: UnsafeBufferPointer<UInt8>, _ form: TimeForm) throws(ParameterFault) -> Int64 {
        if let value = form.value(stored: text) ?? form.value(parsing: text) { return value }
        throw ParameterFault(.type, "a text that is \(form.fault(of: text))", hint: form.formHint)
    }

    // Writing --------------------------------------------------------------------------------------------------------

    /// In binary, in the slot.
    private func put<T: FixedWidthInteger>(_ value: T, _ place: Int) {
        let slot = slots + place * ParameterEncoder.slotSize
        slot.storeBytes(of: value, as: T.self)
        values[place] = UnsafePointer(slot.assumingMemoryBound(to: CChar.self))
        lengths[place] = Int32(truncatingIfNeeded: MemoryLayout<T>.size)
    }

    /// In the text form, with a NUL behind.
    private mutating func put(_ text: String, _ place: Int) throws(ParameterFault) {
        var text = text
        let fault = text.withUTF8 { bytes -> ParameterFault? in
            do throws(ParameterFault) { try put(bytes, place) } catch { return error }
            return nil
        }
        if let fault { throw fault }
    }

    private mutating func put(_ text: UnsafeBufferPointer<UInt8>, _ place: Int) throws(ParameterFault) {
        var target = slots + place * ParameterEncoder.slotSize
        if text.count >= ParameterEncoder.slotSize {
            do throws(CormorantError) { try requireMemory(text.count + 1) } catch {
                throw ParameterFault(.noMemory, "a text that there is no memory for")
            }
            target = .allocate(byteCount: text.count + 1, alignment: 1)
            copies.append(target)
        }
        if let start = text.baseAddress { target.copyMemory(from: start, byteCount: text.count) }
        target.storeBytes(of: 0, toByteOffset: text.count, as: UInt8.self)
        values[place] = UnsafePointer(target.assumingMemoryBound(to: CChar.self))
        formats[place] = 0
    }

    /// The `real` of a text, rounded once, as the server reads it.
    private func putNarrow(_ text: String, _ place: Int) throws(ParameterFault) {
        guard let narrow = Float(text), narrow.isFinite else {
            throw ParameterFault(.range, "a real that is too great for it")
        }
        put(narrow.bitPattern.bigEndian, place)
    }

    /// What the type as it was described would lose: the server reads the text by the type that a column has now.
    private mutating func putUntyped(_ text: String, _ place: Int) throws(ParameterFault) {
        guard !keepsTypes else { return }
        try put(text, place)
        hasUntyped = true
    }

    /// As a text what the server can read by another type than it was described with.
    mutating func putUntyped(_ value: BoundValue, _ type: WireType, _ place: Int) throws(ParameterFault) {
        guard value.kind != .null, formats[place] == 1 else { return }
        switch (type, value.kind) {
        case (.int2, _), (.int4, _), (.int8, _), (.oid, _), (.bool, _):
            let integer =
                switch value.kind {
                case .integer: value.integer
                case .real: Int64(value.real)
                default: Int64(String(decoding: value.bytes, as: UTF8.self)) ?? 0
                }
            try put("\(integer)", place)
        case (.float8, .integer): try put("\(value.integer)", place)
        case (.float8, .real): try put("\(value.real)", place)
        case (.text, _), (.json, _), (.jsonValue, _): try put(value.bytes, place)
        default: break
        }
    }

    /// From where it lies, in binary.
    private func send(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) throws(ParameterFault) {
        guard let length = Int32(exactly: bytes.count), length < 1 << 30 else { throw ParameterFault.tooBig }
        let start = bytes.baseAddress.map { UnsafeRawPointer($0) } ?? UnsafeRawPointer(slots)
        values[place] = UnsafePointer(start.assumingMemoryBound(to: CChar.self))
        lengths[place] = length
    }
}

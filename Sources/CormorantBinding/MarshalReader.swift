import CormorantBase
import CormorantC
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// Reads Python's marshal format, version 2, in place.
/// Source: Python/marshal.c of CPython; integers are little endian, a long has digits of 15 bits.
final class MarshalReader {
    enum Item {
        case none
        case bool(Bool)
        case integer(Int64)
        case hugeInteger
        case real(Double)
        case text(UnsafeRawPointer, Int)
        case bytes(UnsafeRawPointer, Int)
        case sequence(Int)
        case dictionary
        case end
        /// A value that no column can hold.
        case other
    }

    private let start: UnsafeRawPointer
    private let size: Int
    var position = 0

    init(_ start: UnsafeRawPointer?, _ size: Int) throws {
        guard let start, size > 0 else { throw MarshalReader.damaged() }
        self.start = start
        self.size = size
    }

    static func damaged() -> CormorantError {
        CormorantError(.misuse, "the block is not marshalled rows", hint: "make it with marshal.dumps(rows, 2)")
    }

    static func tooLarge(_ what: String) -> CormorantError {
        CormorantError(.range, "\(what) does not fit into signed 64 bits", hint: "bind it as text")
    }

    @inline(__always)
    private func take(_ count: Int) throws -> UnsafeRawPointer {
        guard count >= 0, count <= size &- position else { throw MarshalReader.damaged() }
        let bytes = start + position
        position &+= count
        return bytes
    }

    @inline(__always)
    private func length() throws -> Int {
        Int(Int32(littleEndian: try take(4).loadUnaligned(as: Int32.self)))
    }

    @inline(__always)
    func next() throws -> Item {
        let code = try take(1).load(as: UInt8.self)
        switch code {
        case UInt8(ascii: "i"): return .integer(Int64(try length()))
        case UInt8(ascii: "u"), UInt8(ascii: "t"), UInt8(ascii: "a"), UInt8(ascii: "A"):
            let count = try length()
            return .text(try take(count), count)
        case UInt8(ascii: "N"): return .none
        case UInt8(ascii: "g"):
            return .real(Double(bitPattern: UInt64(littleEndian: try take(8).loadUnaligned(as: UInt64.self))))
        case UInt8(ascii: "("), UInt8(ascii: "["):
            let count = try length()
            guard count >= 0 else { throw MarshalReader.damaged() }
            return .sequence(count)
        default: return try rare(code)
        }
    }

    @inline(never)
    private func rare(_ code: UInt8) throws -> Item {
        switch code {
        case UInt8(ascii: "T"): return .bool(true)
        case UInt8(ascii: "F"): return .bool(false)
        case UInt8(ascii: "l"): return try long()
        case UInt8(ascii: "s"):
            let count = try length()
            return .bytes(try take(count), count)
        case UInt8(ascii: "z"), UInt8(ascii: "Z"):
            let count = Int(try take(1).load(as: UInt8.self))
            return .text(try take(count), count)
        case UInt8(ascii: ")"): return .sequence(Int(try take(1).load(as: UInt8.self)))
        case UInt8(ascii: "{"): return .dictionary
        case UInt8(ascii: "0"): return .end
        default: return .other
        }
    }

    private func long() throws -> Item {
        let signed = try length()
        var magnitude: UInt64 = 0
        var fits = true
        for index in 0..<abs(signed) {
            let digit = UInt64(UInt16(littleEndian: try take(2).loadUnaligned(as: UInt16.self)))
            let shift = index &* 15
            if digit == 0 { continue }
            if shift > 63 || digit > UInt64.max >> UInt64(shift) {
                fits = false
            } else {
                magnitude |= digit << UInt64(shift)
            }
        }
        guard fits else { return .hugeInteger }
        if signed >= 0 { return Int64(exactly: magnitude).map(Item.integer) ?? .hugeInteger }
        return magnitude <= 1 << 63 ? .integer(Int64(bitPattern: 0 &- magnitude)) : .hugeInteger
    }

    /// The number of items of the list or tuple that comes next, each of which has a byte at least.
    func sequence() throws -> Int {
        guard case .sequence(let count) = try next(), count <= size - position else { throw MarshalReader.damaged() }
        return count
    }

    /// Whether a tuple comes next that holds neither bytes nor what no column can hold; goes past it.
    func skipPlainTuple() throws -> Bool {
        guard case .sequence(let count) = try next() else { return false }
        for _ in 0..<count {
            switch try next() {
            case .none, .bool, .integer, .hugeInteger, .real, .text: continue
            default: return false
            }
        }
        return true
    }

    /// A copy of the next value.
    func value(_ what: @autoclosure () -> String) throws -> Value {
        switch try next() {
        case .none: return .null
        case .bool(let bool): return .integer(bool ? 1 : 0)
        case .integer(let integer): return .integer(integer)
        case .hugeInteger: throw MarshalReader.tooLarge(what())
        case .real(let real): return .real(real)
        case .text(let bytes, let count):
            guard let text = String(validating: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
            else {
                throw CormorantError(
                    .encoding, "\(what()) is not UTF-8", hint: "it holds a lone surrogate; bind bytes instead")
            }
            return .text(text)
        case .bytes(let bytes, let count): return .blob(Array(UnsafeRawBufferPointer(start: bytes, count: count)))
        case .sequence, .dictionary, .other:
            throw CormorantError(
                .type, "\(what()) is no None, int, float, str, bytes or bool", hint: "convert it to one of them")
        case .end: throw MarshalReader.damaged()
        }
    }

    /// Binds the tuple or dict that comes next.
    /// - Parameter borrowing: texts and blobs stay in the block, which outlives the run; else they are copied.
    func bind(to statement: Statement, borrowing: Bool) throws {
        switch try next() {
        case .sequence(let count):
            try statement.checkBindingCount(count)
            for index in 0..<count {
                try bindNext(to: statement, Int32(truncatingIfNeeded: index &+ 1), borrowing: borrowing)
            }
        case .dictionary:
            var bound = Set<Int>()
            while let name = try key() {
                let index = statement.parameterIndex(name)
                guard index > 0 else { throw statement.unknownParameter(name) }
                try bindNext(to: statement, Int32(truncatingIfNeeded: index), borrowing: borrowing)
                guard bound.insert(index).inserted else { throw statement.givenTwice(name) }
            }
            try statement.checkAllBound(bound)
        default: throw MarshalReader.damaged()
        }
    }

    /// - Parameter what: how messages name the value; nil: as a parameter.
    func bindNext(
        to statement: Statement, _ parameter: Int32, borrowing: Bool, _ what: String? = nil
    ) throws {
        let start = position
        switch try next() {
        case .integer(let integer): return statement.bind(integer, parameter)
        case .none: return statement.bindNull(parameter)
        case .text(let bytes, let count) where isValidUTF8(bytes, count: count):
            return try statement.bindText(bytes, count: count, parameter, borrowing: borrowing)
        case .real(let real) where !real.isNaN: return statement.bind(real, parameter)
        case .bytes(let bytes, let count):
            return try statement.bindBlob(bytes, count: count, parameter, borrowing: borrowing)
        default: position = start
        }
        try statement.bind(value(what ?? "parameter \(statement.describeParameter(parameter))"), parameter)
    }

    /// The next key of a dict; nil at its end.
    private func key() throws -> String? {
        switch try next() {
        case .end: return nil
        case .text(let bytes, let count):
            guard let name = String(validating: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
            else {
                throw CormorantError(.encoding, "a name is not UTF-8", hint: "convert it")
            }
            return name
        default: throw MarshalReader.damaged()
        }
    }

    /// The dict that comes next as attributes.
    func attributes() throws -> [(property: String, value: Value)] {
        guard case .dictionary = try next() else { throw MarshalReader.damaged() }
        var attributes: [(property: String, value: Value)] = []
        while let name = try key() { attributes.append((name, try value("attribute \(name)"))) }
        return attributes
    }

    /// The dict that comes next as parameters, each a value or a list of them.
    func parameters() throws -> [(name: String, value: ParameterValue)] {
        guard case .dictionary = try next() else { throw MarshalReader.damaged() }
        var parameters: [(name: String, value: ParameterValue)] = []
        while let name = try key() {
            let start = position
            guard case .sequence(let count) = try next() else {
                position = start
                parameters.append((name, .value(try value("parameter \(name)"))))
                continue
            }
            // Each has a byte at least.
            guard count <= size - position else { throw MarshalReader.damaged() }
            var values: [Value] = []
            values.reserveCapacity(count)
            for index in 0..<count { values.append(try value("value \(index) of parameter \(name)")) }
            parameters.append((name, .list(values)))
        }
        return parameters
    }
}

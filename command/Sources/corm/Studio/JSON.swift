import CormorantBase
import CormorantSQLite

/// A JSON document, as the page sends it and is answered.
indirect enum JSON: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case text(String)
    case array([JSON])
    case object([(name: String, value: JSON)])
    /// What is JSON already.
    case raw(String)
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral, ExpressibleByIntegerLiteral
{
    init(stringLiteral value: String) { self = .text(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(integerLiteral value: Int64) { self = .integer(value) }
    init(arrayLiteral elements: JSON...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, JSON)...) { self = .object(elements.map { ($0.0, $0.1) }) }

    init(_ text: String?) { self = text.map { .text($0) } ?? .null }
    init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }
    init(_ number: Int) { self = .integer(Int64(number)) }
    init(_ texts: [String]) { self = .array(texts.map { .text($0) }) }
}

// Reading what was sent ------------------------------------------------------------------------------------------------

extension JSON {
    /// The member of an object; null where there is none.
    subscript(name: String) -> JSON {
        guard case .object(let members) = self else { return .null }
        return members.last { $0.name == name }?.value ?? .null
    }

    var isNull: Bool { if case .null = self { true } else { false } }
    var isTrue: Bool { if case .bool(true) = self { true } else { false } }
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
    var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }
    var members: [(name: String, value: JSON)] { if case .object(let members) = self { members } else { [] } }

    var number: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .real(let real): real
        default: nil
        }
    }

    /// A member that must be a text.
    func required(_ name: String) throws -> String {
        guard let text = self[name].text else { throw malformed("\"\(name)\" is missing") }
        return text
    }
}

func malformed(_ what: String) -> CormorantError {
    CormorantError(.misuse, "the request is not understood: \(what)", hint: "reload the page")
}

// Writing --------------------------------------------------------------------------------------------------------------

extension JSON {
    func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let bool): bytes.append(contentsOf: (bool ? "true" : "false").utf8)
        case .integer(let integer): bytes.append(contentsOf: String(integer).utf8)
        case .real(let real): bytes.append(contentsOf: (real.isFinite ? "\(real)" : "null").utf8)
        case .text(let text): appendJSONString(text.utf8, to: &bytes)
        case .raw(let text): bytes.append(contentsOf: text.utf8)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (place, element) in elements.enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (place, member) in members.enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                appendJSONString(member.name.utf8, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}

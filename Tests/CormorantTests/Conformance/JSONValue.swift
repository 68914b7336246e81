import Foundation

/// A JSON document as it stands: integers are 64 bits wide and no truth value is a number.
enum JSONValue: Decodable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }
}

/// What a scenario expected and did not find, or says that no runner understands.
struct ScenarioFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

extension JSONValue {
    func bool() throws -> Bool {
        guard case .bool(let value) = self else { throw ScenarioFailure("\(self) is no truth value") }
        return value
    }

    func integer() throws -> Int64 {
        guard case .integer(let value) = self else { throw ScenarioFailure("\(self) is no integer") }
        return value
    }

    func array() throws -> [JSONValue] {
        guard case .array(let values) = self else { throw ScenarioFailure("\(self) is no list") }
        return values
    }

    func object() throws -> [String: JSONValue] {
        guard case .object(let members) = self else { throw ScenarioFailure("\(self) is no object") }
        return members
    }

    /// A string, also in the form `{"repeat": "x", "times": n}`.
    func string() throws -> String {
        switch self {
        case .string(let text): return text
        case .object(let members):
            var form = Members(self, members)
            let text = try form.required("repeat").string()
            let times = try form.required("times").integer()
            try form.end()
            return String(repeating: text, count: Int(times))
        default: throw ScenarioFailure("\(self) is no string")
        }
    }

    func strings() throws -> [String] { try array().map { try $0.string() } }
}

/// The members of an object, each of which must be taken: what nobody takes is unknown.
struct Members {
    private let whole: JSONValue
    private var left: [String: JSONValue]

    init(_ value: JSONValue) throws { self.init(value, try value.object()) }

    init(_ whole: JSONValue, _ members: [String: JSONValue]) {
        self.whole = whole
        left = members
        left["note"] = nil
        left["because"] = nil
    }

    mutating func take(_ name: String) -> JSONValue? { left.removeValue(forKey: name) }

    mutating func required(_ name: String) throws -> JSONValue {
        guard let value = take(name) else { throw ScenarioFailure("\(whole) has no \"\(name)\"") }
        return value
    }

    mutating func flag(_ name: String) throws -> Bool { try take(name)?.bool() ?? false }
    mutating func text(_ name: String) throws -> String? { try take(name)?.string() }
    mutating func texts(_ name: String) throws -> [String] { try take(name)?.strings() ?? [] }

    func end() throws {
        if let unknown = left.keys.min() { throw ScenarioFailure("unknown member \"\(unknown)\" in \(whole)") }
    }
}

import Cormorant
import Foundation

/// A value in a scenario's encoding.
/// - Parameter number: the record's number, where records are generated.
func scenarioValue(_ json: JSONValue, number: Int64? = nil) throws -> Value {
    switch json {
    case .null: return .null
    case .bool(let value): return .integer(value ? 1 : 0)
    case .integer(let value): return .integer(value)
    case .string(let text): return .text(text)
    case .array: throw ScenarioFailure("\(json) is no value")
    case .object(let object):
        var members = Members(json, object)
        let value = try specialValue(&members, number)
        if value != nil { try members.end() }
        return try value ?? .text(json.string())
    }
}

/// A list of values, or so many of one form.
func scenarioValues(_ json: JSONValue) throws -> [Value] {
    if case .array(let values) = json { return try values.map { try scenarioValue($0) } }
    var members = try Members(json)
    let count = try members.required("count").integer()
    let form = try members.required("value")
    try members.end()
    return try (0..<count).map { try scenarioValue(form, number: $0) }
}

/// One of the forms that are objects; nil for `repeat`, which is a string.
private func specialValue(_ members: inout Members, _ number: Int64?) throws -> Value? {
    if let digits = try members.text("unsigned") {
        guard let value = UInt64(digits) else { throw ScenarioFailure("\(digits) is no unsigned integer") }
        return try Value(value)
    }
    if let text = try members.text("real") {
        guard let value = Double(text) else { throw ScenarioFailure("\(text) is no real") }
        return .real(value)
    }
    if let digits = try members.text("blob") {
        let times = try members.take("times")?.integer() ?? 1
        return .blob(Array(repeatElement(try bytes(hexadecimal: digits), count: Int(times)).joined()))
    }
    if let digits = try members.text("textHex") {
        guard let text = String(validating: try bytes(hexadecimal: digits), as: UTF8.self) else {
            throw ScenarioFailure("\(digits) is not UTF-8")
        }
        return .text(text)
    }
    guard let number else { return nil }
    if let offset = try members.take("index")?.integer() { return .integer(number + offset) }
    return try members.text("indexText").map { .text("\($0)\(number)") }
}

private func bytes(hexadecimal digits: String) throws -> [UInt8] {
    let digits = Array(digits)
    return try stride(from: 0, to: digits.count, by: 2).map { index in
        guard index + 1 < digits.count, let byte = UInt8(String(digits[index...index + 1]), radix: 16) else {
            throw ScenarioFailure("\(digits) is not hexadecimal")
        }
        return byte
    }
}

extension Value {
    /// Equal to the byte; `==` takes texts for equal that Unicode calls equivalent.
    func isExactly(_ other: Value) -> Bool {
        if case .text(let left) = self, case .text(let right) = other { return left.utf8.elementsEqual(right.utf8) }
        return self == other
    }
}

extension ScenarioModel {
    func record(_ json: JSONValue, number: Int64? = nil) throws -> DynamicRecord {
        var record = DynamicRecord(descriptor)
        for (property, value) in try json.object() {
            guard descriptor.column(named: property) != nil else {
                throw ScenarioFailure("unknown property \"\(property)\"")
            }
            let value = try scenarioValue(value, number: number)
            if let limit = unsigned[property], let integer = value.int64,
                !(0...limit).contains(UInt64(bitPattern: integer))
            {
                throw CormorantError(.range, "\(property) does not fit", columns: [property])
            }
            record[property] = value
        }
        return record
    }

    /// The records of `records` or `generate`.
    func records(_ step: inout Members) throws -> [DynamicRecord] {
        if let list = step.take("records") { return try list.array().map { try record($0) } }
        var generate = try Members(try step.required("generate"))
        let count = try generate.required("count").integer()
        let pattern = try generate.required("record").object()
        var exceptions: [Int64: [String: JSONValue]] = [:]
        for json in try generate.take("except")?.array() ?? [] {
            var exception = try Members(json)
            exceptions[try exception.required("at").integer()] = try exception.required("record").object()
            try exception.end()
        }
        try generate.end()
        return try (0..<count).map { number in
            let members = pattern.merging(exceptions[number] ?? [:], uniquingKeysWith: { $1 })
            return try record(.object(members), number: number)
        }
    }

    func check(_ record: DynamicRecord, _ expected: JSONValue) throws {
        for (property, json) in try expected.object() {
            guard let found = record[property] else { throw ScenarioFailure("unknown property \"\(property)\"") }
            if let members = try? json.object(), members["now"] != nil {
                let time = (found.int64 ?? 0) / 1_000_000
                guard abs(time - Int64(Date().timeIntervalSince1970)) < 60 else {
                    throw ScenarioFailure("\(property) is \(found), not the time")
                }
                continue
            }
            let expected = try scenarioValue(json)
            guard found.isExactly(expected) else { throw ScenarioFailure("\(property) is \(found), not \(expected)") }
        }
    }

    func check(_ records: [DynamicRecord], _ expected: JSONValue) throws {
        let expected = try expected.array()
        guard records.count == expected.count else {
            throw ScenarioFailure("\(records.count) records, not \(expected.count)")
        }
        for (record, json) in zip(records, expected) { try check(record, json) }
    }
}

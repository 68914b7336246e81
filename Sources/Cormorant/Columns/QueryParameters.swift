/// Values for the parameters of a query, by name, each of any column's type, or an array or a set of them for an IN.
///
/// ```swift
/// let chosen = Event.where { $0.start > parameter("since") && $0.id.isIn(parameter: "ids") }
/// try database.fetchAll(chosen, ["since": Date.now, "ids": ids])
/// ```
///
/// One that its type cannot store is the error of the call. For a column that holds arrays or sets
/// write `try Value(tags)`, which is one value.
public struct QueryParameters: Sendable, ExpressibleByDictionaryLiteral {
    private let given: Result<[String: ParameterValue], CormorantError>

    /// No values.
    public static let none = QueryParameters([])

    /// By parameter name. nil is NULL.
    public init(dictionaryLiteral values: (String, (any ParameterConvertible)?)...) { self.init(values) }

    /// By parameter name, of a dictionary that is made when the program runs.
    public init(_ values: [String: (any ParameterConvertible)?]) { self.init(values.map { ($0, $1) }) }

    private init(_ values: [(String, (any ParameterConvertible)?)]) {
        do {
            given = .success(try byName(values) { try $0?.parameterValue ?? .null })
        } catch {
            given = .failure(CormorantError(notConverted: error))
        }
    }

    func values() throws -> [String: ParameterValue] { try given.get() }
}

/// What a parameter of a query can be given: a value of any column's type, a `Value`, or an array or a set of these for an IN.
public protocol ParameterConvertible {
    /// The value or the list, as SQLite holds it.
    var parameterValue: ParameterValue { get throws }
}

extension BindableValue {
    /// The one value.
    public var parameterValue: ParameterValue {
        get throws { .value(try columnValue) }
    }
}

extension ParameterValue: ParameterConvertible {
    /// Itself.
    public var parameterValue: ParameterValue { self }
}

/// The cases of `ParameterValue`, by their names alone, in `["ids": .list([1, 2])]`.
extension ParameterConvertible where Self == ParameterValue {
    /// One value.
    @_disfavoredOverload
    public static func value(_ value: Value) -> ParameterValue { ParameterValue.value(value) }

    /// The values of an IN, of any number; of an IN of rows, one row after the other.
    @_disfavoredOverload
    public static func list(_ values: [Value]) -> ParameterValue { ParameterValue.list(values) }
}

extension Optional: ParameterConvertible where Wrapped: ParameterConvertible {
    /// That of what it is, and NULL.
    public var parameterValue: ParameterValue {
        get throws { try self?.parameterValue ?? .null }
    }
}

extension Array: ParameterConvertible {
    /// The values of an IN; of bytes, the one value that they are.
    public var parameterValue: ParameterValue {
        // An empty array of anything is one of bytes to `as?`.
        get throws { try Element.self == UInt8.self ? .value(.blob(self as? [UInt8] ?? [])) : inList(self) }
    }
}

extension Set: ParameterConvertible {
    /// The values of an IN.
    public var parameterValue: ParameterValue {
        get throws { try inList(self) }
    }
}

private func inList<Elements: Collection>(_ elements: Elements) throws -> ParameterValue {
    .list(
        try elements.map { element in
            guard let value = element as? any BindableValue else {
                // nil of a type that says nothing, as in `[nil]`.
                if case Optional<Any>.none = element as Any { return .null }
                throw CormorantError(
                    .type, "an element of a list is of type \(Elements.Element.self), which no column has",
                    hint: "give values of the column's type, or Value(list) to a column of lists")
            }
            return try value.columnValue
        })
}

extension Value {
    /// The value as SQLite holds it: a time and a UUID are their text.
    public init(_ value: some ColumnValue) throws { self = try value.columnValue }

    /// Whether it is NULL.
    public var isNull: Bool { self == .null }

    /// The integer, if it is one.
    public var int64: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The real, if it is one.
    public var double: Double? {
        if case .real(let value) = self { value } else { nil }
    }

    /// The text, if it is one.
    public var string: String? {
        if case .text(let value) = self { value } else { nil }
    }

    /// The blob, if it is one.
    public var bytes: [UInt8]? {
        if case .blob(let value) = self { value } else { nil }
    }
}

/// What a statement can be given for a parameter: a value of any column's type, or a `Value`. A type of your own conforms to
/// `ColumnValue`, not to this alone.
public protocol BindableValue: ParameterConvertible {
    /// The value as SQLite holds it, for bindings, attributes and keys.
    var columnValue: Value { get throws }
}

extension Value: BindableValue {
    /// Itself.
    public var columnValue: Value { self }
}

extension Optional: BindableValue where Wrapped: BindableValue {
    /// That of what it is, and NULL.
    public var columnValue: Value {
        get throws { try self?.columnValue ?? .null }
    }
}

/// The cases of `Value`, by their names alone, in `[.null, .blob(bytes)]`.
extension ParameterConvertible where Self == Value {
    /// NULL.
    @_disfavoredOverload
    public static var null: Value { Value.null }

    /// An integer.
    @_disfavoredOverload
    public static func integer(_ integer: Int64) -> Value { Value.integer(integer) }

    /// A real.
    @_disfavoredOverload
    public static func real(_ real: Double) -> Value { Value.real(real) }

    /// A text.
    @_disfavoredOverload
    public static func text(_ text: String) -> Value { Value.text(text) }

    /// A blob.
    @_disfavoredOverload
    public static func blob(_ bytes: [UInt8]) -> Value { Value.blob(bytes) }
}

/// Values of any column's type, in literals: `[name, birthday, 42, nil]`, `["name": name]`. One that its type cannot store is the
/// error of the call. An array is one value, the JSON that its column holds: the list of an IN is interpolated, `IN \(list: ids)`.
extension Bindings: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// By position. nil is NULL, which `=` equals with nothing: write `IS`.
    public init(arrayLiteral values: (any BindableValue)?...) {
        self.init { .positional(try inOrder(values)) }
    }

    /// By parameter name, with or without its `:`, `@` or `$`.
    public init(dictionaryLiteral values: (String, (any BindableValue)?)...) {
        self.init { .named(try byName(values) { try $0?.columnValue ?? .null }) }
    }

    /// By position, of a list that is made when the program runs.
    public init(_ values: some Sequence<(any BindableValue)?>) {
        self.init { .positional(try inOrder(values)) }
    }

    private init(_ values: () throws -> Bindings) {
        do {
            self = try values()
        } catch {
            self = .problem(CormorantError(notConverted: error))
        }
    }
}

extension CormorantError {
    /// Why a value of the program's cannot be given to a statement.
    init(notConverted error: any Error) {
        self =
            error as? CormorantError
            ?? CormorantError(.callback, "a value cannot be converted: \(error)", hint: "mend the value", cause: error)
    }
}

extension ModelDescriptor {
    /// A value for a property as the engine takes it: times, which are text in SQL, as integers.
    func attribute(_ value: Value, for column: Int) -> Value {
        guard columns.indices.contains(column), let form = columns[column].type.timeForm,
            form != .offsetDatetime, case .text(var text) = value, let time = text.withUTF8(form.value(parsing:))
        else { return value }
        return .integer(time)
    }
}

extension Query {
    /// Records with these attributes, in this order, of them one page. A value that its type cannot store is the error of the call.
    public init(
        _ attributes: KeyValuePairs<String, (any BindableValue)?> = [:], order: [String] = [], limit: Int? = nil,
        offset: Int = 0
    ) {
        self.init(attributes: [], order: order, limit: limit, offset: offset)
        do {
            self.attributes = try attributes.map { property, value in
                (property, try converted("\"\(property)\"") { try value?.columnValue ?? .null })
            }
        } catch {
            problem = CormorantError(notConverted: error)
        }
    }

    /// Of pairs of names and values.
    @_disfavoredOverload
    public init(
        _ attributes: KeyValuePairs<String, Value>, order: [String] = [], limit: Int? = nil, offset: Int = 0
    ) {
        self.init(attributes: attributes.map { ($0, $1) }, order: order, limit: limit, offset: offset)
    }

    /// The same with its attributes as the engine takes them.
    func resolved(for model: ModelDescriptor) throws -> Query {
        if let problem { throw problem }
        guard !attributes.isEmpty else { return self }
        var query = self
        query.attributes = attributes.map { property, value in
            (property, model.column(named: property).map { model.attribute(value, for: $0) } ?? value)
        }
        return query
    }
}

/// What to bind by position. An error names the parameter.
func inOrder(_ values: some Sequence<(any BindableValue)?>) throws -> [Value] {
    try values.enumerated().map { index, value in
        try converted("parameter \(index + 1)") { try value?.columnValue ?? .null }
    }
}

/// What to give by name. An error names the parameter.
func byName<Given, Converted>(
    _ values: [(String, Given)], _ convert: (Given) throws -> Converted
) throws -> [String: Converted] {
    var named: [String: Converted] = [:]
    for (name, value) in values
    where named.updateValue(try converted("parameter \"\(name)\"") { try convert(value) }, forKey: name) != nil {
        throw CormorantError(
            .binding, "parameter \(name) is given two values", hint: "give each parameter one value")
    }
    return named
}

private func converted<Converted>(
    _ name: @autoclosure () -> String, _ value: () throws -> Converted
) throws -> Converted {
    do {
        return try value()
    } catch {
        throw CormorantError(notConverted: error).prefixed("\(name()): ")
    }
}

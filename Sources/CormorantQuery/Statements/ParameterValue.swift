public import CormorantBase

/// What a parameter of a query is given when it runs: a value or, where it stands for the values of an IN, a list of them.
public enum ParameterValue: Sendable, Hashable {
    /// One value.
    case value(Value)
    /// The values of an IN, of any number; of an IN of rows, one row after the other.
    case list([Value])
}

extension ParameterValue {
    /// NULL.
    package static var null: ParameterValue { .value(.null) }

    /// One value, where one is wanted, made into what the expression needs.
    package func one(_ name: String, _ form: ParameterForm) throws -> Value {
        if case .value(let value) = self { return try form.apply(value, name) }
        throw CormorantError(
            .binding, "parameter \"\(name)\" takes one value, and is given a list",
            hint: "give one value, or ask whether a column is IN the parameter")
    }

    /// The values of a list but NULL, each row whole.
    /// - Parameter forms: what is made of each value of a row.
    package func rows(_ name: String, _ forms: [ParameterForm]) throws -> [Value] {
        let values = try list(name)
        guard values.count.isMultiple(of: forms.count) else {
            throw CormorantError(
                .binding,
                "parameter \"\(name)\" is given \(counted(values.count, "value")), which are no rows of "
                    + "\(forms.count)",
                hint: "give a value for each part of the row, one row after the other")
        }
        if forms.count == 1 { return try values.lazy.filter { $0 != .null }.map { try forms[0].apply($0, name) } }
        guard !values.contains(.null) else {
            throw CormorantError(
                .nullValue, "a row in the list of parameter \"\(name)\" holds NULL, which is equal to nothing",
                hint: "leave such rows out, and ask for them by IS NULL")
        }
        return try values.enumerated().map { try forms[$0 % forms.count].apply($1, name) }
    }

    package func hasNull(_ name: String) throws -> Value { .integer(try list(name).contains(.null) ? 1 : 0) }

    private func list(_ name: String) throws -> [Value] {
        if case .list(let values) = self { return values }
        throw CormorantError(
            .binding, "parameter \"\(name)\" takes a list, and is given one value",
            hint: "give the values of the IN as a list, of one where there is one")
    }
}

extension ParameterForm {
    /// The error names the parameter.
    fileprivate func apply(_ value: Value, _ name: String) throws -> Value {
        do {
            return try apply(value)
        } catch let error as CormorantError {
            throw error.prefixed("parameter \"\(name)\": ")
        }
    }
}

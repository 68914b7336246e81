/// Types of the standard library that are no text and no integer: enough to catch the usual slip; the descriptor checks
/// the rest when it is made.
private let integers: Set = ["Int", "Int64", "Int32", "Int16", "Int8", "UInt", "UInt64", "UInt32", "UInt16", "UInt8"]
private let others: Set = ["Bool", "Double", "Float", "[UInt8]", "Timestamp", "UUIDBytes", "Date", "UUID", "Data"]

extension StoredProperty {
    /// The type without the mark of an optional.
    private var wrappedType: String { type.hasSuffix("?") ? String(type.dropLast()) : type }

    var isKnownNotInteger: Bool { wrappedType == "String" || others.contains(wrappedType) }

    private var isKnownNotText: Bool { integers.contains(wrappedType) || others.contains(wrappedType) }

    /// Markers that contradict each other.
    func check(_ problems: Problems) {
        if columnArgument("length") != nil && isKnownNotText { problems.add(.lengthOfNoText(name, type), at: range) }
        let isUpdateTime = columnArgument("stamp")?.text.hasSuffix(".updated") ?? false
        if columnArgument("validate") != nil, isComputed || isUpdateTime || columnArgument("version") != nil {
            problems.add(.validatorOfFilled(name), at: range)
        }
        guard isComputed else { return }
        if isKey { problems.add(.computedKey(name), at: range) }
        if columnArgument("default") != nil { problems.add(.computedDefault(name), at: range) }
        if columnArgument("convert") != nil { problems.add(.computedConversion(name), at: range) }
    }
}

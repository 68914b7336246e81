/// A stored property that is a column.
struct StoredProperty {
    /// As messages and the descriptor have it.
    let name: String
    /// As code has it: in backticks where it is a keyword.
    let identifier: String
    /// As an argument's label, where nearly all keywords stand without backticks.
    var label: String {
        let isWord = name.utf8.allSatisfy(\.isNameByte) && name.utf8.first?.isDigit == false
        return isWord && !["inout", "_"].contains(name) ? name : identifier
    }
    let type: String
    /// Whether it is declared with `!`.
    let isUnwrapped: Bool
    let access: Access
    let availability: Availability
    /// The attribute of each marker it has, by the marker's name.
    let markers: [String: Attribute]
    /// The whole declaration.
    let range: SourceRange

    var isKey: Bool { markers["Key"] != nil }
    var isComputed: Bool { columnArgument("computed") != nil }
    var isFilledByUpdate: Bool { isComputed || columnArgument("version") != nil || columnArgument("stamp") != nil }

    func columnArgument(_ label: String) -> Expression? {
        guard let value = markers["Column"]?.argument(label), !value.isNull else { return nil }
        return value
    }
}

/// The names of the attributes that say something about a property.
let markerNames: Set<String> = ["Key", "Column", "References", "Relation", "Ignored"]

extension Declaration {
    /// Whether the compiler makes an initializer of just the stored properties. Where macros, wrappers or conditions that are not
    /// looked into may have a say, it is taken to make none.
    func hasMemberwiseInitializer() throws(NotUnderstood) -> Bool {
        let plain: Set = ["func", "subscript", "struct", "class", "enum", "actor", "typealias"]
        guard attributes.allSatisfy({ ["Model", "available"].contains($0.name) }) else { return false }
        return try members().allSatisfy { member in
            switch member.kind {
            case .variable: member.attributes.allSatisfy { markerNames.contains($0.name) }
            case .conditional: false
            case .other: plain.contains(member.keyword)
            }
        }
    }
}

/// What the code of the columns says itself.
private let reservedNames: Set = ["recordSource", "self", "Cormorant"]

/// The names of all attributes whose arguments are read.
let macroNames = markerNames.union(["Model"])

/// What a struct stores that is its model's.
struct ModelProperties {
    /// The columns, in order.
    var columns: [StoredProperty] = []
    var relations: [RelationProperty] = []
}

/// The columns and relations of a struct. What cannot be one is reported, not skipped.
func modelProperties(
    of structure: Declaration, named name: SourceRange, _ problems: Problems
) throws(NotUnderstood) -> ModelProperties {
    var properties = ModelProperties()
    let members = try structure.members()
    for member in members {
        if case .conditional(let members) = member.kind {
            if members.contains(where: \.declaresStoredProperty) { problems.add(.conditional, at: member.range) }
        } else if let bindings = member.storedProperties {
            add(member, bindings, to: &properties, problems)
        }
    }
    if properties.columns.isEmpty && !problems.hasErrors { problems.add(.noColumns, at: name) }
    let hidden = members.filter { $0.isNamed && $0.modifiers.contains("private") }
        .compactMap(\.name?.text.withoutBackticks)
    for column in properties.columns {
        guard let type = words(of: column.type).first(where: hidden.contains) else { continue }
        problems.add(.privateType(column.name, type), at: column.range)
    }
    return properties
}

private func words(of type: String) -> [String] {
    type.utf8.split { !$0.isNameByte }.map { String(decoding: $0, as: UTF8.self) }
}

private func add(
    _ variable: Declaration, _ bindings: [Binding], to properties: inout ModelProperties, _ problems: Problems
) {
    guard bindings.count == 1, let identifier = bindings[0].name?.text else {
        return problems.add(.severalProperties, at: variable.range)
    }
    let binding = bindings[0]
    let name = identifier.withoutBackticks
    let markers = markers(of: variable, name, problems)
    if reservedNames.contains(name) { problems.add(.reserved(name), at: variable.range) }
    if markers["Ignored"] != nil {
        if markers.count > 1 { problems.add(.ignoredColumn(name), at: variable.range) }
        if !hasDefault(variable, binding) { problems.add(.ignoredWithoutDefault(name), at: variable.range) }
    } else if let marker = markers["Relation"] {
        if markers.count > 1 { problems.add(.relationColumn(name), at: variable.range) }
        let relation = RelationProperty(name, identifier, marker, variable, binding, problems)
        if let relation { properties.relations.append(relation) }
    } else if let type = binding.relationType {
        problems.add(.unmarkedRelation(name, type.text), at: variable.range)
    } else if let column = storedProperty(variable, binding, identifier, markers, problems) {
        properties.columns.append(column)
    }
}

private func storedProperty(
    _ variable: Declaration, _ binding: Binding, _ identifier: String, _ markers: [String: Attribute],
    _ problems: Problems
) -> StoredProperty? {
    let name = identifier.withoutBackticks
    let isConstant = variable.keyword != "var"
    if isConstant { problems.add(.constant(name), at: variable.range) }
    if variable.modifiers.contains("lazy") {
        problems.add(.lazy(name), at: variable.range)
        return nil
    }
    var isUnwrapped = false
    guard var type = binding.type?.text ?? binding.value?.literalType else {
        if !isConstant { problems.add(.noType(name), at: variable.range) }
        return nil
    }
    if let once = binding.type?.optionalInOptional {
        problems.add(.optionalTwice(name, type, once.text), at: binding.range)
        return nil
    }
    if case .implicitlyUnwrapped(let wrapped)? = binding.type?.kind {
        if markers["Key"] == nil { problems.add(.implicitlyUnwrapped(name, wrapped.text), at: binding.range) }
        // Swift has the mark at a property alone, in no argument of a type.
        type = wrapped.text + "?"
        isUnwrapped = true
    }
    if variable.modifiers.contains("weak") || variable.modifiers.contains("unowned") {
        problems.add(.weak(name), at: variable.range)
        return nil
    }
    guard !(binding.type?.isNoColumn ?? false) else {
        problems.add(.noColumnType(name, type), at: binding.range)
        return nil
    }
    let property = StoredProperty(
        name: name, identifier: identifier, type: type, isUnwrapped: isUnwrapped,
        access: variable.access ?? .internal, availability: Availability(of: variable), markers: markers,
        range: variable.range)
    property.check(problems)
    return property
}

private func markers(of variable: Declaration, _ name: String, _ problems: Problems) -> [String: Attribute] {
    var markers: [String: Attribute] = [:]
    for attribute in variable.attributes where markerNames.contains(attribute.name) {
        if attribute.isConditional {
            problems.add(.conditionalMarker(attribute.name, name), at: attribute.range)
        } else if markers.updateValue(attribute, forKey: attribute.name) != nil {
            problems.add(.repeated(attribute.name, name), at: attribute.range)
        }
    }
    return markers
}

/// An optional `var` has nil without saying so.
private func hasDefault(_ variable: Declaration, _ binding: Binding) -> Bool {
    if binding.value != nil { return true }
    guard variable.keyword == "var" else { return false }
    switch binding.type?.kind {
    case .optional, .implicitlyUnwrapped: return true
    default: return false
    }
}

extension Declaration {
    fileprivate var declaresStoredProperty: Bool {
        if case .conditional(let members) = kind { return members.contains(where: \.declaresStoredProperty) }
        return storedProperties != nil
    }
}

extension TypeReference {
    /// Whether no conformance can make it a column: a tuple, a function.
    fileprivate var isNoColumn: Bool {
        switch (wrapped ?? bare).kind {
        case .tuple, .function, .existential: true
        case .named(let name, let arguments): arguments == nil && ["Any", "AnyObject"].contains(name)
        case .optional, .array, .dictionary, .member, .implicitlyUnwrapped, .other: false
        }
    }

    /// The innermost optional of an optional's.
    fileprivate var optionalInOptional: TypeReference? {
        guard let inner = wrapped, inner.wrapped != nil else { return nil }
        return inner.optionalInOptional ?? inner
    }
}

extension Expression {
    /// The type that Swift gives a literal.
    fileprivate var literalType: String? {
        switch kind {
        case .boolean: "Bool"
        case .string: "String"
        case .integer: "Int"
        case .float: "Double"
        case .negative(let number): number.literalType
        default: nil
        }
    }
}

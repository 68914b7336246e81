import SwiftSyntax

/// A stored property that is a column.
struct StoredProperty {
    /// As messages and the descriptor have it.
    let name: String
    /// As code has it: in backticks where it is a keyword.
    let identifier: String
    let type: String
    /// The attribute of each marker it has, by the marker's name.
    let markers: [String: AttributeSyntax]
    let syntax: VariableDeclSyntax

    var isKey: Bool { markers["Key"] != nil }
    var isComputed: Bool { columnArgument("computed") != nil }

    func columnArgument(_ label: String) -> ExprSyntax? {
        guard let value = markers["Column"]?.argument(label), !value.is(NilLiteralExprSyntax.self) else { return nil }
        return value
    }
}

/// The names of the attributes that say something about a property.
let markerNames: Set<String> = ["Key", "Column", "References", "Relation", "Ignored"]

/// What a struct stores that is its model's.
struct ModelProperties {
    /// The columns, in order.
    var columns: [StoredProperty] = []
    var relations: [RelationProperty] = []
}

/// The columns and relations of a struct. What cannot be one is reported, not skipped.
func modelProperties(of structure: StructDeclSyntax, _ problems: Problems) -> ModelProperties {
    var properties = ModelProperties()
    for member in structure.memberBlock.members {
        if let conditional = member.decl.as(IfConfigDeclSyntax.self) {
            if conditional.declaresStoredProperty { problems.add(.conditional, at: conditional) }
        } else if let variable = member.decl.as(VariableDeclSyntax.self), variable.isStoredInInstance {
            add(variable, to: &properties, problems)
        }
    }
    if properties.columns.isEmpty && problems.isEmpty { problems.add(.noColumns, at: structure.name) }
    return properties
}

private func add(_ variable: VariableDeclSyntax, to properties: inout ModelProperties, _ problems: Problems) {
    guard variable.bindings.count == 1, let binding = variable.bindings.first,
        let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
    else { return problems.add(.severalProperties, at: variable) }
    let identifier = pattern.identifier.text
    let name = identifier.withoutBackticks
    let markers = markers(of: variable, name, problems)
    if name == "recordSource" { problems.add(.reserved(name), at: variable) }
    if markers["Ignored"] != nil {
        if markers.count > 1 { problems.add(.ignoredColumn(name), at: variable) }
        if !hasDefault(variable, binding) { problems.add(.ignoredWithoutDefault(name), at: variable) }
    } else if let marker = markers["Relation"] {
        if markers.count > 1 { problems.add(.relationColumn(name), at: variable) }
        let relation = RelationProperty(name, identifier, marker, variable, binding, problems)
        if let relation { properties.relations.append(relation) }
    } else if let column = storedProperty(variable, binding, identifier, markers, problems) {
        properties.columns.append(column)
    }
}

private func storedProperty(
    _ variable: VariableDeclSyntax, _ binding: PatternBindingSyntax, _ identifier: String,
    _ markers: [String: AttributeSyntax], _ problems: Problems
) -> StoredProperty? {
    let name = identifier.withoutBackticks
    guard variable.bindingSpecifier.tokenKind == .keyword(.var) else {
        problems.add(.constant(name), at: variable)
        return nil
    }
    if variable.modifiers.contains(where: { $0.name.tokenKind == .keyword(.lazy) }) {
        problems.add(.lazy(name), at: variable)
        return nil
    }
    guard let type = binding.typeAnnotation?.type.trimmed ?? binding.initializer?.value.literalType else {
        problems.add(.noType(name), at: variable)
        return nil
    }
    if let unwrapped = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
        problems.add(.implicitlyUnwrapped(name, unwrapped.wrappedType.description), at: binding)
        return nil
    }
    if variable.modifiers.contains(where: { ["weak", "unowned"].contains($0.name.text) }) {
        problems.add(.weak(name), at: variable)
        return nil
    }
    guard !type.isNoColumn else {
        problems.add(.noColumnType(name, type.description), at: binding)
        return nil
    }
    let property = StoredProperty(
        name: name, identifier: identifier, type: type.description, markers: markers, syntax: variable)
    property.check(problems)
    return property
}

private func markers(
    of variable: VariableDeclSyntax, _ name: String, _ problems: Problems
) -> [String: AttributeSyntax] {
    var markers: [String: AttributeSyntax] = [:]
    for case .attribute(let attribute) in variable.attributes where markerNames.contains(attribute.simpleName) {
        if markers.updateValue(attribute, forKey: attribute.simpleName) != nil {
            problems.add(.repeated(attribute.simpleName, name), at: attribute)
        }
    }
    return markers
}

/// An optional `var` has nil without saying so.
private func hasDefault(_ variable: VariableDeclSyntax, _ binding: PatternBindingSyntax) -> Bool {
    if binding.initializer != nil { return true }
    guard variable.bindingSpecifier.tokenKind == .keyword(.var), let type = binding.typeAnnotation?.type else {
        return false
    }
    return type.is(OptionalTypeSyntax.self) || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
}

extension VariableDeclSyntax {
    /// Whether it takes room in each value of the type.
    var isStoredInInstance: Bool {
        let isStatic = modifiers.contains { [.keyword(.static), .keyword(.class)].contains($0.name.tokenKind) }
        return !isStatic && bindings.allSatisfy { !$0.isComputed }
    }
}

extension PatternBindingSyntax {
    fileprivate var isComputed: Bool {
        switch accessorBlock?.accessors {
        case nil: false
        case .getter: true
        case .accessors(let list):
            !list.allSatisfy { [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind) }
        }
    }
}

extension IfConfigDeclSyntax {
    fileprivate var declaresStoredProperty: Bool {
        clauses.contains { clause in
            guard case .decls(let members)? = clause.elements else { return false }
            return members.contains { $0.decl.as(VariableDeclSyntax.self)?.isStoredInInstance ?? false }
        }
    }
}

extension TypeSyntax {
    /// Whether no conformance can make it a column: a collection, a tuple, a function. Bytes are one.
    fileprivate var isNoColumn: Bool {
        if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.isNoColumn }
        if let array = self.as(ArrayTypeSyntax.self) { return array.element.trimmedDescription != "UInt8" }
        if let tuple = self.as(TupleTypeSyntax.self) {
            guard tuple.elements.count == 1, let only = tuple.elements.first else { return true }
            return only.type.isNoColumn
        }
        if self.is(DictionaryTypeSyntax.self) || self.is(FunctionTypeSyntax.self) || self.is(SomeOrAnyTypeSyntax.self) {
            return true
        }
        if ["Any", "AnyObject"].contains(trimmedDescription) { return true }
        guard let generic = self.as(IdentifierTypeSyntax.self) else { return false }
        return generic.genericArgumentClause != nil && ["Set", "Dictionary"].contains(generic.name.text)
    }
}

extension ExprSyntax {
    /// The type that Swift gives a literal.
    fileprivate var literalType: TypeSyntax? {
        if self.is(BooleanLiteralExprSyntax.self) { return "Bool" }
        if self.is(StringLiteralExprSyntax.self) { return "String" }
        if let signed = self.as(PrefixOperatorExprSyntax.self), signed.operator.text == "-" {
            return signed.expression.literalType
        }
        if self.is(IntegerLiteralExprSyntax.self) { return "Int" }
        if self.is(FloatLiteralExprSyntax.self) { return "Double" }
        return nil
    }
}

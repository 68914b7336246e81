/// What `@available` says of a property.
struct Availability {
    /// As it stands before the property, a line for each; without those in `#if`.
    let code: String
    /// Whether one of them, be it in `#if`, deprecates the property.
    let isDeprecated: Bool

    init(of property: Declaration) {
        let attributes = property.attributes.filter { $0.name == "available" }
        code = attributes.filter { !$0.isConditional }.map { $0.range.text + "\n" }.joined()
        isDeprecated = attributes.contains { $0.range.text.contains("deprecated") }
    }
}

/// `@Key`, `@Column`, `@References`, `@Relation` and `@Ignored`: they make nothing; `@Model` reads them. What they see to is
/// that one that `@Model` cannot read does not go unnoticed.
enum PropertyMacro {
    static func check(_ expansion: Message.Expansion, _ problems: Problems) {
        var parser = Parser(expansion.attribute)
        guard let attribute = try? parser.attribute() else { return }
        // Of a class, @Model says enough.
        let declaring = expansion.context.first?.declaration
        let isModel = declaring?.attributes.contains { $0.name == "Model" } ?? false
        parser = Parser(expansion.declaration)
        do {
            if try parser.declaration().storedProperties != nil && isModel { return }
        } catch {
            // @Model has said of its members what it does not understand.
            if isModel { return }
        }
        problems.add(.misplaced(attribute.name), at: attribute.range)
    }
}

/// What a relation leads to, in the closures of a query. The types of the library conform to it.
public protocol RelationEnd: SendableMetatype {
    /// The columns of the related records.
    associatedtype Target: RecordColumns

    /// The way there.
    var route: RelationRoute { get }
}

/// The relations from a table of the query to a related record.
public struct RelationRoute: Sendable {
    package let model: ModelDescriptor
    /// What the query calls the model's table, where that is not its own name.
    package let alias: String?
    let source: SourceIdentity?
    package let relations: [String]

    /// The last of them, which leads there.
    var name: String { relations.last ?? "" }

    /// The one of them, where it is one.
    func only() throws -> String {
        guard relations.count > 1 else { return name }
        let (first, rest) = (relations[0], relations.dropFirst().joined(separator: "."))
        throw CormorantError(
            .misuse,
            "\(relations.joined(separator: ".")) of \(model.name) are several relations, and each is loaded by itself",
            hint: "load \(first), and \(rest) of what is found: load(\\.\(first)) { $0.load(\\.\(rest)) }")
    }
}

extension OptionalColumns: RelationEnd {
    public typealias Target = Columns

    public var route: RelationRoute { columns.recordSource.route }
}

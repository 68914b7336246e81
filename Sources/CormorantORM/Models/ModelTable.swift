import CormorantQuery

/// What statements know of the model whose table they name, which may last longer than that.
final class ModelTable: TableOwner, @unchecked Sendable {  // nothing but `relations` changes after init
    private let draft: ModelDraft
    private let isVariant: Bool
    /// Without columns where the model cannot work.
    let schema: TableSchema
    let createSQL: String
    /// The name under which its file is attached.
    let attachment: String?
    /// Of the model, and gone with it. No weak reference leads to the model itself: counting the references of an object
    /// that has one is slower for good, and every call counts those of a model.
    private(set) weak var relations: RelationList?

    init(
        _ draft: ModelDraft, _ relations: RelationList, _ schema: TableSchema, createSQL: String, isVariant: Bool,
        in attachment: String?
    ) {
        self.draft = draft
        self.relations = relations
        self.schema = schema
        self.createSQL = createSQL
        self.isVariant = isVariant
        self.attachment = attachment
    }

    /// The model, made again; nil when it is gone.
    func model(of table: TableReference) -> ModelDescriptor? {
        relations.map { ModelDescriptor(draft, $0, isVariant: isVariant, in: attachment, table: table) }
    }

    /// The table's name in its file.
    var name: String { draft.table }
}

extension TableReference {
    var modelTable: ModelTable? { owner as? ModelTable }
}

public import CCormorant
import CormorantBase
import CormorantORM
import CormorantQuery

/// The relations that a foreign key's column names.
struct ModelLink {
    private let column: String
    private let table: String
    private let relation: String?
    private let inverse: String?
    private let across: String?

    init?(_ raw: corm_column_def) throws {
        relation = try optionalString(raw.relation, "relation's name")
        inverse = try optionalString(raw.inverse, "inverse relation's name")
        across = try optionalString(raw.across, "name of the relation across")
        guard relation != nil || inverse != nil || across != nil else { return nil }
        column = try string(raw.name, "property name")
        guard let table = try optionalString(raw.references_table, "referenced table") else {
            throw CormorantError(
                .model, "column \"\(column)\" names a relation and refers to no table", hint: "set references_table",
                columns: [column])
        }
        self.table = table
    }

    /// Adds them, to the column's model and to that of its table.
    func add(to owner: LinkedModel, among models: [LinkedModel]) throws {
        let target = try Self.model(table, models, column, owner)
        if let relation {
            try owner.descriptor.add(
                RelationDescriptor(relation, .toOne, target: target.living, junction: nil, columns: [column]))
        }
        if let inverse {
            try target.descriptor.add(
                RelationDescriptor(inverse, .toMany, target: owner.living, junction: nil, columns: [column]))
        }
        if let across {
            let others = owner.links.filter { $0.column != column }
            guard others.count == 1, let other = others.first else {
                throw CormorantError(
                    .model,
                    "column \"\(column)\" of model \(owner.descriptor.name) leads across \(others.count) columns "
                        + "with relations, not across one",
                    hint: "add the relation with corm_relation_add", columns: [column])
            }
            let far = try Self.model(other.table, models, other.column, owner)
            try target.descriptor.add(
                RelationDescriptor(
                    across, .manyToMany, target: far.living, junction: owner.living, columns: [column],
                    targetColumns: [other.column]))
        }
    }

    private static func model(
        _ table: String, _ models: [LinkedModel], _ column: String, _ owner: LinkedModel
    ) throws -> LinkedModel {
        if let found = models.first(where: { sameIdentifier($0.descriptor.table, table) }) { return found }
        throw CormorantError(
            .model,
            "column \"\(column)\" of model \(owner.descriptor.name) names a relation to table \"\(table)\", of "
                + "which no model is made with it",
            hint: "make both with one corm_model_create_all", columns: [column])
    }
}

/// A model that was made, and not yet given out.
struct LinkedModel {
    let handle: OpaquePointer?
    let descriptor: ModelDescriptor
    let links: [ModelLink]

    init(
        _ definition: UnsafePointer<corm_model_def>?, nested: (UnsafePointer<OpaquePointer?>) throws -> ModelBox
    ) throws {
        let made = try ModelDefinition(definition, nested: nested)
        (descriptor, links) = (made.descriptor, made.links)
        handle = try ModelLayouts.add(ModelBox(made.descriptor, made.layout))
    }

    var living: @Sendable () -> ModelDescriptor? {
        let bits = UInt(bitPattern: handle)
        return { Handles.object(OpaquePointer(bitPattern: bits), as: ModelBox.self)?.descriptor }
    }
}

/// Makes the models with the relations among them: all, or none.
/// - Parameter places: where their handles will go, by which rows of several records know the models of these.
func makeModels(
    _ definitions: [UnsafePointer<corm_model_def>?], into places: [UnsafeMutablePointer<OpaquePointer?>?] = []
) throws -> [OpaquePointer?] {
    var models: [LinkedModel] = []
    var slots: [Int] = []
    func nested(_ place: UnsafePointer<OpaquePointer?>) throws -> ModelBox {
        guard let slot = places.firstIndex(of: UnsafeMutablePointer(mutating: place)) else {
            return try requireMade(place)
        }
        guard let made = slots.firstIndex(of: slot) else {
            throw CormorantError(
                .model, "a record within a row is itself a row of several records", hint: "nest records of tables")
        }
        return try requireModel(models[made].handle)
    }
    do {
        // Those of rows last, which are made of the others.
        let isOfRows = definitions.map(nestsRecords)
        for ofRows in [false, true] {
            for (slot, definition) in definitions.enumerated() where isOfRows[slot] == ofRows {
                models.append(try LinkedModel(definition, nested: nested))
                slots.append(slot)
            }
        }
        for model in models {
            for link in model.links { try link.add(to: model, among: models) }
        }
        return definitions.indices.map { slot in slots.firstIndex(of: slot).flatMap { models[$0].handle } }
    } catch {
        for model in models { Handles.remove(model.handle, as: ModelBox.self) }
        throw error
    }
}

@_cdecl("corm_model_create_all") @implementation
public func corm_model_create_all(
    _ slots: UnsafePointer<corm_model_slot>?, _ count: Int, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let slots = try array(slots, count, "models")
        guard slots.allSatisfy({ $0.out_model != nil }) else {
            throw CormorantError(.misuse, "a model has no place to go", hint: "set out_model, as CORM_SLOT does")
        }
        for (slot, handle) in zip(slots, try makeModels(slots.map(\.definition), into: slots.map(\.out_model))) {
            slot.out_model?.pointee = handle
        }
        return CORM_OK
    }
}

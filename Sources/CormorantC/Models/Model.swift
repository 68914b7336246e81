public import CCormorant
import CormorantBase
import CormorantORM
import CormorantThreads

/// How the records of models lie in C, for who has the model but not its box, as relations to it do. The box says so as
/// long as it lasts.
enum ModelLayouts {
    private static let lock = RecursiveLock(.modelLayouts, outlivesForks: true)
    nonisolated(unsafe) private static var layouts: [ObjectIdentifier: StructLayout?] = [:]
    nonisolated(unsafe) private static var handles: [ObjectIdentifier: OpaquePointer] = [:]

    /// - Returns: nil when the model is freed.
    static func records(of model: ModelDescriptor) throws -> StructLayout? {
        guard let known = lock.locked({ layouts[ObjectIdentifier(model)] }) else { return nil }
        return try requireRecords(known, of: model)
    }

    fileprivate static func set(_ layout: StructLayout?, of model: ModelDescriptor) {
        _ = lock.locked { layouts.updateValue(layout, forKey: ObjectIdentifier(model)) }
    }

    fileprivate static func remove(_ model: ModelDescriptor) {
        lock.locked {
            _ = layouts.removeValue(forKey: ObjectIdentifier(model))
            _ = handles.removeValue(forKey: ObjectIdentifier(model))
        }
    }

    /// The handle of a model; nil when it is freed.
    static func handle(of model: ModelDescriptor) -> OpaquePointer? {
        lock.locked { handles[ObjectIdentifier(model)] }
    }

    /// Gives a model its handle.
    static func add(_ box: ModelBox) throws -> OpaquePointer? {
        let handle = try Handles.add(box)
        lock.locked { handles[ObjectIdentifier(box.descriptor)] = handle }
        return handle
    }
}

private func requireRecords(_ layout: StructLayout?, of model: ModelDescriptor) throws -> StructLayout {
    if let layout { return layout }
    throw CormorantError(
        .misuse, "model \(model.name) has no records in C: its record_size is 0",
        hint: "define it over a struct", table: model.table)
}

/// A model with its layout in C and its names as C strings.
package final class ModelBox: HandleObject {
    package static var kind: HandleKind { .model }
    package let descriptor: ModelDescriptor
    /// Without one the model has no records in C: its rows are read and written by a language binding.
    let layout: StructLayout?
    /// Of rows of several records, which are read and never written; such a model has no other.
    let rowLayout: StructLayout?
    package let types: ColumnTypes
    private let memory = ScratchMemory(firstSize: 512)
    /// With the relations that it had when it was last asked for, which the lock below guards.
    private var info: UnsafePointer<corm_model_info>
    let columns: [UnsafePointer<corm_model_column>]
    private let relationLock = RecursiveLock(.modelLayouts, outlivesForks: true)
    // Its lock guards it, and the memory once the model is made.
    private var relations: [(name: String, kind: Int32, target: OpaquePointer?)] = []

    init(_ descriptor: ModelDescriptor, _ layout: StructLayout?) {
        self.descriptor = descriptor
        let isOfRows = layout?.nested.isEmpty == false
        self.layout = isOfRows ? nil : layout
        rowLayout = isOfRows ? layout : nil
        types = ColumnTypes(descriptor)
        var info = corm_model_info()
        info.name = UnsafePointer(memory.copy(descriptor.name))
        info.table = UnsafePointer(memory.copy(descriptor.table))
        info.create_sql = UnsafePointer(memory.copy(descriptor.createSQL))
        (info.column_count, info.key_count) = (descriptor.columns.count, descriptor.keyColumns.count)
        info.generates_key = descriptor.generatesKey
        self.info = memory.keep(info)
        columns = descriptor.columns.indices.map { [memory] in descriptor.info(of: $0, layout, memory) }
        ModelLayouts.set(self.layout, of: descriptor)
    }

    deinit {
        ModelLayouts.remove(descriptor)
        descriptor.isFreed = true
    }

    /// What it says of itself, with the relations that it has by now.
    func infoNow() -> UnsafePointer<corm_model_info> {
        let found = descriptor.relations.names.map { name in
            let target = (try? descriptor.relation(named: name)).flatMap { ModelLayouts.handle(of: $0.target) }
            return (name: name, kind: descriptor.relations.kind(of: name)?.rawValue ?? 0, target: target)
        }
        return relationLock.locked {
            guard !found.elementsEqual(relations, by: ==) else { return info }
            relations = found
            let list = memory.allocateArray(of: UnsafePointer<corm_relation_info>?.self, count: found.count)
            for (index, relation) in found.enumerated() {
                let made = corm_relation_info(
                    name: memory.copy(relation.name), kind: relation.kind, target: relation.target)
                (list + index).initialize(to: memory.keep(made))
            }
            var made = info.pointee
            (made.relations, made.relation_count) = (UnsafePointer(list), found.count)
            info = memory.keep(made)
            return info
        }
    }

    /// The layout of the model's records.
    @inline(__always)
    func records() throws -> StructLayout {
        if let layout { return layout }
        try refuseRows()
        return try requireRecords(nil, of: descriptor)
    }

    /// The layout of what queries of the model give: records, or rows of several.
    @inline(__always)
    func rows() throws -> StructLayout {
        try requireRecords(layout ?? rowLayout, of: descriptor)
    }

    /// Refuses a model that has no table, being of rows of several records.
    @inline(never)
    func refuseRows() throws {
        guard rowLayout != nil else { return }
        throw CormorantError(
            .misuse, "model \(descriptor.name) is of rows of several records, which no table has",
            hint: "read them with a query, and write each record by its own model")
    }
}

@inline(__always)
package func requireModel(_ handle: OpaquePointer?) throws -> ModelBox {
    try Handles.require(handle, as: ModelBox.self)
}

private func model(_ handle: OpaquePointer?) -> ModelBox? { Handles.object(handle, as: ModelBox.self) }

@_cdecl("corm_model_create") @implementation
public func corm_model_create(
    _ definition: UnsafePointer<corm_model_def>?, _ outModel: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outModel, "out_model")
        for handle in try makeModels([definition]) { out.pointee = handle }
        return CORM_OK
    }
}

@_cdecl("corm_model_create_variant") @implementation
public func corm_model_create_variant(
    _ handle: OpaquePointer?, _ variant: UnsafePointer<corm_model_variant>?,
    _ outModel: UnsafeMutablePointer<OpaquePointer?>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outModel, "out_model")
        let model = try requireModel(handle)
        try model.refuseRows()
        guard let variant else { throw CormorantError(.misuse, "the variant is NULL", hint: "pass one") }
        let raw: corm_model_variant = try readStruct(variant, variant.pointee.struct_size, "corm_model_variant")
        guard raw.suffix != nil || raw.attached_as != nil || raw.unscoped else {
            throw CormorantError(
                .misuse, "the variant is of the model's own table",
                hint: "give a suffix, the name of an attached file, or unscoped")
        }
        var made = model.descriptor
        if raw.unscoped { made = try made.makeUnscoped() }
        if raw.suffix != nil { made = try made.makeSuffixed(string(raw.suffix, "suffix")) }
        if raw.attached_as != nil { made = try made.makeAttached(as: string(raw.attached_as, "name")) }
        made.hasHooks = model.descriptor.hasHooks
        out.pointee = try ModelLayouts.add(ModelBox(made, model.layout))
        return CORM_OK
    }
}

@_cdecl("corm_model_free") @implementation
public func corm_model_free(_ handle: OpaquePointer?) { Handles.remove(handle, as: ModelBox.self) }

private let noInfo = EmptyInfo(corm_model_info())

@_cdecl("corm_model_info_get") @implementation
public func corm_model_info_get(_ handle: OpaquePointer?) -> UnsafePointer<corm_model_info>? {
    model(handle)?.infoNow() ?? noInfo.pointer
}

@_cdecl("corm_model_column_get") @implementation
public func corm_model_column_get(_ handle: OpaquePointer?, _ index: Int) -> UnsafePointer<corm_model_column>? {
    model(handle).flatMap { element($0.columns, index) }
}

@_cdecl("corm_model_create_tables") @implementation
public func corm_model_create_tables(
    _ handle: OpaquePointer?, _ models: UnsafePointer<OpaquePointer?>?, _ count: Int,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let database = try database(handle)
        let models = try descriptors(models, count)
        if !models.isEmpty { try database.createTables(models) }
        return CORM_OK
    }
}

@_cdecl("corm_model_table_exists") @implementation
public func corm_model_table_exists(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try database(handle).tableExists(requireModel(model).descriptor) ? CORM_OK : CORM_NOT_FOUND
    }
}

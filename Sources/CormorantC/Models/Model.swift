public import CCormorant
import CormorantBase
import CormorantORM
import CormorantThreads

/// How the records of models lie in C, for who has the model but not its box, as relations to it do. The box says so as
/// long as it lasts.
enum ModelLayouts {
    private static let lock = RecursiveLock(.modelLayouts)
    nonisolated(unsafe) private static var layouts: [ObjectIdentifier: StructLayout?] = [:]

    /// - Returns: nil when the model is freed.
    static func records(of model: ModelDescriptor) throws -> StructLayout? {
        guard let known = lock.locked({ layouts[ObjectIdentifier(model)] }) else { return nil }
        return try requireRecords(known, of: model)
    }

    fileprivate static func set(_ layout: StructLayout?, of model: ModelDescriptor) {
        _ = lock.locked { layouts.updateValue(layout, forKey: ObjectIdentifier(model)) }
    }

    fileprivate static func remove(_ model: ModelDescriptor) {
        _ = lock.locked { layouts.removeValue(forKey: ObjectIdentifier(model)) }
    }
}

@inline(__always)
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
    package let types: ColumnTypes
    private let memory = ScratchMemory(firstSize: 512)
    let info: UnsafePointer<corm_model_info>
    let columns: [UnsafePointer<corm_model_column>]

    init(_ descriptor: ModelDescriptor, _ layout: StructLayout?) {
        self.descriptor = descriptor
        self.layout = layout
        types = ColumnTypes(descriptor)
        info = memory.keep(
            corm_model_info(
                name: memory.copy(descriptor.name), table: memory.copy(descriptor.table),
                create_sql: memory.copy(descriptor.createSQL), column_count: descriptor.columns.count,
                key_count: descriptor.keyColumns.count, generates_key: descriptor.generatesKey))
        columns = descriptor.columns.enumerated().map { [memory] index, column in
            memory.keep(
                corm_model_column(
                    property: memory.copy(column.name), name: memory.copy(column.column), type: typeNumber(column.type),
                    key_position: UInt32((descriptor.keyColumns.firstIndex(of: index) ?? -1) + 1),
                    offset: layout?.fields.first { $0.column == index }?.offset ?? 0,
                    size: layout?.fields.first { $0.column == index }?.size ?? 0))
        }
        ModelLayouts.set(layout, of: descriptor)
    }

    deinit {
        ModelLayouts.remove(descriptor)
        descriptor.isFreed = true
    }

    /// The layout of the model's records.
    @inline(__always)
    func records() throws -> StructLayout { try requireRecords(layout, of: descriptor) }
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
        out.pointee = try Handles.add(ModelBox(made, model.layout))
        return CORM_OK
    }
}

@_cdecl("corm_model_free") @implementation
public func corm_model_free(_ handle: OpaquePointer?) { Handles.remove(handle, as: ModelBox.self) }

private let noInfo = EmptyInfo(corm_model_info())

@_cdecl("corm_model_info_get") @implementation
public func corm_model_info_get(_ handle: OpaquePointer?) -> UnsafePointer<corm_model_info>? {
    model(handle)?.info ?? noInfo.pointer
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

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
    let name: UnsafePointer<CChar>
    let table: UnsafePointer<CChar>
    let columns: [UnsafePointer<corm_model_column>]
    let createSQL: UnsafePointer<CChar>

    init(_ descriptor: ModelDescriptor, _ layout: StructLayout?) {
        self.descriptor = descriptor
        self.layout = layout
        types = ColumnTypes(descriptor)
        name = memory.copy(descriptor.name)
        table = memory.copy(descriptor.table)
        columns = descriptor.columns.enumerated().map { [memory] index, column in
            let place = memory.allocateArray(of: corm_model_column.self, count: 1)
            place.initialize(
                to: corm_model_column(
                    property: memory.copy(column.name), name: memory.copy(column.column), type: typeNumber(column.type),
                    key_position: UInt32((descriptor.keyColumns.firstIndex(of: index) ?? -1) + 1),
                    offset: layout?.fields.first { $0.column == index }?.offset ?? 0,
                    size: layout?.fields.first { $0.column == index }?.size ?? 0))
            return UnsafePointer(place)
        }
        createSQL = memory.copy(descriptor.createSQL)
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

@_cdecl("corm_model_create_suffixed") @implementation
public func corm_model_create_suffixed(
    _ handle: OpaquePointer?, _ suffix: UnsafePointer<CChar>?, _ outModel: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outModel, "out_model")
        let model = try requireModel(handle)
        let made = try model.descriptor.makeSuffixed(string(suffix, "suffix"))
        out.pointee = try Handles.add(ModelBox(made, model.layout))
        return CORM_OK
    }
}

@_cdecl("corm_model_create_attached") @implementation
public func corm_model_create_attached(
    _ handle: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ outModel: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outModel, "out_model")
        let model = try requireModel(handle)
        let made = try model.descriptor.makeAttached(as: string(name, "name"))
        out.pointee = try Handles.add(ModelBox(made, model.layout))
        return CORM_OK
    }
}

@_cdecl("corm_model_free") @implementation
public func corm_model_free(_ handle: OpaquePointer?) { Handles.remove(handle, as: ModelBox.self) }

@_cdecl("corm_model_name") @implementation
public func corm_model_name(_ handle: OpaquePointer?) -> UnsafePointer<CChar>? { model(handle)?.name }

@_cdecl("corm_model_table") @implementation
public func corm_model_table(_ handle: OpaquePointer?) -> UnsafePointer<CChar>? { model(handle)?.table }

@_cdecl("corm_model_column_count") @implementation
public func corm_model_column_count(_ handle: OpaquePointer?) -> Int { model(handle)?.columns.count ?? 0 }

@_cdecl("corm_model_column_get") @implementation
public func corm_model_column_get(_ handle: OpaquePointer?, _ index: Int) -> UnsafePointer<corm_model_column>? {
    model(handle).flatMap { element($0.columns, index) }
}

@_cdecl("corm_model_key_count") @implementation
public func corm_model_key_count(_ handle: OpaquePointer?) -> Int { model(handle)?.descriptor.keyColumns.count ?? 0 }

@_cdecl("corm_model_generates_key") @implementation
public func corm_model_generates_key(_ handle: OpaquePointer?) -> Bool {
    model(handle)?.descriptor.generatesKey ?? false
}

@_cdecl("corm_model_create_sql") @implementation
public func corm_model_create_sql(_ handle: OpaquePointer?) -> UnsafePointer<CChar>? { model(handle)?.createSQL }

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

public import CCormorant
import CormorantBase
import CormorantORM

/// What relations to a model reach of it in C, as long as the model is not freed. Apart from the box, because a weak
/// reference makes counting an object's references slower for good, and every call counts those of a box.
final class ModelFace {
    let layout: StructLayout?

    init(_ layout: StructLayout?) { self.layout = layout }

    /// The layout of the model's records.
    @inline(__always)
    func records(of model: ModelDescriptor) throws -> StructLayout {
        if let layout { return layout }
        throw CormorantError(
            .misuse, "model \(model.name) has no records in C: its record_size is 0",
            hint: "define it over a struct, or move its rows in blocks", table: model.table)
    }
}

/// A model with its layout in C and its names as C strings.
package final class ModelBox {
    package let descriptor: ModelDescriptor
    private let face: ModelFace
    package let types: ColumnTypes
    private let memory = ScratchMemory(firstSize: 512)
    let name: UnsafePointer<CChar>
    let table: UnsafePointer<CChar>
    let properties: [UnsafePointer<CChar>]
    let columns: [UnsafePointer<CChar>]
    let createSQL: UnsafePointer<CChar>

    init(_ descriptor: ModelDescriptor, _ layout: StructLayout?) {
        self.descriptor = descriptor
        face = ModelFace(layout)
        types = ColumnTypes(descriptor)
        name = memory.copy(descriptor.name)
        table = memory.copy(descriptor.table)
        properties = descriptor.columns.map { [memory] in memory.copy($0.name) }
        columns = descriptor.columns.map { [memory] in memory.copy($0.column) }
        createSQL = memory.copy(descriptor.createSQL)
        descriptor.face = face
    }

    /// Runs `body` on the descriptor without counting a reference to it, which costs more than others: it has weak ones.
    @inline(__always)
    package func withDescriptor<T>(_ body: (ModelDescriptor) throws -> T) rethrows -> T {
        try withExtendedLifetime(self) {
            try withoutRetaining(descriptor) { try body($0) }
        }
    }

    var layout: StructLayout? { face.layout }

    /// Whether the model has records in C; else its rows are only moved in blocks.
    var hasRecords: Bool { face.layout != nil }

    /// The layout of the model's records.
    func records() throws -> StructLayout { try face.records(of: descriptor) }
}

@inline(__always)
package func requireModel(_ handle: OpaquePointer?) throws -> ModelBox {
    try Handles.require(handle, .model, as: ModelBox.self)
}

private func model(_ handle: OpaquePointer?) -> ModelBox? { Handles.object(handle, .model, as: ModelBox.self) }

@_cdecl("corm_model_create") @implementation
public func corm_model_create(
    _ definition: UnsafePointer<corm_model_def>?, _ outModel: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outModel, "out_model")
        let made = try ModelDefinition(definition)
        out.pointee = try Handles.add(ModelBox(made.descriptor, made.layout), .model)
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
        out.pointee = try Handles.add(ModelBox(made, model.layout), .model)
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
        out.pointee = try Handles.add(ModelBox(made, model.layout), .model)
        return CORM_OK
    }
}

@_cdecl("corm_model_free") @implementation
public func corm_model_free(_ handle: OpaquePointer?) { Handles.remove(handle, .model) }

@_cdecl("corm_model_name") @implementation
public func corm_model_name(_ handle: OpaquePointer?) -> UnsafePointer<CChar>? { model(handle)?.name }

@_cdecl("corm_model_table") @implementation
public func corm_model_table(_ handle: OpaquePointer?) -> UnsafePointer<CChar>? { model(handle)?.table }

@_cdecl("corm_model_column_count") @implementation
public func corm_model_column_count(_ handle: OpaquePointer?) -> Int32 {
    Int32(clamping: model(handle)?.columns.count ?? 0)
}

@_cdecl("corm_model_property_name") @implementation
public func corm_model_property_name(_ handle: OpaquePointer?, _ column: Int32) -> UnsafePointer<CChar>? {
    guard let names = model(handle)?.properties, names.indices.contains(Int(column)) else { return nil }
    return names[Int(column)]
}

@_cdecl("corm_model_column_name") @implementation
public func corm_model_column_name(_ handle: OpaquePointer?, _ column: Int32) -> UnsafePointer<CChar>? {
    guard let names = model(handle)?.columns, names.indices.contains(Int(column)) else { return nil }
    return names[Int(column)]
}

@_cdecl("corm_model_column_type") @implementation
public func corm_model_column_type(_ handle: OpaquePointer?, _ column: Int32) -> corm_type {
    guard let columns = model(handle)?.descriptor.columns, columns.indices.contains(Int(column)) else { return 0 }
    return typeNumber(columns[Int(column)].type)
}

@_cdecl("corm_model_key_count") @implementation
public func corm_model_key_count(_ handle: OpaquePointer?) -> Int32 {
    Int32(clamping: model(handle)?.descriptor.keyColumns.count ?? 0)
}

@_cdecl("corm_model_key_column") @implementation
public func corm_model_key_column(_ handle: OpaquePointer?, _ position: Int32) -> Int32 {
    guard let key = model(handle)?.descriptor.keyColumns, key.indices.contains(Int(position)) else { return -1 }
    return Int32(clamping: key[Int(position)])
}

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

public import CCormorant
import CormorantBase
import CormorantMigrations
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// A schema with its texts as C strings.
final class SchemaBox: HandleObject {
    static var kind: HandleKind { .schema }
    let schema: Schema
    private let memory = ScratchMemory(firstSize: 4096)
    let info: UnsafePointer<corm_schema_info>

    init(_ schema: Schema) {
        self.schema = schema
        info = memory.keep(corm_schema_info(sql: memory.copy(schema.sql), hash: memory.copy(schema.hash)))
    }
}

func requireSchema(_ handle: OpaquePointer?) throws -> Schema {
    try Handles.require(handle, as: SchemaBox.self).schema
}

private func schema(_ handle: OpaquePointer?) -> SchemaBox? { Handles.object(handle, as: SchemaBox.self) }

@_cdecl("corm_schema_read") @implementation
public func corm_schema_read(
    _ handle: OpaquePointer?, _ outSchema: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outSchema, "out_schema")
        out.pointee = try Handles.add(SchemaBox(database(handle).schema()))
        return CORM_OK
    }
}

@_cdecl("corm_schema_parse") @implementation
public func corm_schema_parse(
    _ sql: UnsafePointer<CChar>?, _ outSchema: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outSchema, "out_schema")
        out.pointee = try Handles.add(SchemaBox(Schema(script: string(sql, "SQL"))))
        return CORM_OK
    }
}

@_cdecl("corm_schema_create") @implementation
public func corm_schema_create(
    _ models: UnsafePointer<OpaquePointer?>?, _ count: Int, _ outSchema: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outSchema, "out_schema")
        out.pointee = try Handles.add(SchemaBox(Schema(models: descriptors(models, count))))
        return CORM_OK
    }
}

@_cdecl("corm_schema_free") @implementation
public func corm_schema_free(_ handle: OpaquePointer?) { Handles.remove(handle, as: SchemaBox.self) }

private let noInfo = EmptyInfo(corm_schema_info())

@_cdecl("corm_schema_info_get") @implementation
public func corm_schema_info_get(_ handle: OpaquePointer?) -> UnsafePointer<corm_schema_info>? {
    schema(handle)?.info ?? noInfo.pointer
}

/// The models of an array of handles.
func descriptors(_ models: UnsafePointer<OpaquePointer?>?, _ count: Int) throws -> [ModelDescriptor] {
    try array(models, count, "models").map { try requireModel($0).descriptor }
}

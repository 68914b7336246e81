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
    let sql: UnsafePointer<CChar>
    let hash: UnsafePointer<CChar>

    init(_ schema: Schema) {
        self.schema = schema
        sql = memory.copy(schema.sql)
        hash = memory.copy(schema.hash)
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

@_cdecl("corm_schema_sql") @implementation
public func corm_schema_sql(_ handle: OpaquePointer?) -> UnsafePointer<CChar>? { schema(handle)?.sql }

@_cdecl("corm_schema_hash") @implementation
public func corm_schema_hash(_ handle: OpaquePointer?) -> UnsafePointer<CChar>? { schema(handle)?.hash }

/// The models of an array of handles.
func descriptors(_ models: UnsafePointer<OpaquePointer?>?, _ count: Int) throws -> [ModelDescriptor] {
    try array(models, count, "models").map { try requireModel($0).descriptor }
}

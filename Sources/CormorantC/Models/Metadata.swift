public import CCormorant
import CormorantBase
import CormorantMigrations
import CormorantORM
import CormorantQuery

private func metadata(_ handle: OpaquePointer?) -> MetadataBox? {
    Handles.object(handle, as: MetadataBox.self)
}

@_cdecl("corm_metadata_read") @implementation
public func corm_metadata_read(
    _ handle: OpaquePointer?, _ outMetadata: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outMetadata, "out_metadata")
        out.pointee = try Handles.add(MetadataBox(database(handle).metadata()))
        return CORM_OK
    }
}

@_cdecl("corm_metadata_create") @implementation
public func corm_metadata_create(
    _ schema: OpaquePointer?, _ outMetadata: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outMetadata, "out_metadata")
        out.pointee = try Handles.add(MetadataBox(requireSchema(schema).metadata()))
        return CORM_OK
    }
}

@_cdecl("corm_metadata_free") @implementation
public func corm_metadata_free(_ handle: OpaquePointer?) { Handles.remove(handle, as: MetadataBox.self) }

@_cdecl("corm_metadata_table_count") @implementation
public func corm_metadata_table_count(_ handle: OpaquePointer?) -> Int { metadata(handle)?.tables.count ?? 0 }

@_cdecl("corm_metadata_table_get") @implementation
public func corm_metadata_table_get(_ handle: OpaquePointer?, _ index: Int) -> UnsafePointer<corm_table_metadata>? {
    guard let tables = metadata(handle)?.tables, tables.indices.contains(index) else { return nil }
    return tables[index]
}

@_cdecl("corm_metadata_problem_count") @implementation
public func corm_metadata_problem_count(_ handle: OpaquePointer?) -> Int { metadata(handle)?.problems.count ?? 0 }

@_cdecl("corm_metadata_problem_get") @implementation
public func corm_metadata_problem_get(
    _ handle: OpaquePointer?, _ index: Int
) -> UnsafePointer<corm_metadata_problem>? {
    guard let problems = metadata(handle)?.problems, problems.indices.contains(index) else { return nil }
    return problems[index]
}

@_cdecl("corm_metadata_json") @implementation
public func corm_metadata_json(_ handle: OpaquePointer?) -> UnsafePointer<CChar>? { metadata(handle)?.json }

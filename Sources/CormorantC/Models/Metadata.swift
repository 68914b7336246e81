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

private let noInfo = EmptyInfo(corm_metadata_info())

@_cdecl("corm_metadata_info_get") @implementation
public func corm_metadata_info_get(_ handle: OpaquePointer?) -> UnsafePointer<corm_metadata_info>? {
    metadata(handle)?.info ?? noInfo.pointer
}

@_cdecl("corm_metadata_table_get") @implementation
public func corm_metadata_table_get(_ handle: OpaquePointer?, _ index: Int) -> UnsafePointer<corm_table_metadata>? {
    guard let tables = metadata(handle)?.tables, tables.indices.contains(index) else { return nil }
    return tables[index]
}

@_cdecl("corm_metadata_problem_get") @implementation
public func corm_metadata_problem_get(
    _ handle: OpaquePointer?, _ index: Int
) -> UnsafePointer<corm_metadata_problem>? {
    guard let problems = metadata(handle)?.problems, problems.indices.contains(index) else { return nil }
    return problems[index]
}

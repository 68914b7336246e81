public import CCormorant
import CormorantBase
import CormorantCipher
import CormorantSQLite

@_cdecl("corm_database_repair") @implementation
public func corm_database_repair(
    _ path: UnsafePointer<CChar>?, _ newPath: UnsafePointer<CChar>?, _ options: UnsafePointer<corm_repair_options>?,
    _ outUnreadablePages: UnsafeMutablePointer<Int64>?, _ outFoundRows: UnsafeMutablePointer<Int64>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        var raw = corm_repair_options()
        if let options {
            raw = try readStruct(options, options.pointee.struct_size, "corm_repair_options")
            try requireZero(raw.reserved, "corm_repair_options")
        }
        let report = try repair(
            string(path, "path"), to: string(newPath, "new path"), codecs: cipherSource(raw.cipher),
            schema: optionalString(raw.schema, "schema"), progress: copyProgress("repair", raw.progress, raw.context))
        outUnreadablePages?.pointee = report.unreadablePages
        outFoundRows?.pointee = report.foundRows
        guard let repaired = raw.repaired else { return CORM_OK }
        for table in report.tables {
            table.name.withCString { name in
                func tell(_ problem: UnsafePointer<CChar>?) {
                    var told = corm_repaired_table(
                        name: name, rows: table.rows, lost_rows: table.lostRows, lost_pages: table.lostPages,
                        problem: problem)
                    repaired(&told, raw.context)
                }
                if let problem = table.problem { problem.withCString { tell($0) } } else { tell(nil) }
            }
        }
        return CORM_OK
    }
}

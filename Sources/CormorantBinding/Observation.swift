public import CCormorant
public import CCormorantBinding
import CormorantBase
import CormorantC
import CormorantEngine
import CormorantORM
import CormorantObservation
import CormorantSQLite

@_cdecl("corm_block_observe") @implementation
public func corm_block_observe(
    _ handle: OpaquePointer?, _ given: UnsafePointer<corm_observe_options>?, _ bindings: UnsafeRawPointer?,
    _ size: Int, _ outObserver: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let raw = try observeOptions(given)
        try observe(
            handle, raw, outObserver,
            {
                guard bindings != nil else { return [] }
                let reader = try MarshalReader(bindings, size)
                return try (0..<reader.sequence()).map { _ in try reader.value("the key") }
            }, { try keptQuery(raw.model, raw.query, bindings, size, $0) })
        return CORM_OK
    }
}

private func keptQuery(
    _ model: OpaquePointer?, _ given: UnsafePointer<corm_query>?, _ bindings: UnsafeRawPointer?, _ size: Int,
    _ database: Database
) throws -> KeptQuery {
    let model = try model.map { try requireModel($0).descriptor }
    var query = try GivenQuery(given, of: model)
    if let statement = query.statement {
        return KeptQuery(
            .statement(try statement.statement(database.dialect), try parameters(bindings, size)), of: model)
    }
    if query.query.sql != nil {
        let kept = try KeptBlock(bindings, size)
        return KeptQuery(.query(query.query) { try bindBlock(kept.data, kept.size, to: $0) }, of: model)
    }
    if bindings != nil { query.query.attributes = try MarshalReader(bindings, size).attributes() }
    return KeptQuery(.query(query.query, bind: nil), of: model)
}

@_cdecl("corm_block_event") @implementation
public func corm_block_event(
    _ handle: OpaquePointer?, _ block: UnsafeMutablePointer<corm_block>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let event = try requireEvent(handle).event
        var writer = MarshalWriter(try require(block, "block"))
        let model = event.layout.model ?? event.changes.lazy.compactMap { ($0.new ?? $0.old)?.layout.model }.first
        let types = model.map(ColumnTypes.init)
        try writer.tuple(3)
        writer.bool(event.isForeign)
        let changes = try writer.beginList()
        for change in event.changes { try writer.change(change, types) }
        try writer.endList(event.changes.count, at: changes)
        if let rows = event.rows {
            let list = try writer.beginList()
            for row in rows { try writer.row(ObservedRow(row: row, layout: event.layout), types) }
            try writer.endList(rows.count, at: list)
        } else {
            writer.none()
        }
        writer.finish()
        return CORM_OK
    }
}

extension MarshalWriter {
    fileprivate mutating func change(_ change: ObservedChange, _ types: ColumnTypes?) throws {
        try tuple(7)
        integer(Int64(change.kind.rawValue))
        try value(.text(change.table))
        integer(change.rowID)
        try tuple(change.key.count)
        for part in change.key { try value(part) }
        for row in [change.old, change.new] {
            if let row { try self.row(row, types) } else { none() }
        }
        integer(Int64(change.position))
    }

    fileprivate mutating func row(_ row: ObservedRow, _ types: ColumnTypes?) throws {
        if let types, row.layout.model != nil {
            try row.read { try self.row($0, types) }
        } else {
            try withExtendedLifetime(row) { try self.row(Row(row.row)) }
        }
    }
}

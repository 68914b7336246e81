public import CCormorant
import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantObservation
import CormorantSQLite

/// An event, and the C values that were made of it.
package final class EventBox: HandleObject {
    package static var kind: HandleKind { .event }
    package let event: ObservationEvent
    private let memory = ScratchMemory(firstSize: 512)

    private(set) lazy var info = memory.keep(
        corm_event_info(
            change_count: event.changes.count, row_count: event.rows?.count ?? 0, is_foreign: event.isForeign))
    private var changes: [Int: UnsafePointer<corm_change>] = [:]

    init(_ event: ObservationEvent) { self.event = event }

    /// The values as an array that lives as long as this.
    private func keep(_ values: [corm_value]) -> UnsafeMutablePointer<corm_value> {
        let array = memory.allocateArray(of: corm_value.self, count: values.count)
        array.initialize(from: values, count: values.count)
        return array
    }

    func values(_ row: ObservedRow?) -> (UnsafePointer<corm_value>?, Int) {
        guard let row else { return (nil, 0) }
        let columns = row.layout.columns(of: row.row)
        // The bytes are the stored row's, which the event holds.
        return (UnsafePointer(keep(columns.map { borrowedValue(Row(row.row), $0) })), columns.count)
    }

    /// One of the changes as C sees it, which is made once.
    func change(_ index: Int) -> UnsafePointer<corm_change>? {
        guard let change = element(event.changes, index) else { return nil }
        if let ready = changes[index] { return ready }
        guard let made = try? self.change(change) else { return nil }
        changes[index] = memory.keep(made)
        return changes[index]
    }

    private func change(_ change: ObservedChange) throws -> corm_change {
        var made = corm_change()
        made.kind = change.kind.rawValue
        if !change.table.isEmpty { made.table = memory.copy(change.table) }
        made.row_id = change.rowID
        made.key = UnsafePointer(keep(try change.key.map { try $0.cValue(in: memory) }))
        made.key_count = change.key.count
        (made.old_values, made.old_count) = values(change.old)
        (made.new_values, made.new_count) = values(change.new)
        made.position = Int64(change.position)
        return made
    }
}

private func box(_ handle: OpaquePointer?) -> EventBox? { Handles.object(handle, as: EventBox.self) }

package func requireEvent(_ handle: OpaquePointer?) throws -> EventBox {
    try Handles.require(handle, as: EventBox.self)
}

@_cdecl("corm_event_free") @implementation
public func corm_event_free(_ handle: OpaquePointer?) { Handles.remove(handle, as: EventBox.self) }

private let noInfo = EmptyInfo(corm_event_info())

@_cdecl("corm_event_info_get") @implementation
public func corm_event_info_get(_ handle: OpaquePointer?) -> UnsafePointer<corm_event_info>? {
    box(handle)?.info ?? noInfo.pointer
}

@_cdecl("corm_event_change_get") @implementation
public func corm_event_change_get(_ handle: OpaquePointer?, _ index: Int) -> UnsafePointer<corm_change>? {
    box(handle)?.change(index)
}

@_cdecl("corm_event_row_get") @implementation
public func corm_event_row_get(
    _ handle: OpaquePointer?, _ index: Int, _ outCount: UnsafeMutablePointer<Int>?
) -> UnsafePointer<corm_value>? {
    outCount?.pointee = 0
    guard let box = box(handle), let row = element(box.event.rows ?? [], index) else { return nil }
    let (values, count) = box.values(ObservedRow(row: row, layout: box.event.layout))
    outCount?.pointee = count
    return values
}

@_cdecl("corm_event_records") @implementation
public func corm_event_records(
    _ handle: OpaquePointer?, _ outRecords: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let event = try requireEvent(handle).event
        let out = try require(outRecords, "out_records")
        guard let rows = event.rows, let model = event.layout.model, let layout = try ModelLayouts.records(of: model)
        else {
            throw CormorantError(
                .misuse, "the event is not a live query's of a model", hint: "read its values with corm_event_row_get")
        }
        let records = Records(size: layout.size)
        var access = StructRecord(
            base: UnsafeMutableRawPointer(mutating: emptyText), layout: layout, arena: records.texts)
        for row in rows {
            access.base = try records.append()
            try event.layout.read(row) { try access.read(from: $0) }
        }
        out.pointee = try Handles.add(records)
        return CORM_OK
    }
}

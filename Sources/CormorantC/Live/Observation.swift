public import CCormorant
import CormorantBase
import CormorantORM
import CormorantObservation
import CormorantSQLite

/// A C callback with its context, which is released with the last reference to this.
private final class ObserverCallback: @unchecked Sendable {  // never written after init
    private let callback: corm_observer_callback?
    private let reads: corm_observer_reads?
    private let context: UnsafeMutableRawPointer?
    private let release: corm_release?

    init(_ options: corm_observe_options) {
        callback = options.callback
        reads = options.reads
        context = options.context
        release = options.release
    }

    deinit { release?(context) }

    /// - Parameter database: the database's handle.
    /// - Returns: whether there is something to tell.
    func read(_ database: UInt) throws -> Bool {
        var error: OpaquePointer?
        let status = reads?(OpaquePointer(bitPattern: database), context, &error) ?? CORM_AGAIN
        if status < 0 || error != nil { throw failure(of: "the reads that are watched", status, error) }
        return status != CORM_AGAIN
    }

    func call(_ result: Result<ObservationEvent, CormorantError>) {
        switch result {
        case .success(let event):
            guard let handle = try? Handles.add(EventBox(event)) else { return }
            callback?(handle, nil, context)
            Handles.remove(handle, as: EventBox.self)
        case .failure(let error):
            guard let handle = try? Handles.add(ErrorText(error)) else { return }
            callback?(nil, handle, context)
            Handles.remove(handle, as: ErrorText.self)
        }
    }
}

/// An observer as long as its handle is not cancelled.
private final class ObserverBox: HandleObject {
    static var kind: HandleKind { .observer }
    let observer: Observer
    /// Lives as long as an observer without a callback, too.
    let callback: ObserverCallback

    init(_ observer: Observer, _ callback: ObserverCallback) {
        self.observer = observer
        self.callback = callback
    }
}

func requireObserver(_ handle: OpaquePointer?) throws -> Observer {
    try Handles.require(handle, as: ObserverBox.self).observer
}

package func observeOptions(_ given: UnsafePointer<corm_observe_options>?) throws -> corm_observe_options {
    guard let given else {
        throw CormorantError(.misuse, "there is nothing to watch", hint: "pass options that say what")
    }
    return try readStruct(given, given.pointee.struct_size, "corm_observe_options") { refused in
        _ = ObserverCallback(refused)
        consumeRest(of: refused.query)
    }
}

private func regions(_ raw: corm_observe_options) throws -> ObservedRegion {
    guard raw.region_count > 0 else { throw missingArray("regions") }
    return .tables(
        try readStructs(raw.regions, raw.region_count, "corm_region", "regions").map { region in
            let columns = try names(region.columns, "region's columns")
            return (try string(region.table, "table"), columns)
        })
}

/// Begins what the options say, with values from where the caller has them.
package func observe(
    _ handle: OpaquePointer?, _ raw: corm_observe_options, _ outObserver: UnsafeMutablePointer<OpaquePointer?>?,
    _ key: () throws -> [Value], _ query: (Database) throws -> KeptQuery
) throws {
    // First, so that the context is released whatever is wrong with the rest.
    let callback = ObserverCallback(raw)
    let out = try require(outObserver, "out_observer")
    let database = try database(handle)
    let call = raw.callback == nil ? nil : { [callback] in callback.call($0) }
    let observer: Observer
    if raw.reads != nil {
        guard raw.model == nil, raw.query == nil, raw.region_count == 0 else {
            throw CormorantError(
                .misuse, "reads are watched by themselves", hint: "give reads, or a model, regions or a query")
        }
        // A handle is a number, which tells by itself whether its database is still there.
        let handle = UInt(bitPattern: handle)
        observer = try database.observe(reads: LiveReads { try callback.read(handle) }, callback: call)
    } else if raw.live {
        let kept = try query(database)
        let live = LiveQuery(key: try names(raw.key_columns, "key_columns")) {
            [weak database] in
            guard let database else { throw databaseClosed() }
            return try kept.open(database)
        }
        observer = try database.observe(live: live, callback: call)
    } else if raw.query != nil {
        let kept = try query(database)
        observer = try database.observe(
            query: { try kept.open(database) }, isLatestOnly: raw.latest_only, callback: call)
    } else {
        let region: ObservedRegion
        if raw.model != nil {
            let model = try requireModel(raw.model).descriptor
            let key = try key()
            region = key.isEmpty ? .model(model) : .record(model, key: key)
        } else {
            region = try regions(raw)
        }
        observer = try database.observe(
            region, keepsValues: raw.values, isLatestOnly: raw.latest_only, callback: call)
    }
    do {
        out.pointee = try Handles.add(ObserverBox(observer, callback))
    } catch {
        observer.cancel()
        throw error
    }
}

@_cdecl("corm_observer_open") @implementation
public func corm_observer_open(
    _ handle: OpaquePointer?, _ given: UnsafePointer<corm_observe_options>?,
    _ outObserver: UnsafeMutablePointer<OpaquePointer?>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let raw = try observeOptions(given)
        defer { consumeRest(of: raw.query) }
        try observe(
            handle, raw, outObserver,
            { try array(raw.key, raw.key_count, "key values").map { try plainValue($0, "the key") } },
            { try KeptQuery(raw.model, raw.query, $0) })
        return CORM_OK
    }
}

@_cdecl("corm_observer_close") @implementation
public func corm_observer_close(_ handle: OpaquePointer?) {
    Handles.take(handle, as: ObserverBox.self)?.observer.cancel()
}

@_cdecl("corm_observer_next") @implementation
public func corm_observer_next(
    _ handle: OpaquePointer?, _ outEvent: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let observer = try requireObserver(handle)
        let out = try require(outEvent, "out_event")
        guard let event = try observer.next() else { return observer.isCancelled ? CORM_DONE : CORM_AGAIN }
        out.pointee = try Handles.add(EventBox(event))
        return CORM_ROW
    }
}

@_cdecl("corm_observer_descriptor") @implementation
public func corm_observer_descriptor(
    _ handle: OpaquePointer?, _ outDescriptor: UnsafeMutablePointer<Int32>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try require(outDescriptor, "out_descriptor").pointee = try requireObserver(handle).descriptor()
        return CORM_OK
    }
}

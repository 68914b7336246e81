import CormorantEngine
import Cormorant
import CormorantORM
import CormorantObservation
import Foundation

/// A watch, and the model whose records it watches.
struct Watch {
    let observer: CormorantObservation.Observer
    let model: ScenarioModel?
}

/// Observers and caches.
extension Scenario {
    /// - Returns: false for a step that is about none of these.
    func performObservation(_ verb: String, _ step: inout Members, _ expected: inout Members) throws -> Bool {
        switch verb {
        case "observe": try observe(&step)
        case "events":
            let watch = try watch(&step)
            try check(events(watch, waits: step.flag("wait")), of: watch, &expected)
        case "cancel": try watch(&step).observer.cancel()
        case "setCache":
            try database.setCache(
                model(&step).descriptor, count: step.required("maxCount").integer(),
                bytes: step.required("maxBytes").integer())
        case "cacheStatistics":
            let found = try database.cacheStatistics(model(&step).descriptor)
            try check("hits", found.hits, &expected)
            try check("misses", found.misses, &expected)
            try check("count", found.count, &expected)
        default: return false
        }
        return true
    }

    private func watch(_ step: inout Members) throws -> Watch {
        let name = try step.required("of").string()
        guard let watch = watches[name] else { throw ScenarioFailure("nothing is observed as \"\(name)\"") }
        return watch
    }

    private func observe(_ step: inout Members) throws {
        let model = try step.take("model").map { try self.model(named: $0.string()) }
        let keepsValues = try step.flag("values")
        let isLatestOnly = try step.flag("latestOnly")
        let observer: CormorantObservation.Observer
        if try step.flag("live") {
            let key = try step.texts("keyColumns")
            let sql = try step.required("sql").string()
            let bindings = try bindings(&step)
            let database = database
            observer = try database.observe(
                live: LiveQuery(key: key) { [weak database] in
                    guard let database else { throw ScenarioFailure("the database is gone") }
                    return try database.cursor(sql) { try $0.bind(bindings) }
                })
        } else if let reads = try step.take("reads")?.array().map({ try $0.string() }) {
            observer = try database.observe(
                reads: LiveReads { [weak database] in
                    if let model { _ = try database?.count(model.descriptor, Query()) }
                    for sql in reads { _ = try database?.query(SQL(text: sql)) }
                    return true
                })
        } else if let model {
            let key = try step.take("key")?.array().map { try scenarioValue($0) } ?? []
            observer = try database.observe(
                key.isEmpty ? .model(model.descriptor) : .record(model.descriptor, key: key), keepsValues: keepsValues,
                isLatestOnly: isLatestOnly)
        } else if let regions = try step.take("regions")?.array() {
            let tables = try regions.map { json in
                var region = try Members(json)
                defer { try? region.end() }
                return (try region.required("table").string(), try region.texts("columns"))
            }
            observer = try database.observe(
                .tables(tables), keepsValues: keepsValues, isLatestOnly: isLatestOnly)
        } else {
            observer = try database.observe(query: opening(&step), isLatestOnly: isLatestOnly)
        }
        watches[try step.required("as").string()] = Watch(observer: observer, model: model)
    }

    /// The events that wait; with `waits`, no fewer than one.
    private func events(_ watch: Watch, waits: Bool) throws -> [ObservationEvent] {
        var events: [ObservationEvent] = []
        for _ in 0..<1000 {
            while let event = try watch.observer.next() { events.append(event) }
            if !waits || !events.isEmpty { return events }
            Thread.sleep(forTimeInterval: 0.01)
        }
        throw ScenarioFailure("no event came")
    }

    private func check(_ found: [ObservationEvent], of watch: Watch, _ expected: inout Members) throws {
        guard let wanted = try expected.take("events")?.array() else { return }
        guard found.count == wanted.count else { throw ScenarioFailure("\(found.count) events: \(found)") }
        for (event, json) in zip(found, wanted) {
            var members = try Members(json)
            guard event.isForeign == (try members.flag("foreign")) else { throw ScenarioFailure("foreign: \(event)") }
            if let changes = try members.take("changes")?.array() {
                guard event.changes.count == changes.count else { throw ScenarioFailure("\(event.changes)") }
                for (change, json) in zip(event.changes, changes) { try check(change, watch, json) }
            }
            if let rows = try members.take("rows")?.array() {
                guard let found = event.rows, found.count == rows.count else { throw ScenarioFailure("\(event)") }
                for (row, json) in zip(found, rows) { try check(row, json) }
            }
            try members.end()
        }
    }

    private func check(_ change: ObservedChange, _ watch: Watch, _ json: JSONValue) throws {
        var wanted = try Members(json)
        try check("kind", "\(change.kind)", &wanted)
        try check("table", change.table, &wanted)
        try check("position", Int64(change.position), &wanted)
        if let key = try wanted.take("key")?.array().map({ try scenarioValue($0) }) {
            guard key.count == change.key.count, zip(change.key, key).allSatisfy({ $0.isExactly($1) }) else {
                throw ScenarioFailure("the key is \(change.key)")
            }
        }
        for (name, row) in [("old", change.old), ("new", change.new)] {
            guard let json = wanted.take(name) else { continue }
            if case .null = json {
                if row != nil { throw ScenarioFailure("there is a row: \(name)") }
            } else if let row, case .object = json, let model = watch.model {
                try model.check(row.read { try read(model, $0) }, json)
            } else if let row {
                try check(row.row, json)
            } else {
                throw ScenarioFailure("there is no row: \(name)")
            }
        }
        try wanted.end()
    }

    private func check(_ row: StoredRow, _ json: JSONValue) throws {
        let found = (0..<row.count).map { row.value($0) }
        let wanted = try json.array().map { try scenarioValue($0) }
        guard found.count == wanted.count, zip(found, wanted).allSatisfy({ $0.isExactly($1) }) else {
            throw ScenarioFailure("a row is \(found), not \(wanted)")
        }
    }
}

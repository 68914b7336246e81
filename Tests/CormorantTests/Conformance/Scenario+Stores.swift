import Cormorant
import Foundation

extension Scenario {
    /// - Returns: false for a step that is not about stores.
    func performStore(_ verb: String, _ step: inout Members, _ expected: inout Members) throws -> Bool {
        if verb == "wait" {
            Thread.sleep(forTimeInterval: Double(try step.required("milliseconds").integer()) / 1000)
            return true
        }
        guard verb.hasPrefix("store") || verb == "compareAndSet" else { return false }
        let store = try database.store(step.required("store").string())
        switch verb {
        case "storePut":
            if let list = step.take("entries") {
                try store.put(contentsOf: list.array().map(storeEntry))
            } else {
                try store.put(contentsOf: [storeEntry(&step)])
            }
        case "storeGet":
            let entry = try store.entry(key(&step))
            try check("found", entry != nil, &expected)
            if let entry { versionRead = entry.version }
            if let wanted = expected.take("value") { try check(entry, wanted) }
            if let entry, try store[entry.key]?.isExactly(entry.value) != true {
                throw ScenarioFailure("store[key] is another value than the entry's")
            }
        case "storeContains": try check("found", store.contains(key(&step)), &expected)
        case "storeDelete": try check("found", store.delete(key(&step)), &expected)
        case "compareAndSet":
            let version = try step.required("version").string()
            var entry = try storeEntry(&step)
            entry.version = version == "read" ? versionRead : 0
            try check("found", store.compareAndSet(entry), &expected)
        case "storeScan":
            let entries = try store.entries(range(&step))
            if let keys = try expected.take("keys")?.array() {
                try compare(keys.map { try scenarioValue($0) }, entries.map { Value.text($0.key) })
            }
            if let values = try expected.take("values")?.array() {
                guard values.count == entries.count else { throw ScenarioFailure("\(entries.count) entries") }
                for (entry, wanted) in zip(entries, values) { try check(entry, wanted) }
            }
        case "storeCount": try check("count", store.count(range(&step)), &expected)
        case "storeClear": try store.clear(range(&step))
        case "storePurge": try check("count", store.purge(), &expected)
        case "storeAdopt": try check("count", store.adopt(table: step.required("table").string()), &expected)
        default: return false
        }
        return true
    }

    private func compare(_ wanted: [Value], _ found: [Value]) throws {
        guard wanted.count == found.count, zip(found, wanted).allSatisfy({ $0.isExactly($1) }) else {
            throw ScenarioFailure("keys are \(found)")
        }
    }

    private func key(_ step: inout Members) throws -> String {
        guard case .text(let key) = try scenarioValue(step.required("key")) else {
            throw ScenarioFailure("a key is a text")
        }
        return key
    }

    private func storeEntry(_ json: JSONValue) throws -> KeyValueEntry {
        var members = try Members(json)
        let entry = try storeEntry(&members)
        try members.end()
        return entry
    }

    private func storeEntry(_ members: inout Members) throws -> KeyValueEntry {
        let (value, isJSON) = try stored(members.required("value"))
        let lifetime = try members.take("expiresIn")?.integer()
        return KeyValueEntry(
            key: try key(&members), value: value, isJSON: isJSON,
            expires: try lifetime.map { try KeyValueStore.expiry(after: .milliseconds($0)) })
    }

    /// A value, or `{"json": text}`.
    private func stored(_ json: JSONValue) throws -> (Value, isJSON: Bool) {
        if case .object(let members) = json, let text = members["json"] { return (.text(try text.string()), true) }
        return (try scenarioValue(json), false)
    }

    private func check(_ entry: KeyValueEntry?, _ json: JSONValue) throws {
        let (wanted, isJSON) = try stored(json)
        guard let entry, entry.value.isExactly(wanted), entry.isJSON == isJSON else {
            throw ScenarioFailure("the value is \(String(describing: entry?.value)), not \(wanted)")
        }
    }

    private func range(_ step: inout Members) throws -> KeyValueRange {
        func text(_ name: String) throws -> String? {
            guard let json = step.take(name) else { return nil }
            guard case .text(let text) = try scenarioValue(json) else { throw ScenarioFailure("a key is a text") }
            return text
        }
        return KeyValueRange(
            prefix: try text("prefix"), start: try text("start"), end: try text("end"), after: try text("after"),
            limit: try step.take("limit").map { Int(try $0.integer()) })
    }
}

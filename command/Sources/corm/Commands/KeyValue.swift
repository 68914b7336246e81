import ArgumentParser
import CormorantBase
import CormorantKeyValue
import CormorantORM
import CormorantSQLite

/// Reads and writes key-value stores.
struct KeyValue: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kv", abstract: "Read and write the key-value stores of a file.",
        subcommands: [Get.self, Put.self, Delete.self, List.self])

    /// A key of a store.
    struct Place: ParsableArguments {
        @OptionGroup var database: DatabaseFile

        @Argument(help: "The store.")
        var store: String

        @Argument(help: "The key.")
        var key: String
    }

    struct Get: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the value of a key as it is; exit status 1 when there is none.")

        @OptionGroup var place: Place

        @Flag(help: "Write the entry with its times as JSON.")
        var json = false

        func run() throws {
            guard let entry = try place.database.open().store(place.store).entry(place.key) else {
                throw noEntry(place)
            }
            if json { return try Output.standard.data(jsonText(of: entry)) }
            switch entry.value {
            case .blob(let bytes): try Output.standard.write(bytes: bytes)
            case .text(let text): try Output.standard.data(text)
            case .integer(let integer): try Output.standard.line("\(integer)")
            case .real(let real): try Output.standard.line("\(real)")
            case .null: try Output.standard.line("")
            }
        }
    }

    struct Put: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write a value, a text, in place of what the key has.")

        @OptionGroup var place: Place

        @Argument(help: "The value; - reads it from standard input.")
        var value: String

        @Flag(help: "The value is JSON.")
        var json = false

        @Option(help: "Seconds after which the entry stops being there.")
        var expires: Double?

        func run() throws {
            let text = value == "-" ? try readStandardInput() : value
            let time = try expires.map { seconds in
                guard seconds > 0, seconds < 1e15 else {
                    throw CormorantError(.range, "an entry cannot live \(seconds) seconds", hint: "give more than 0")
                }
                return try KeyValueStore.expiry(after: .milliseconds(Int64(seconds * 1000)))
            }
            try place.database.withoutLeavings {
                let database = try place.database.open(.create)
                let store = try database.store(place.store)
                // With the table, where it is made.
                try database.transaction {
                    if json {
                        try store.put(place.key, json: text, expires: time)
                    } else {
                        try store.put(place.key, .text(text), expires: time)
                    }
                }
            }
        }
    }

    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete the entry of a key; exit status 1 when there is none.")

        @OptionGroup var place: Place

        func run() throws {
            guard try place.database.open(.write).store(place.store).delete(place.key) else { throw noEntry(place) }
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List a store in the order of its keys.")

        @OptionGroup var database: DatabaseFile

        @Argument(help: "The store.")
        var store: String

        @Option(help: "Only keys that begin with it.")
        var prefix: String?

        @Flag(help: "Write an array of JSON objects with values and times.")
        var json = false

        func run() throws {
            let store = try database.open().store(store)
            var range = KeyValueRange(prefix: prefix, limit: 1_000)
            var separator = "[\n"
            while true {
                let page = try store.entries(range)
                for entry in page {
                    if json {
                        try Output.standard.write(bytes: (separator + jsonText(of: entry)).utf8)
                        separator = ",\n"
                    } else {
                        try Output.standard.line("\(visible(entry.key))\t\(shown(entry.value))")
                    }
                }
                guard let last = page.last, page.count == 1_000 else { break }
                try Interruption.check()
                range.after = last.key
            }
            if json { try Output.standard.write(separator == "[\n" ? "[]\n" : "\n]\n") }
        }
    }
}

private func noEntry(_ place: KeyValue.Place) -> CormorantError {
    CormorantError(
        .noRecord, "the store \"\(visible(place.store))\" has no key \"\(visible(place.key))\"",
        hint: "corm kv list shows its keys")
}

/// A value on a line, not too long for it.
private func shown(_ value: Value) -> String {
    switch value {
    case .null: return "NULL"
    case .integer(let integer): return "\(integer)"
    case .real(let real): return "\(real)"
    case .text(let text): return visible(text.count > 200 ? "\(text.prefix(200))…" : text)
    case .blob(let bytes): return "\(bytes.count) bytes"
    }
}

/// The entry as one JSON object; a blob is its base64, and JSON is what it says.
private func jsonText(of entry: KeyValueEntry) -> String {
    var json = Array("{\"key\":".utf8)
    appendJSONString(entry.key.utf8, to: &json)
    json.append(contentsOf: ",\"value\":".utf8)
    switch entry.value {
    case .null: json.append(contentsOf: "null".utf8)
    case .integer(let integer): json.append(contentsOf: "\(integer)".utf8)
    case .real(let real): json.append(contentsOf: jsonNumber(real).utf8)
    case .text(let text) where entry.isJSON: json.append(contentsOf: text.utf8)
    case .text(let text): appendJSONString(text.utf8, to: &json)
    case .blob(let bytes):
        json.append(UInt8(ascii: "\""))
        bytes.withUnsafeBytes { appendBase64($0, to: &json) }
        json.append(UInt8(ascii: "\""))
    }
    let expires = entry.expires.map(String.init) ?? "null"
    json.append(contentsOf: ",\"created\":\(entry.created),\"updated\":\(entry.updated),\"expires\":\(expires)}".utf8)
    return String(decoding: json, as: UTF8.self)
}

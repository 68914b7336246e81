import CormorantSQLite

/// Writes a JSON document on one line, such as those of plans and statuses.
package struct JSONDocument {
    package private(set) var text = ""
    private var needsComma = false

    package init() {}

    package mutating func object(_ members: (inout JSONDocument) -> Void) {
        open("{")
        members(&self)
        close("}")
    }

    package mutating func member(_ name: String, _ value: String?) {
        key(name)
        if let value { self.value(value) } else { raw("null") }
    }

    package mutating func member(_ name: String, _ value: Int64?) {
        key(name)
        raw(value.map(String.init) ?? "null")
    }

    package mutating func member(_ name: String, _ value: Bool) {
        key(name)
        raw(value ? "true" : "false")
    }

    package mutating func object(_ name: String, _ members: (inout JSONDocument) -> Void) {
        key(name)
        object(members)
    }

    /// A value that is JSON already.
    package mutating func member(_ name: String, json: String) {
        key(name)
        raw(json)
    }

    package mutating func array<Element>(
        _ name: String, _ elements: [Element], _ each: (inout JSONDocument, Element) -> Void
    ) {
        key(name)
        array(elements, each)
    }

    package mutating func array<Element>(_ elements: [Element], _ each: (inout JSONDocument, Element) -> Void) {
        open("[")
        for element in elements { each(&self, element) }
        close("]")
    }

    package mutating func value(_ text: String) { raw(quotedJSON(text)) }

    private mutating func key(_ name: String) {
        raw(quotedJSON(name))
        text += ": "
        needsComma = false
    }

    private mutating func raw(_ token: String) {
        if needsComma { text += ", " }
        text += token
        needsComma = true
    }

    private mutating func open(_ bracket: String) {
        raw(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: String) {
        text += bracket
        needsComma = true
    }
}

private func quotedJSON(_ text: String) -> String {
    var bytes: [UInt8] = []
    appendJSONString(text.utf8, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
}

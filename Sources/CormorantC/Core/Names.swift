import CormorantBase

/// A list of names as one text, with commas between (value.h); NULL is none.
package func names(_ list: UnsafePointer<CChar>?, _ what: StaticString) throws -> [String] {
    guard let list else { return [] }
    guard String(validatingCString: list) != nil else {
        throw CormorantError(.encoding, "the list of \(what) is not UTF-8", hint: "convert it")
    }
    var reader = NameReader(list: list, what: what)
    var names: [String] = []
    repeat {
        names.append(try reader.name())
        try refuseCount(names.count, "names")
    } while try reader.comma()
    return names
}

/// The properties that an update is to write; nil: all but the key. Here a text of none is a list, too.
package func updatedNames(_ list: UnsafePointer<CChar>?) throws -> [String]? {
    guard let list else { return nil }
    return list.pointee == 0 ? [] : try names(list, "properties")
}

/// Reads the text from its beginning; UTF-8 has no byte of ASCII within a character.
private struct NameReader {
    let list: UnsafePointer<CChar>
    let what: StaticString
    private var place = 0

    init(list: UnsafePointer<CChar>, what: StaticString) {
        self.list = list
        self.what = what
    }

    private var byte: UInt8 { UInt8(bitPattern: list[place]) }
    private var isBlank: Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }

    private mutating func skipBlanks() {
        while isBlank { place += 1 }
    }

    mutating func name() throws -> String {
        skipBlanks()
        let isDescending = byte == UInt8(ascii: "-")
        if isDescending {
            place += 1
            skipBlanks()
        }
        let name = byte == UInt8(ascii: "\"") ? try quoted() : try plain()
        return isDescending ? "-" + name : name
    }

    private mutating func plain() throws -> String {
        let start = place
        var end = place
        while byte != 0, byte != UInt8(ascii: ",") {
            if !isBlank { end = place + 1 }
            place += 1
        }
        guard end > start else { throw wrong("lacks a name", start) }
        return text(start..<end)
    }

    private mutating func quoted() throws -> String {
        let opening = place
        var name = ""
        repeat {
            place += 1
            let start = place
            while byte != 0, byte != UInt8(ascii: "\"") { place += 1 }
            guard byte != 0 else { throw wrong("has a quote without end", opening) }
            // What follows a quote is behind its pair.
            name += text((start == opening + 1 ? start : start - 1)..<place)
            place += 1
        } while byte == UInt8(ascii: "\"")
        return name
    }

    /// Whether another name follows.
    mutating func comma() throws -> Bool {
        skipBlanks()
        guard byte != 0 else { return false }
        guard byte == UInt8(ascii: ",") else { throw wrong("lacks a comma", place) }
        place += 1
        return true
    }

    private func text(_ range: Range<Int>) -> String {
        let start = UnsafeRawPointer(list) + range.lowerBound
        return String(decoding: UnsafeRawBufferPointer(start: start, count: range.count), as: UTF8.self)
    }

    @inline(never)
    private func wrong(_ problem: String, _ place: Int) -> CormorantError {
        CormorantError(
            .misuse, "the list of \(what) \(problem) at byte \(place): \(String(cString: list))",
            hint: "write names with commas between, such as \"title, year\"; pass NULL for no list")
    }
}

import CormorantBase

/// Finds the records in a JSON text that is fed in chunks: walks along the path to them and stops at each element.
package final class JSONReader {
    package let model: ModelDescriptor
    let mappings: JSONMappings
    private let path: [JSONStep]
    private var text = JSONInput()
    private var state = State.value(0)
    /// Which steps of the path were found, and how many items each array on it had so far.
    private var found: [Bool]
    private var items: [Int]
    /// The element that comes next or is read now; nil: the one object that is no element.
    private var index: Int?
    /// The number of the first element that was read last; nil where it was none.
    package internal(set) var firstIndex: Int?
    /// Why it ended.
    private var failure: CormorantError?
    /// The levels of what was read last.
    package internal(set) var levels: [JSONLevel] = []

    /// What comes next. A number is how many steps of the path lead to it.
    private enum State {
        case value(Int)
        case key(Int, isFirst: Bool)
        case skipped(Int)
        case item(Int)
        case separator(Int)
        case element(isFirst: Bool)
        case afterElement
        case line
        case end
    }

    package init(_ model: ModelDescriptor, _ options: JSONOptions) throws {
        try model.validate()
        self.model = model
        path = try JSONStep.parse(options.path)
        guard path.isEmpty || !options.isLines else {
            throw CormorantError(.misuse, "lines have no path", hint: "leave the path out")
        }
        found = Array(repeating: false, count: path.count)
        items = Array(repeating: 0, count: path.count)
        if options.isLines { (state, index) = (.line, 0) }
        mappings = try JSONMappings(options)
        _ = try mappings.mapping(of: model)
    }

    deinit { text.free() }

    /// Takes the next bytes; none are the end.
    package func feed(_ bytes: UnsafeRawBufferPointer) throws {
        if let failure { throw failure }
        guard !text.isComplete else {
            throw CormorantError(.misuse, "the text has ended", hint: "make a reader for each text")
        }
        if bytes.isEmpty { text.isComplete = true } else { try text.append(bytes) }
    }

    /// Reads the next element that is complete.
    /// - Parameter read: gets the scanner at its start and the number of the element, nil where it is none, and leaves it at its
    ///   end.
    /// - Returns: whether there was one.
    func element(_ read: (inout JSONScanner, Int?) throws -> Void) throws -> Bool {
        if let failure { throw failure }
        do {
            guard try advance() else { return false }
        } catch {
            throw fail(JSONFault(error).explained(at: "$"))
        }
        var scanner = text.scanner
        do {
            try read(&scanner, index)
        } catch {
            throw fail(JSONFault(error).explained(at: root))
        }
        text.drop(scanner.position)
        if let number = index { index = number + 1 }
        return true
    }

    /// Reads no further: each call gives this error from now on.
    func fail(_ error: CormorantError) -> CormorantError {
        failure = error
        return error
    }

    /// Whether an element was refused, and the text is read no further.
    var hasFailed: Bool { failure != nil }

    /// The error of an element that was read before, after which the text is read no further.
    /// - Parameter number: which of the elements it is.
    func refused(_ fault: JSONFault, _ number: Int?) -> CormorantError {
        let error = fault.explained(at: root(index == nil ? nil : number))
        return fail(number.map(error.at(record:)) ?? error)
    }

    /// How the element is called in messages.
    private var root: String { root(index) }

    private func root(_ index: Int?) -> String {
        "$" + path.map(\.description).joined() + (index.map { "[\($0)]" } ?? "")
    }

    private func place(_ level: Int) -> (JSONFault) -> JSONFault {
        { fault in self.path[..<level].reversed().reduce(fault) { $0.within($1) } }
    }

    /// Goes to the next element; false when it is not complete yet, or there is none.
    private func advance() throws -> Bool {
        while true {
            var scanner = text.scanner
            if text.consumed == 0, scanner.end >= 3, scanner.base[0] == 0xEF, scanner.base[1] == 0xBB,
                scanner.base[2] == 0xBF
            {
                scanner.position = 3  // A byte order mark, which RFC 8259 lets readers ignore.
            } else if text.consumed == 0, scanner.end < 3, !text.isComplete {
                return false
            }
            scanner.skipSpace()
            text.drop(scanner.position)
            scanner = text.scanner
            if scanner.end == 0 {
                guard text.isComplete else { return false }
                switch state {
                case .line, .end: return false
                default: throw scanner.malformed("")
                }
            }
            if let isElement = try step(&scanner) { return isElement }
            text.drop(scanner.position)
        }
    }

    /// Takes one step towards the next element.
    /// - Returns: whether it stands there; nil when there is more to go.
    private func step(_ scanner: inout JSONScanner) throws -> Bool? {
        switch state {
        case .value(let level) where level == path.count: return try arrive(&scanner)
        case .value(let level):
            if case .key = path[level] {
                guard scanner.take("{") else { throw place(level)(scanner.expected("an object", .json)) }
                state = .key(level, isFirst: true)
            } else {
                guard scanner.take("[") else { throw place(level)(scanner.expected("an array", .json)) }
                state = .item(level)
            }
        case .key(let level, let isFirst):
            if isFirst, scanner.next == UInt8(ascii: "}") { return try close(level, &scanner) }
            guard scanner.next != UInt8(ascii: "\"") || text.hasValue() else { return false }
            // The colon belongs to the key: both are there, or the key is looked at again.
            var ahead = scanner
            if !text.isComplete {
                _ = try ahead.string()
                ahead.skipSpace()
                if ahead.position == ahead.end { return false }
            }
            let key = JSONStep.key(scanner.text(of: try scanner.key()))
            if key == path[level] {
                guard !found[level] else {
                    throw place(level + 1)(JSONFault(.json, "the key is given twice", "give each key once"))
                }
                found[level] = true
                state = .value(level + 1)
            } else {
                state = .skipped(level)
            }
        case .item(let level):
            if items[level] == 0, scanner.next == UInt8(ascii: "]") { return try close(level, &scanner) }
            if path[level] == .index(items[level]) {
                found[level] = true
                state = .value(level + 1)
            } else {
                state = .skipped(level)
            }
        case .skipped(let level):
            guard text.hasValue() else { return false }
            do { try scanner.skipValue() } catch { throw place(level)(JSONFault(error)) }
            state = .separator(level)
        case .separator(let level):
            let isObject = if case .key = path[level] { true } else { false }
            if scanner.take(",") {
                items[level] += 1
                state = isObject ? .key(level, isFirst: false) : .item(level)
            } else if scanner.next == UInt8(ascii: isObject ? "}" : "]") {
                return try close(level, &scanner)
            } else {
                throw place(level)(scanner.malformed(isObject ? "expected , or }" : "expected , or ]"))
            }
        case .element(let isFirst):
            if isFirst, scanner.take("]") {
                leave(path.count)
                return nil
            }
            guard text.hasValue() else { return false }
            state = .afterElement
            return true
        case .afterElement:
            if scanner.take(",") {
                state = .element(isFirst: false)
            } else if scanner.take("]") {
                index = nil
                leave(path.count)
            } else {
                throw place(path.count)(scanner.malformed("expected , or ]"))
            }
        case .line:
            return text.hasValue()
        case .end: throw scanner.malformed("expected the end of the text")
        }
        return nil
    }

    /// At the place that the path leads to.
    private func arrive(_ scanner: inout JSONScanner) throws -> Bool? {
        if scanner.take("[") {
            state = .element(isFirst: true)
            index = 0
            return nil
        }
        guard scanner.next == UInt8(ascii: "{") else {
            throw place(path.count)(scanner.expected("an object or an array of objects", .json))
        }
        guard text.hasValue() else { return false }
        leave(path.count)
        return true
    }

    /// Behind the value that so many steps lead to.
    private func leave(_ level: Int) { state = level == 0 ? .end : .separator(level - 1) }

    private func close(_ level: Int, _ scanner: inout JSONScanner) throws -> Bool? {
        guard found[level] else {
            let what = if case .key = path[level] { "the key is missing" } else { "the array is shorter" }
            throw place(level + 1)(JSONFault(.json, what, "check the path to the records"))
        }
        scanner.position += 1
        leave(level)
        return nil
    }
}

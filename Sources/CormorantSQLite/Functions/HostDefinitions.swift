import CSQLite
import CormorantBase

/// A function or a collation of the program's, or that there is none of the name any more.
package enum HostDefinition: Sendable {
    case function(String, Int32, HostFunction?)
    case collation(String, HostCollation?)

    fileprivate var key: ExactText {
        switch self {
        case .function(let name, let count, _): nameKey("\(count) \(name)")
        case .collation(let name, _): nameKey(name)
        }
    }

    fileprivate var isThere: Bool {
        switch self {
        case .function(_, _, let function): function != nil
        case .collation(_, let collation): collation != nil
        }
    }

    fileprivate var name: String {
        switch self {
        case .function(let name, _, _), .collation(let name, _): name
        }
    }
}

/// What the program brings to SQL, in the order in which it came, so that each connection gets what it lacks.
package struct HostDefinitions: Sendable {
    /// As it is called where another engine has none.
    package static let what = "functions and collations of the program's"
    package private(set) var version = 0
    private var newest: [ExactText: (version: Int, definition: HostDefinition)] = [:]

    package init() {}

    package mutating func set(_ definition: HostDefinition) {
        // What the program did not bring is not its to take away.
        guard definition.isThere || newest[definition.key] != nil else { return }
        version += 1
        newest[definition.key] = (version, definition)
    }

    fileprivate func since(_ version: Int) -> [HostDefinition] {
        newest.values.filter { $0.version > version }.sorted { $0.version < $1.version }.map(\.definition)
    }
}

extension Connection {
    /// Brings functions and collations of the program's that it does not have yet.
    /// - Parameter changed: told when the first of their calls begins, and when the last ends.
    package func bring(_ definitions: HostDefinitions, changed: @escaping (Bool) -> Void) throws {
        guard broughtVersion != definitions.version else { return }
        try requireSQLite(HostDefinitions.what)
        let calls = hostCalls ?? HostCalls(handle)
        calls.changed = changed
        hostCalls = calls
        for definition in definitions.since(broughtVersion) {
            switch definition {
            case .function(let name, let count, let function):
                // In the place of one of the program's there is the library's again.
                if function == nil, count == 2, foldIdentifier(name) == "regexp" {
                    try registerRegularExpressions()
                } else {
                    try setFunction(name, count, function, calls)
                }
            case .collation(let name, let collation): try setCollation(name, collation, calls)
            }
        }
        broughtVersion = definitions.version
    }

    /// Refuses names that the library or SQLite has a meaning for.
    package func checkName(of definition: HostDefinition) throws {
        let name = definition.name
        guard !name.isEmpty, name.utf8.count <= 255, !name.utf8.contains(0) else {
            throw CormorantError(
                .misuse, "the name \"\(visible(name))\" is empty or too long", hint: "give 1 to 255 bytes")
        }
        let isOwn = foldIdentifier(name).hasPrefix("corm_")
        switch definition {
        case .function(_, let count, _):
            guard -1...127 ~= count else {
                throw CormorantError(
                    .misuse, "the function \(name) cannot have \(count) arguments",
                    hint: "give 0 to 127, or -1 for any number")
            }
            let builtIn = try Statement(
                self, "SELECT 1 FROM pragma_function_list WHERE builtin AND name = ?1 COLLATE NOCASE")
            try builtIn.bind(.text(name), 1)
            guard try !isOwn && !builtIn.step() else { throw taken("function", name) }
        case .collation:
            guard !isOwn, !["binary", "nocase", "rtrim"].contains(foldIdentifier(name)) else {
                throw taken("collation", name)
            }
        }
    }
}

private func taken(_ what: String, _ name: String) -> CormorantError {
    CormorantError(
        .misuse, "\(name) is a \(what) that SQLite or the library has, and that files may rely on",
        hint: "give yours another name")
}

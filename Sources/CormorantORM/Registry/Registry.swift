import CormorantBase
import CormorantPostgres
import CormorantQuery
import CormorantSQLite
import CormorantThreads

/// A file that a registry has open, or is opening or closing. Guarded by the registry's lock.
final class RegistryFile {
    let name: String
    let path: String
    let options: OpenOptions
    var database: Database?
    /// What was opened, to notice when another file takes its place.
    var identity: FileIdentity?
    var holds = 0
    /// Grows with each time that one is given back.
    var lastUse = 0
    /// A thread opens or closes it, under no lock; nobody else touches it then.
    var isBusy = true
    /// Closed as soon as nobody holds it.
    var isPassing: Bool

    init(_ name: String, _ path: String, _ options: OpenOptions, isPassing: Bool) {
        self.name = name
        self.path = path
        self.options = options
        self.isPassing = isPassing
    }
}

/// Databases by name: those of a folder ("users/{name}.db"), and those that are registered one by one. Each is opened when it
/// is first used and stays open while it is held; of those that nobody holds, the one used longest ago is closed when there
/// are too many. Safe to share between threads.
public final class Registry: @unchecked Sendable {  // `monitor` guards all that changes
    struct Registration {
        let path: String
        let options: OpenOptions
    }

    /// How many databases are open at once at most. Each has a few files: its own and its log, once more for each of its
    /// readers that is open.
    public let limit: Int
    private let pattern: RegistryPattern?
    private let options: OpenOptions
    let monitor = Monitor(.registry)
    private var registered: [ExactText: Registration] = [:]
    /// The name of each file that was registered.
    private var names: [ExactText: String] = [:]
    var files: [ExactText: RegistryFile] = [:]
    /// Threads that wait to open a file, in their order.
    var queue: [Int] = []
    var newestTicket = 0
    var isClosed = false
    private var defaultOne: String?
    private var currentOne: String?
    private var kept: (any Companion)?

    /// - Parameters:
    ///   - pattern: which files are databases without being registered, `{name}` in the place of their names; nil: none.
    ///   - limit: how many are open at once at most.
    ///   - options: how to open them. The busy timeout is also how long a call waits when all that may be open are held.
    public init(_ pattern: String? = nil, limit: Int = 64, options: OpenOptions = OpenOptions()) throws {
        guard limit > 0 else {
            throw CormorantError(.misuse, "no database may be open at a limit of \(limit)", hint: "give 1 or more")
        }
        self.pattern = try pattern.map(RegistryPattern.init)
        self.limit = limit
        self.options = options
    }

    // Names ---------------------------------------------------------------------------------------------------------

    /// Gives a file a name. It need not be there yet.
    /// - Parameter options: how to open it; nil: as the registry opens the others.
    public func register(_ name: String, path: String, options: OpenOptions? = nil) throws {
        try refuseNUL(name, "name")
        try refuseNUL(path, "path")
        try refuseURI(path, "a registry finds files by their paths")
        guard path != ":memory:" else {
            throw CormorantError(
                .misuse, "a database in memory would be lost when it is closed", hint: "register a file")
        }
        let isURL = isServerURL(path)
        let path = isURL ? path : absolutePath(path)
        let file = isURL ? path : canonicalPath(path)
        try whileOpen {
            guard registered[ExactText(name)] == nil else {
                throw CormorantError(
                    .misuse, "a database is called \"\(shown(name))\" already", hint: "give it another name")
            }
            if let other = names[ExactText(file)] {
                let place = isURL ? PostgresConnection.shown(path) : path
                throw CormorantError(
                    .misuse, "\"\(place)\" is registered as \"\(shown(other))\" already", hint: "use that name")
            }
            // The pattern gives files names of their own, which are open until there is no room for them.
            let open = files.values.first { isSame($0.name, name) != isSame(canonicalPath($0.path), file) }
            if let open {
                let what =
                    isSame(open.name, name)
                    ? "\"\(shown(name))\" is another file" : "the file is \"\(shown(open.name))\""
                throw CormorantError(.misuse, "\(what), which is open", hint: "use that name, or close it first")
            }
            registered[ExactText(name)] = Registration(path: path, options: options ?? self.options)
            names[ExactText(file)] = name
        }
    }

    /// The names of all databases: those registered, and those in the folder whose files are there.
    @available(*, noasync)
    public func allNames() throws -> [String] {
        let known = try whileOpen { registered.keys.map(\.text) }
        let found = try pattern?.names() ?? []
        return Set((known + found).map { ExactText($0) }).sorted().map(\.text)
    }

    /// The name that is used where none is given and none is current.
    public var defaultName: String? { try? whileOpen { defaultOne } }

    /// Makes a name the one that is used where none is given and none is current.
    public func setDefault(_ name: String?) throws {
        try whileOpen {
            if let name { _ = try place(of: name) }
            defaultOne = name
        }
    }

    /// The name that is used where none is given: the current one, else the default one.
    public var currentName: String? { try? whileOpen { currentOne ?? defaultOne } }

    /// Makes a name the one that is used where none is given, by all threads; nil: the default one again.
    public func setCurrent(_ name: String?) throws {
        try whileOpen {
            if let name { _ = try place(of: name) }
            currentOne = name
        }
    }

    func required(_ name: String?) throws -> String {
        guard let name = name ?? currentOne ?? defaultOne else {
            throw CormorantError(
                .misuse, "no database is named, and none is current", hint: "give a name, or set a default")
        }
        return name
    }

    func place(of name: String) throws -> Registration {
        if let found = registered[ExactText(name)] { return found }
        guard let pattern else {
            throw CormorantError(
                .misuse, "no database is called \"\(shown(name))\"",
                hint: nearestNames(to: name, registered.keys.sorted().map(\.text)))
        }
        let path = try pattern.path(name)
        if !names.isEmpty, let other = names[ExactText(canonicalPath(path))] {
            throw CormorantError(
                .misuse, "the file of \"\(shown(name))\" is registered as \"\(shown(other))\"", hint: "use that name")
        }
        return Registration(path: path, options: options)
    }

    /// Where a database lies, and how it is opened.
    package func location(_ name: String) throws -> (path: String, options: OpenOptions) {
        let place = try whileOpen { try self.place(of: name) }
        return (place.path, place.options)
    }

    @inline(never)
    func whileOpen<T>(_ body: () throws -> T) throws -> T {
        try refuseFork()
        return try monitor.locked {
            try refuseClosed()
            return try body()
        }
    }

    func refuseFork() throws {
        guard monitor.isForked else { return }
        throw CormorantError(
            .misuse, "the registry was opened before this process was forked",
            hint: "open it anew in the child, and leave the parent's alone")
    }

    func refuseClosed() throws {
        guard isClosed else { return }
        throw CormorantError(.misuse, "the registry is closed", hint: "open it anew")
    }

    // Using ---------------------------------------------------------------------------------------------------------

    /// A database, which is opened if it is not, and stays open until the lease is released or goes away.
    /// - Parameter name: nil: the current one.
    @available(*, noasync)
    public func use(_ name: String? = nil) throws -> Lease { try use(name, isPassing: false) }

    /// Runs `body` with a database.
    /// - Parameter name: nil: the current one.
    @available(*, noasync)
    public func use<T>(_ name: String? = nil, _ body: (Database) throws -> T) throws -> T {
        let lease = try use(name)
        defer { try? lease.release() }
        return try body(lease.database)
    }

    /// - Parameter isPassing: closes it afterwards, if it was not open before.
    package func use(_ name: String?, isPassing: Bool) throws -> Lease {
        try refuseFork()
        let (file, database) = try take(name, isPassing)
        return Lease(self, file, database)
    }

    /// The same without waiting and without touching files that are not open; nil where that is not enough.
    package func useIfOpen(_ name: String?) throws -> Lease? {
        let found = try whileOpen { () -> (RegistryFile, Database)? in
            guard let file = files[ExactText(try required(name))], !file.isBusy, let database = file.database,
                file.holds > 0 || isAsOpened(file, database)
            else { return nil }
            file.holds += 1
            file.isPassing = false
            return (file, database)
        }
        return found.map { Lease(self, $0.0, $0.1) }
    }

    /// The registry's companion; made when first asked for.
    package func companion<Kind: Companion>(_ make: () -> Kind) -> Kind {
        monitor.locked {
            if let ready = kept as? Kind { return ready }
            let made = make()
            kept = made
            return made
        }
    }

    /// Whether nobody closed it, removed the file or put another in its place.
    func isAsOpened(_ file: RegistryFile, _ database: Database) -> Bool {
        !database.isClosed && FileIdentity(file.path) == file.identity
    }
}

import CormorantBase
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
    /// When it was given back last.
    var turn = 0
    /// A thread opens or closes it.
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
    private struct Registration {
        let path: String
        let options: OpenOptions
    }

    /// How many databases are open at once at most. Each has a few files: its own and its log, once more for each of its
    /// readers that is open.
    public let limit: Int
    private let pattern: RegistryPattern?
    private let options: OpenOptions
    private let monitor = Monitor()
    private var registered: [String: Registration] = [:]
    /// The name of each file that was registered.
    private var names: [String: String] = [:]
    private var files: [String: RegistryFile] = [:]
    /// Threads that wait to open a file, in their order.
    private var queue: [Int] = []
    private var turns = 0
    private var isClosed = false
    private var defaultOne: String?
    private var currentOne: String?
    private var kept: AnyObject?

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
        let path = absolutePath(path)
        let file = canonicalPath(path)
        try whileOpen {
            guard registered[name] == nil else {
                throw CormorantError(
                    .misuse, "a database is called \"\(shown(name))\" already", hint: "give it another name")
            }
            if let other = names[file] {
                throw CormorantError(
                    .misuse, "\"\(path)\" is registered as \"\(shown(other))\" already", hint: "use that name")
            }
            registered[name] = Registration(path: path, options: options ?? self.options)
            names[file] = name
        }
    }

    /// The names of all databases: those registered, and those in the folder whose files are there.
    public func allNames() throws -> [String] {
        let known = try whileOpen { Array(registered.keys) }
        let found = try pattern?.names() ?? []
        return Set(known + found).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
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

    private func required(_ name: String?) throws -> String {
        guard let name = name ?? currentOne ?? defaultOne else {
            throw CormorantError(
                .misuse, "no database is named, and none is current", hint: "give a name, or set a default")
        }
        return name
    }

    private func place(of name: String) throws -> Registration {
        if let found = registered[name] { return found }
        guard let pattern else {
            throw CormorantError(
                .misuse, "no database is called \"\(shown(name))\"",
                hint: nearestNames(to: name, registered.keys.sorted()))
        }
        let path = try pattern.path(name)
        if !names.isEmpty, let other = names[canonicalPath(path)] {
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

    private func whileOpen<T>(_ body: () throws -> T) throws -> T {
        try refuseFork()
        return try monitor.locked {
            try refuseClosed()
            return try body()
        }
    }

    private func refuseFork() throws {
        guard monitor.isForked else { return }
        throw CormorantError(
            .misuse, "the registry was opened before this process was forked",
            hint: "open it anew in the child, and leave the parent's alone")
    }

    private func refuseClosed() throws {
        guard isClosed else { return }
        throw CormorantError(.misuse, "the registry is closed", hint: "open it anew")
    }

    // Using ---------------------------------------------------------------------------------------------------------

    /// A database, which is opened if it is not, and stays open until the lease is released or goes away.
    /// - Parameter name: nil: the current one.
    public func use(_ name: String? = nil) throws -> Lease { try use(name, isPassing: false) }

    /// Runs `body` with a database.
    /// - Parameter name: nil: the current one.
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
            guard let file = files[try required(name)], !file.isBusy, let database = file.database,
                file.holds > 0 || isAsOpened(file, database)
            else { return nil }
            file.holds += 1
            file.isPassing = false
            return (file, database)
        }
        return found.map { Lease(self, $0.0, $0.1) }
    }

    /// What a face keeps with the registry; made when first asked for.
    package func companion<Companion: AnyObject>(_ make: () -> Companion) -> Companion {
        monitor.locked {
            if let ready = kept as? Companion { return ready }
            let made = make()
            kept = made
            return made
        }
    }

    /// Whether nobody closed it, removed the file or put another in its place.
    private func isAsOpened(_ file: RegistryFile, _ database: Database) -> Bool {
        !database.isClosed && FileIdentity(file.path) == file.identity
    }

    private func take(_ given: String?, _ isPassing: Bool) throws -> (RegistryFile, Database) {
        monitor.lock()
        defer { monitor.unlock() }
        try refuseClosed()
        let name = try required(given)
        // One that is open was looked at when it was opened.
        let place = try files[name].map { Registration(path: $0.path, options: $0.options) } ?? self.place(of: name)
        let end = monotonicTime() &+ Int64(min(max(0, place.options.busyTimeout), 1 << 40)) &* 1_000_000
        turns += 1
        let turn = turns
        var refusing: Set<String> = []
        defer {
            if let mine = queue.firstIndex(of: turn) {
                queue.remove(at: mine)
                monitor.changed()
            }
        }
        while true {
            try refuseClosed()
            if let file = files[name] {
                if !file.isBusy, let database = file.database {
                    if file.holds > 0 || isAsOpened(file, database) {
                        file.holds += 1
                        file.isPassing = file.isPassing && isPassing
                        return (file, database)
                    }
                    guard close(file) else { throw inUse(name) }
                    continue
                }
            } else if queue.first ?? turn == turn {
                if files.count < limit {
                    let file = RegistryFile(name, place.path, place.options, isPassing: isPassing)
                    return (file, try open(file))
                }
                let idle = files.values.filter { !$0.isBusy && $0.holds == 0 && !refusing.contains($0.name) }
                if let oldest = idle.min(by: { $0.turn < $1.turn }) {
                    if !close(oldest) { refusing.insert(oldest.name) }
                    continue
                }
            }
            // Who waits for a file that another thread opens or closes needs no room.
            if files[name] == nil, !queue.contains(turn) { queue.append(turn) }
            let left = end &- monotonicTime()
            guard left > 0 else { throw isFull(name) }
            guard !Threads.isCancelled else {
                throw CormorantError(.interrupted, "the thread's calls are cancelled")
            }
            monitor.wait(min(left, 100_000_000))
            refusing = []
        }
    }

    private func isFull(_ name: String) -> CormorantError {
        if files[name] != nil { return inUse(name) }
        return CormorantError(
            .busy, "all \(limit) databases that may be open are in use for longer than the busy timeout",
            hint: "give databases back sooner, hold one at a time, or open the registry with a higher limit")
    }

    private func inUse(_ name: String) -> CormorantError {
        CormorantError(
            .busy, "\"\(shown(name))\" is being opened or closed for longer than the busy timeout", hint: "try again")
    }

    /// Opens a file, without the lock meanwhile.
    private func open(_ file: RegistryFile) throws -> Database {
        files[file.name] = file
        monitor.unlock()
        let opened = Result { try Database(path: file.path, options: file.options) }
        monitor.lock()
        defer { monitor.changed() }
        file.isBusy = false
        do {
            file.database = try opened.get()
        } catch {
            files[file.name] = nil
            throw error
        }
        file.identity = FileIdentity(file.path)
        file.holds = 1
        return try opened.get()
    }

    /// Closes a file that nobody holds, without the lock meanwhile.
    /// - Returns: false when somebody uses it without holding it.
    private func close(_ file: RegistryFile) -> Bool {
        file.isBusy = true
        monitor.unlock()
        let isDone = (try? file.database?.closeIfFree()) ?? true
        monitor.lock()
        file.isBusy = false
        if isDone {
            file.database = nil
            files[file.name] = nil
        }
        monitor.changed()
        return isDone
    }

    // Giving back ---------------------------------------------------------------------------------------------------

    /// - Returns: false in the child of a fork, where nothing is to be done.
    func end(_ lease: Lease) throws -> Bool {
        if monitor.isForked { return false }
        return try monitor.locked {
            guard lease.isHeld else {
                throw CormorantError(.misuse, "the lease was released already", hint: "release each once")
            }
            lease.isHeld = false
            return true
        }
    }

    func giveBack(_ file: RegistryFile) {
        monitor.locked {
            file.holds -= 1
            guard file.holds == 0 else { return }
            turns += 1
            file.turn = turns
            // The next to use it is to find it as any other.
            let isChanged = file.database?.hasOwnSettings.isSet ?? false
            if file.isPassing || isChanged { _ = close(file) }
            monitor.changed()
        }
    }

    /// How many databases are open now.
    public var openCount: Int { (try? whileOpen { files.count }) ?? 0 }

    /// Closes a database's file, if it is open: to move or remove it. Waits up to a second for those who hold it.
    public func closeFile(_ name: String) throws {
        try refuseFork()
        try monitor.locked {
            try refuseClosed()
            _ = try place(of: name)
            for _ in 0..<20 {
                guard let file = files[name] else { return }
                if !file.isBusy, file.holds == 0, close(file) { return }
                monitor.wait(50_000_000)
            }
            throw held([name])
        }
    }

    /// Closes the registry and all its databases. Waits up to a second for those who hold some; if they do not give them back,
    /// nothing is closed but those that nobody holds.
    public func close() throws {
        if monitor.isForked { return }
        try monitor.locked {
            try refuseClosed()
            for _ in 0..<20 {
                for file in Array(files.values) where !file.isBusy && file.holds == 0 { _ = close(file) }
                guard !isClosed, !files.isEmpty else { break }
                monitor.wait(50_000_000)
            }
            guard files.isEmpty else { throw held(files.keys.sorted()) }
            isClosed = true
        }
    }

    private func held(_ names: [String]) -> CormorantError {
        let list = names.prefix(5).map { "\"\(shown($0))\"" }.joined(separator: ", ")
        return CormorantError(
            .misuse, "\(list)\(names.count > 5 ? " and others are" : names.count == 1 ? " is" : " are") in use",
            hint: "give databases back before closing")
    }
}

extension Registry {
    /// Attaches a database of the registry to another one, under a name of its own, until that one is given back.
    public func attach(_ name: String, to database: Database, as schema: String) throws {
        let place = try location(name)
        database.retireReaders()
        try database.withConnection { try $0.attach(place.path, as: schema, codecs: place.options.codecs) }
    }
}

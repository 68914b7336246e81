import CormorantBase
import CormorantSQLite
import CormorantThreads

// Which files are open. What is decided under the lock is done without it, for opening and closing take long: who is to open
// or close a file has it to itself meanwhile (`isBusy`), and notes under the lock what came of it.

extension Registry {
    /// What a thread asks for that uses a database.
    private final class Request {
        let name: String
        let place: Registration
        let isPassing: Bool
        /// By the monotonic clock.
        let end: Int64
        /// Its place in the queue.
        let ticket: Int
        /// Files that could not be closed, because somebody uses their databases without holding them.
        var refusing: Set<ExactText> = []

        init(_ name: String, _ place: Registration, isPassing: Bool, ticket: Int) {
            self.name = name
            self.place = place
            self.isPassing = isPassing
            self.ticket = ticket
            end = time(after: max(0, place.options.busyTimeout))
        }
    }

    /// What comes next for a request.
    private enum Step {
        case use(RegistryFile, Database)
        case open(RegistryFile)
        case close(RegistryFile)
    }

    func take(_ given: String?, _ isPassing: Bool) throws -> (RegistryFile, Database) {
        let request = try whileOpen { try makeRequest(given, isPassing) }
        defer { monitor.locked { leaveQueue(request) } }
        while true {
            switch try monitor.locked({ try next(request) }) {
            case .use(let file, let database): return (file, database)
            case .open(let file): return (file, try open(file))
            case .close(let file):
                if close(file) { continue }
                if isSame(file.name, request.name) { throw inUse(file.name) }
                request.refusing.insert(ExactText(file.name))
            }
        }
    }

    private func makeRequest(_ given: String?, _ isPassing: Bool) throws -> Request {
        let name = try required(given)
        // One that is open was looked at when it was opened.
        let place =
            try files[ExactText(name)].map { Registration(path: $0.path, options: $0.options) } ?? self.place(of: name)
        newestTicket += 1
        return Request(name, place, isPassing: isPassing, ticket: newestTicket)
    }

    private func leaveQueue(_ request: Request) {
        guard let mine = queue.firstIndex(of: request.ticket) else { return }
        queue.remove(at: mine)
        monitor.changed()
    }

    /// Under the lock, which is let go only to wait until there is something to do.
    private func next(_ request: Request) throws -> Step {
        let name = request.name
        while true {
            try refuseClosed()
            if let step = step(request) { return step }
            // Who waits for a file that another thread opens or closes needs no room.
            if files[ExactText(name)] == nil, !queue.contains(request.ticket) { queue.append(request.ticket) }
            let left = request.end &- monotonicTime()
            guard left > 0 else { throw isFull(name) }
            guard !Threads.isCancelled else {
                throw CormorantError(.interrupted, "the thread's calls are cancelled")
            }
            monitor.wait(min(left, 100_000_000))
            request.refusing = []
        }
    }

    /// Under the lock. What can be done now; nil: nothing.
    private func step(_ request: Request) -> Step? {
        if let file = files[ExactText(request.name)] {
            guard !file.isBusy, let database = file.database else { return nil }
            guard file.holds > 0 || isAsOpened(file, database) else {
                file.isBusy = true
                return .close(file)
            }
            file.holds += 1
            file.isPassing = file.isPassing && request.isPassing
            return .use(file, database)
        }
        guard queue.first ?? request.ticket == request.ticket else { return nil }
        if files.count < limit {
            let file = RegistryFile(
                request.name, request.place.path, request.place.options, isPassing: request.isPassing)
            files[ExactText(request.name)] = file
            return .open(file)
        }
        let idle = files.values.filter { $0.isIdle && !request.refusing.contains(ExactText($0.name)) }
        guard let oldest = idle.min(by: { $0.lastUse < $1.lastUse }) else { return nil }
        oldest.isBusy = true
        return .close(oldest)
    }

    private func isFull(_ name: String) -> CormorantError {
        if files[ExactText(name)] != nil { return inUse(name) }
        return CormorantError(
            .busy, "all \(limit) databases that may be open are in use for longer than the busy timeout",
            hint: "give databases back sooner, hold one at a time, or open the registry with a higher limit")
    }

    private func inUse(_ name: String) -> CormorantError {
        CormorantError(
            .busy, "\"\(shown(name))\" is being opened or closed for longer than the busy timeout", hint: "try again")
    }

    // Under no lock ------------------------------------------------------------------------------------------------

    /// Opens a file that the caller has to itself, and holds it.
    private func open(_ file: RegistryFile) throws -> Database {
        do {
            let database = try Database(path: file.path, options: file.options)
            let identity = FileIdentity(file.path)
            monitor.locked {
                file.database = database
                file.identity = identity
                file.holds = 1
                file.isBusy = false
                monitor.changed()
            }
            return database
        } catch {
            monitor.locked {
                files[ExactText(file.name)] = nil
                monitor.changed()
            }
            throw error
        }
    }

    /// Closes a file that the caller has to itself.
    /// - Returns: false when somebody uses its database without holding it.
    private func close(_ file: RegistryFile) -> Bool {
        let database = file.database
        // It throws, too, where it is closed already.
        let isClosed = (try? database?.closeIfFree()) ?? (database?.isClosed ?? true)
        // What goes with the database goes under no lock.
        return withExtendedLifetime(database) {
            monitor.locked {
                file.isBusy = false
                if isClosed {
                    file.database = nil
                    files[ExactText(file.name)] = nil
                }
                monitor.changed()
                return isClosed
            }
        }
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
        let isLast = monitor.locked {
            file.holds -= 1
            guard file.holds == 0 else { return false }
            newestTicket += 1
            file.lastUse = newestTicket
            // The next to use it is to find it as any other.
            file.isBusy = file.isPassing || file.database?.hasOwnSettings.isSet ?? false
            monitor.changed()
            return file.isBusy
        }
        if isLast { _ = close(file) }
    }

    /// Under the lock. Those that nobody uses, which the caller has to itself from here on.
    private func takeIdle(_ isMeant: (RegistryFile) -> Bool) -> [RegistryFile] {
        let idle = files.values.filter { $0.isIdle && isMeant($0) }
        for file in idle { file.isBusy = true }
        return idle
    }

    /// How many databases are open now.
    public var openCount: Int { (try? whileOpen { files.count }) ?? 0 }

    /// Closes a database's file, if it is open: to move or remove it. Waits up to a second for those who hold it.
    @available(*, noasync)
    public func closeFile(_ name: String) throws {
        try whileOpen { _ = try place(of: name) }
        for _ in 0..<20 {
            let (idle, isThere) = monitor.locked { (takeIdle { isSame($0.name, name) }, files[ExactText(name)] != nil) }
            if !isThere { return }
            for file in idle where close(file) { return }
            monitor.locked { monitor.wait(50_000_000) }
        }
        throw held([name])
    }

    /// Closes the registry and all its databases. Waits up to a second for those who hold some; if they do not give them back,
    /// nothing is closed but those that nobody holds.
    @available(*, noasync)
    public func close() throws {
        if monitor.isForked { return }
        try whileOpen {}
        for _ in 0..<20 {
            for file in monitor.locked({ takeIdle { _ in true } }) { _ = close(file) }
            if monitor.locked({ closeIfEmpty() }) { return }
            monitor.locked { monitor.wait(50_000_000) }
        }
        try monitor.locked {
            guard closeIfEmpty() else { throw held(files.keys.sorted().map(\.text)) }
        }
    }

    /// Under the lock.
    private func closeIfEmpty() -> Bool {
        if files.isEmpty { isClosed = true }
        return isClosed
    }

    private func held(_ names: [String]) -> CormorantError {
        let list = names.prefix(5).map { "\"\(shown($0))\"" }.joined(separator: ", ")
        return CormorantError(
            .misuse, "\(list)\(names.count > 5 ? " and others are" : names.count == 1 ? " is" : " are") in use",
            hint: "give databases back before closing")
    }
}

extension RegistryFile {
    /// Whether nobody uses it. Under the registry's lock.
    fileprivate var isIdle: Bool { !isBusy && holds == 0 }
}

extension Registry {
    /// Attaches a database of the registry to another one, under a name of its own, until that one is given back.
    @available(*, noasync)
    public func attach(_ name: String, to database: Database, as schema: String) throws {
        let place = try location(name)
        try database.attach(place.path, as: schema, codecs: place.options.codecs)
    }
}

#if canImport(Darwin)
    import CormorantBase
    import CormorantPlatform
    import CormorantThreads

    /// The same by kqueue, which tells of files that are open. The database file is not opened for it: to close any
    /// descriptor of it would drop the locks that SQLite has on it. A commit writes the log or the journal, or takes the
    /// journal out of the folder, and on these nobody has locks.
    final class FileWatcher: @unchecked Sendable {  // `lock` guards everything below it
        static let shared = FileWatcher()

        /// As on Linux, in milliseconds.
        private static let rest: Int64 = 1
        private static let patience: Int64 = 300_000

        private let lock = RecursiveLock(.fileWatcher, outlivesForks: true)
        private var files: [ObjectIdentifier: WatchedFile] = [:]
        private var queue: Int32 = -1
        private var mark = ForkMark()

        /// The struct: the function has its name.
        private typealias Event = kevent

        private struct WatchedFile {
            weak var subscription: FileSubscription?
            let path: String
            let folder: Int32
            /// The descriptors of the log and the journal by their suffixes, while they are there.
            var open: [String: Int32] = [:]
            var lastWrite: Int64 = 0
            /// When to look again; nil: when something is written.
            var nextLook: Int64?
        }

        func add(_ subscription: FileSubscription) throws {
            lock.lock()
            defer { lock.unlock() }
            if mark.isForked { (files, queue, mark) = ([:], -1, ForkMark()) }
            try start()
            let path = subscription.path
            let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "."
            guard let descriptor = watch(folder) else { throw FileWatcher.failure("\"\(path)\" cannot be watched") }
            var file = WatchedFile(subscription: subscription, path: path, folder: descriptor)
            openLogs(of: &file)
            files[ObjectIdentifier(subscription)] = file
        }

        func remove(_ id: ObjectIdentifier) {
            lock.lock()
            defer { lock.unlock() }
            guard !mark.isForked, let gone = files.removeValue(forKey: id) else { return }
            for descriptor in gone.open.values { close(descriptor) }
            close(gone.folder)
            if files.isEmpty { _ = tell(UInt(0), EVFILT_USER, 0, NOTE_TRIGGER) }
        }

        private func start() throws {
            guard queue < 0 else { return }
            let made = kqueue()
            guard made >= 0 else { throw FileWatcher.failure("files cannot be watched") }
            queue = made
            do {
                // Wakes the thread when it is to end.
                guard tell(0, EVFILT_USER, EV_ADD | EV_CLEAR, 0) else {
                    throw FileWatcher.failure("files cannot be watched")
                }
                try BackgroundThread { FileWatcher.shared.run() }.detach()
            } catch {
                close(made)
                queue = -1
                throw error
            }
        }

        private func tell(_ ident: UInt, _ filter: Int32, _ flags: Int32, _ notes: Int32) -> Bool {
            var change = Event()
            change.ident = ident
            change.filter = Int16(truncatingIfNeeded: filter)
            change.flags = UInt16(truncatingIfNeeded: flags)
            change.fflags = UInt32(truncatingIfNeeded: notes)
            return kevent(queue, &change, 1, nil, 0, nil) == 0
        }

        /// The descriptor of a file or folder that is watched now; nil where it is not there, or cannot be.
        private func watch(_ path: String) -> Int32? {
            let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            let notes = NOTE_WRITE | NOTE_EXTEND | NOTE_DELETE | NOTE_RENAME
            guard tell(UInt(descriptor), EVFILT_VNODE, EV_ADD | EV_CLEAR, notes) else {
                close(descriptor)
                return nil
            }
            return descriptor
        }

        private func openLogs(of file: inout WatchedFile) {
            for suffix in ["-wal", "-journal"] where file.open[suffix] == nil {
                file.open[suffix] = watch(file.path + suffix)
            }
        }

        private static func failure(_ what: String) -> CormorantError {
            CormorantError(
                .io, "\(what): \(String(cString: strerror(errno)))",
                hint: "let the process open more files, or watch fewer")
        }
    }

    // On the thread ----------------------------------------------------------------------------------------------------

    extension FileWatcher {
        private func run() {
            while true {
                let due = readEvents()
                if isOver() { return }
                for subscription in due { subscription.changed() }
                if !due.isEmpty { sleepMilliseconds(UInt32(FileWatcher.rest)) }
            }
        }

        private func isOver() -> Bool {
            lock.lock()
            defer { lock.unlock() }
            guard files.isEmpty else { return false }
            close(queue)
            queue = -1
            return true
        }

        /// Waits, and returns the subscriptions to call now.
        private func readEvents() -> [FileSubscription] {
            lock.lock()
            let next = files.values.compactMap(\.nextLook).min()
            let queue = queue
            lock.unlock()
            let (written, gone) = FileWatcher.takeEvents(queue, next.map { max(0, $0 - FileWatcher.now()) })
            let now = FileWatcher.now()
            lock.lock()
            defer { lock.unlock() }
            var due: [FileSubscription] = []
            for id in Array(files.keys) {
                guard var file = files[id] else { continue }
                let logs = Set(file.open.values)
                for (suffix, descriptor) in file.open where gone.contains(descriptor) {
                    close(descriptor)
                    file.open[suffix] = nil
                }
                // The folder tells of the journal's end, which is the commit, and of every other file that comes or goes.
                let isInFolder = written.contains(file.folder)
                if isInFolder { openLogs(of: &file) }
                if !logs.isDisjoint(with: written) || !logs.isSuperset(of: file.open.values) { file.lastWrite = now }
                let isDue = file.nextLook.map { $0 <= now } ?? false
                if file.lastWrite == now || isDue {
                    let waited = now - file.lastWrite
                    file.nextLook = waited > FileWatcher.patience ? nil : now + max(FileWatcher.rest, waited / 4)
                }
                files[id] = file
                if isInFolder || file.lastWrite == now || isDue, let subscription = file.subscription {
                    due.append(subscription)
                }
            }
            return due
        }

        /// - Parameter timeout: milliseconds; nil: none.
        private static func takeEvents(_ queue: Int32, _ timeout: Int64?) -> (written: Set<Int32>, gone: Set<Int32>) {
            var written: Set<Int32> = []
            var gone: Set<Int32> = []
            // Nobody waits for a write longer than a day at a time.
            let timeout = timeout ?? 86_400_000
            var limit = timespec(tv_sec: Int(timeout / 1000), tv_nsec: Int(timeout % 1000 * 1_000_000))
            let events = [Event](unsafeUninitializedCapacity: 64) { buffer, count in
                count = max(0, Int(kevent(queue, nil, 0, buffer.baseAddress, 64, &limit)))
            }
            for event in events where Int32(event.filter) == EVFILT_VNODE {
                let descriptor = Int32(truncatingIfNeeded: event.ident)
                written.insert(descriptor)
                if event.fflags & UInt32(NOTE_DELETE | NOTE_RENAME) != 0 { gone.insert(descriptor) }
            }
            return (written, gone)
        }

        /// Milliseconds.
        private static func now() -> Int64 { monotonicTime() / 1_000_000 }
    }
#endif

#if os(Linux)
    import CormorantBase
    import CormorantPlatform
    import CormorantSQLite
    import CormorantThreads

    /// One thread for all files of the process that are watched. It sleeps until the kernel tells of a write, and ends with
    /// the last of them.
    final class FileWatcher: @unchecked Sendable {  // `lock` guards everything below it
        static let shared = FileWatcher()

        /// How long it rests after it has looked, so that a busy writer does not keep it busy: milliseconds.
        private static let rest: Int64 = 1
        /// When it stops to look again after a write: a commit becomes visible after its last write, which shows when the
        /// disk has taken it.
        private static let patience: Int64 = 300_000

        private let lock = RecursiveLock(.fileWatcher, outlivesForks: true)
        private var files: [ObjectIdentifier: WatchedFile] = [:]
        private var inotify: Int32 = -1
        private var mark = ForkMark()

        private struct WatchedFile {
            weak var subscription: FileSubscription?
            let path: String
            /// The kernel's numbers of the file, its log and its journal, and of their folder.
            var watches: Set<Int32>
            let folder: Int32
            /// Their names in the folder.
            let names: Set<String>
            var lastWrite: Int64 = 0
            /// When to look again; nil: when something is written.
            var nextLook: Int64?
        }

        func add(_ subscription: FileSubscription) throws {
            lock.lock()
            defer { lock.unlock() }
            if mark.isForked {
                // The thread and the kernel's list are the parent's.
                (files, inotify, mark) = ([:], -1, ForkMark())
            }
            try start()
            let path = subscription.path
            let end = path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:)) ?? path.startIndex
            let (folder, name) = (String(path[..<end]), String(path[end...]))
            // Files may come later: the log with the first write, another file in the place of this one.
            let watch = inotify_add_watch(
                inotify, folder.isEmpty ? "." : folder, UInt32(IN_CREATE | IN_MOVED_TO | IN_MASK_ADD))
            guard watch >= 0 else { throw FileWatcher.failure("\"\(path)\" cannot be watched") }
            files[ObjectIdentifier(subscription)] = WatchedFile(
                subscription: subscription, path: path, watches: watches(of: path), folder: watch,
                names: [name, name + "-wal", name + "-journal"])
        }

        func remove(_ id: ObjectIdentifier) {
            lock.lock()
            defer { lock.unlock() }
            guard !mark.isForked, let gone = files.removeValue(forKey: id) else { return }
            let used = Set(files.values.flatMap { $0.watches.union([$0.folder]) })
            for watch in gone.watches.union([gone.folder]).subtracting(used) {
                inotify_rm_watch(inotify, watch)
            }
        }

        private func watches(of path: String) -> Set<Int32> {
            Set(
                ["", "-wal", "-journal"].map { inotify_add_watch(inotify, path + $0, UInt32(IN_MODIFY | IN_MASK_ADD)) }
            )
            .subtracting([-1])
        }

        private func start() throws {
            guard inotify < 0 else { return }
            let made = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
            guard made >= 0 else { throw FileWatcher.failure("files cannot be watched") }
            inotify = made
            do {
                try BackgroundThread { FileWatcher.shared.run() }.detach()
            } catch {
                close(made)
                inotify = -1
                throw error
            }
        }

        private static func failure(_ what: String) -> CormorantError {
            CormorantError(
                .io, "\(what): \(String(cString: strerror(errno)))",
                hint: "raise fs.inotify.max_user_watches or max_user_instances, or watch fewer files")
        }
    }

    // On the thread ----------------------------------------------------------------------------------------------------

    extension FileWatcher {
        private func run() {
            while true {
                wait()
                let due = readEvents()
                if isOver() { return }
                for subscription in due { subscription.changed() }
                if !due.isEmpty { sleepMilliseconds(UInt32(FileWatcher.rest)) }
            }
        }

        /// Lets go of the kernel when nothing is watched any more. A later watch begins anew, with another thread.
        private func isOver() -> Bool {
            lock.lock()
            defer { lock.unlock() }
            guard files.isEmpty else { return false }
            close(inotify)
            inotify = -1
            return true
        }

        private func wait() {
            lock.lock()
            let next = files.values.compactMap(\.nextLook).min()
            var ready = pollfd(fd: inotify, events: Int16(POLLIN), revents: 0)
            lock.unlock()
            let timeout = next.map { Int32(clamping: max(0, $0 - FileWatcher.now())) } ?? -1
            _ = poll(&ready, 1, timeout)
        }

        /// The subscriptions to call now.
        private func readEvents() -> [FileSubscription] {
            let events = takeEvents()
            let now = FileWatcher.now()
            lock.lock()
            defer { lock.unlock() }
            var due: [FileSubscription] = []
            for id in Array(files.keys) {
                guard var file = files[id] else { continue }
                file.watches.subtract(events.ended)
                let isMade = !file.names.isDisjoint(with: events.made[file.folder] ?? [])
                if isMade { file.watches.formUnion(watches(of: file.path)) }
                if events.isOverflow || isMade || !events.written.isDisjoint(with: file.watches) {
                    file.lastWrite = now
                } else {
                    guard let look = file.nextLook, look <= now else { continue }
                }
                // So that a commit is seen a quarter later, at most, than the disk took to take it.
                let waited = now - file.lastWrite
                file.nextLook = waited > FileWatcher.patience ? nil : now + max(FileWatcher.rest, waited / 4)
                files[id] = file
                if let subscription = file.subscription { due.append(subscription) }
            }
            return due
        }

        private struct Events {
            /// More happened than the kernel keeps.
            var isOverflow = false
            var written: Set<Int32> = []
            /// Watches of files that are gone.
            var ended: Set<Int32> = []
            /// Names that came into a folder.
            var made: [Int32: Set<String>] = [:]
        }

        private func takeEvents() -> Events {
            var events = Events()
            withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
                guard let base = buffer.baseAddress else { return }
                while true {
                    let size = read(inotify, base, buffer.count)
                    if size <= 0 { return }
                    var at = 0
                    while at + MemoryLayout<inotify_event>.size <= size {
                        let event = (base + at).loadUnaligned(as: inotify_event.self)
                        let name = base + at + MemoryLayout<inotify_event>.size
                        at += MemoryLayout<inotify_event>.size + Int(event.len)
                        if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { events.isOverflow = true }
                        if event.mask & UInt32(IN_MODIFY) != 0 { events.written.insert(event.wd) }
                        if event.mask & UInt32(IN_IGNORED) != 0 { events.ended.insert(event.wd) }
                        if event.mask & UInt32(IN_CREATE | IN_MOVED_TO) != 0, event.len > 0 {
                            events.made[event.wd, default: []].insert(
                                String(cString: name.assumingMemoryBound(to: CChar.self)))
                        }
                    }
                }
            }
            return events
        }

        /// Milliseconds.
        private static func now() -> Int64 { monotonicTime() / 1_000_000 }
    }
#endif

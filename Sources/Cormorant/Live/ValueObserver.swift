import CormorantBase
import CormorantObservation
import CormorantThreads

/// A watch on reads of the program's: a value now, and another after each commit that changes what was read. It ends by
/// `cancel`, with its last reference, or with its database.
///
/// Any number of `for await` loops go over it, each from the newest value on; one that is slow gets the newest, not all.
public final class ValueObserver<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value

    private let observer: CormorantObservation.Observer
    fileprivate let values: Values<Value>

    fileprivate init(_ observer: CormorantObservation.Observer, _ values: Values<Value>) {
        self.observer = observer
        self.values = values
        observer.onReady { [weak observer, values] in
            if observer?.isCancelled ?? true { values.end() }
        }
    }

    deinit { cancel() }

    /// Ends the watch, and loops over it. It does not wait: a callback that runs on another thread runs to its end. A second
    /// call does nothing. May be called in the callback.
    public func cancel() {
        observer.cancel()
        values.end()
    }

    /// The newest value. Throws what kept it from being read.
    public var value: Value { get throws { try values.newest() } }

    public func makeAsyncIterator() -> AsyncIterator {
        let loop = values.begin()
        return AsyncIterator(observer: self, loop: loop, wakes: loop.wakes.makeAsyncIterator())
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        let observer: ValueObserver
        fileprivate let loop: ValueLoop<Value>
        var wakes: AsyncStream<Void>.Iterator

        /// The newest value, once it is another one; nil once the watch has ended, or the task is cancelled. Throws what kept
        /// it from being read, after which the next call goes on.
        public mutating func next() async throws -> Value? { try await loop.next(&wakes) }
    }
}

extension Database {
    /// Makes reads of the program's now, and again after each commit that changes what they read, by this program or another
    /// one; which tables and columns that is, SQLite tells of the statements that `body` runs.
    ///
    /// ```swift
    /// let shelf = try await database.observe { reader in
    ///     (try reader.fetchAll(Album.order { $0.title }.load(\.artist)), try reader.fetchCount(Artist.all))
    /// }
    /// for try await (albums, count) in shelf { ... }
    /// ```
    ///
    /// `body` runs on one snapshot, on the thread that has committed, or on one of the library for what others commit; what it
    /// depends on besides the file is not watched. What it throws at first is thrown here.
    @available(*, noasync)
    public func observe<Value: Sendable>(
        _ body: @escaping @Sendable (Reader) throws -> Value
    ) throws -> ValueObserver<Value> {
        try observe(body, isSame: { _, _ in false })
    }

    /// The same for values that can be compared: one that is equal to the one before is not told.
    @available(*, noasync)
    public func observe<Value: Sendable & Equatable>(
        _ body: @escaping @Sendable (Reader) throws -> Value
    ) throws -> ValueObserver<Value> {
        try observe(body, isSame: ==)
    }

    /// Makes reads of the program's now, and again after each commit that changes what they read; see the synchronous call of
    /// the same name.
    public func observe<Value: Sendable>(
        _ body: @escaping @Sendable (Reader) throws -> Value
    ) async throws -> ValueObserver<Value> {
        try await perform { try $0.observe(body, isSame: { _, _ in false }) }
    }

    /// The same for values that can be compared: one that is equal to the one before is not told.
    public func observe<Value: Sendable & Equatable>(
        _ body: @escaping @Sendable (Reader) throws -> Value
    ) async throws -> ValueObserver<Value> {
        try await perform { try $0.observe(body, isSame: ==) }
    }

    private func observe<Value>(
        _ body: @escaping @Sendable (Reader) throws -> Value, isSame: @escaping @Sendable (Value, Value) -> Bool
    ) throws -> ValueObserver<Value> {
        let values = Values<Value>(isSame)
        let reads = LiveReads { [weak self] in
            guard let self else { throw databaseClosed() }
            return try values.keep(Result { try body(self) })
        }
        let observer = try observe(reads: reads) { event in
            switch event {
            case .success: values.tell()
            case .failure(let error): values.tell(error)
            }
        }
        return ValueObserver(observer, values)
    }
}

extension ValueObserver {
    /// Has `callback` called on the main actor with the newest value, now and when it is another one, or with what kept it from
    /// being read, until the watch ends.
    ///
    /// ```swift
    /// let observer = try await database.observe { try $0.fetchCount(Album.all) }.onMain { count in label = "\(try? count.get())" }
    /// ```
    /// - Returns: the observer itself, to be kept: the watch ends with the last that has it.
    public func onMain(
        _ callback: @escaping @MainActor @Sendable (Result<Value, any Error>) -> Void
    ) -> ValueObserver {
        let values = values
        Task { @MainActor in await values.forEach(callback) }
        return self
    }

    /// The same with a callback of any actor, or of none: each call is awaited before the next.
    public func onChange(
        _ callback: @escaping @Sendable (Result<Value, any Error>) async -> Void
    ) -> ValueObserver {
        let values = values
        Task { await values.forEach(callback) }
        return self
    }

    /// The same on an executor of choice.
    @available(macOS 15, iOS 18, macCatalyst 18, tvOS 18, watchOS 11, visionOS 2, *)
    public func onChange(
        on executor: any TaskExecutor, _ callback: @escaping @Sendable (Result<Value, any Error>) async -> Void
    ) -> ValueObserver {
        let values = values
        Task(executorPreference: executor) { await values.forEach(callback) }
        return self
    }
}

/// The newest value of a watch, and the loops that want to know of it.
private final class Values<Value: Sendable>: @unchecked Sendable {  // `lock` guards what stands below it
    private let isSame: @Sendable (Value, Value) -> Bool
    private let lock = RecursiveLock(.binding)
    /// Read, and to be told.
    private var kept: Result<Value, any Error>?
    private var told: Result<Value, any Error>?
    /// How many were told.
    private var count = 0
    private var isEnded = false
    private var loops: [Int: AsyncStream<Void>.Continuation] = [:]
    private var newestLoop = 0

    init(_ isSame: @escaping @Sendable (Value, Value) -> Bool) { self.isSame = isSame }

    /// - Returns: whether it is another one than was told before. What fails at first is thrown: it is the caller's affair.
    func keep(_ result: Result<Value, any Error>) throws -> Bool {
        let before = lock.locked { told }
        if before == nil { _ = try result.get() }
        var isNew = true
        // The comparison is the program's, and runs under no lock.
        if case .success(let value) = result, case .success(let old)? = before { isNew = !isSame(old, value) }
        lock.locked { kept = isNew ? result : nil }
        return isNew
    }

    /// What was kept can be seen from here on.
    func tell() { publish(nil) }

    func tell(_ error: CormorantError) { publish(.failure(error)) }

    private func publish(_ result: Result<Value, any Error>?) {
        let wakes = lock.locked { () -> [AsyncStream<Void>.Continuation] in
            guard let result = result ?? kept else { return [] }
            (told, kept) = (result, nil)
            count += 1
            return Array(loops.values)
        }
        for wake in wakes { wake.yield() }
    }

    func newest() throws -> Value {
        guard let told = lock.locked({ told }) else { throw CormorantError(.internal, "a watch began without a value") }
        return try told.get()
    }

    func end() {
        let wakes = lock.locked { () -> [AsyncStream<Void>.Continuation] in
            isEnded = true
            return Array(loops.values)
        }
        for wake in wakes { wake.yield() }
    }

    func begin() -> ValueLoop<Value> {
        let (wakes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        return lock.locked {
            newestLoop += 1
            loops[newestLoop] = continuation
            return ValueLoop(self, newestLoop, wakes)
        }
    }

    func endLoop(_ number: Int) { lock.locked { loops[number] = nil } }

    /// What was told since `seen`.
    func next(after seen: inout Int) -> (result: Result<Value, any Error>?, isEnded: Bool) {
        lock.locked {
            guard !isEnded, count != seen else { return (nil, isEnded) }
            seen = count
            return (told, false)
        }
    }

    func forEach(_ body: @Sendable (Result<Value, any Error>) async -> Void) async {
        let loop = begin()
        var wakes = loop.wakes.makeAsyncIterator()
        while true {
            do {
                guard let value = try await loop.next(&wakes) else { return }
                await body(.success(value))
            } catch {
                await body(.failure(error))
            }
        }
    }
}

/// One loop.
private final class ValueLoop<Value: Sendable>: @unchecked Sendable {  // one task at a time
    private let values: Values<Value>
    private let number: Int
    private var seen = 0
    let wakes: AsyncStream<Void>

    init(_ values: Values<Value>, _ number: Int, _ wakes: AsyncStream<Void>) {
        self.values = values
        self.number = number
        self.wakes = wakes
    }

    deinit { values.endLoop(number) }

    func next(_ wakes: inout AsyncStream<Void>.Iterator) async throws -> Value? {
        while !Task.isCancelled {
            let (result, isEnded) = values.next(after: &seen)
            if let result { return try result.get() }
            if isEnded { return nil }
            if await wakes.next() == nil { return nil }
        }
        return nil
    }
}

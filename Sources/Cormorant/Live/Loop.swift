import CormorantThreads

/// Gives what waits to be taken to all `for await` loops that run, each of which gets it from its own beginning on.
package final class Loops<Element: Sendable>: @unchecked Sendable {  // `lock` guards all but the source
    private struct Loop {
        var waiting: ArraySlice<Result<Element, any Error>> = []
        let wake: AsyncStream<Void>.Continuation
    }

    /// Given the last element that waits for a loop, the next one and how many wait, what stands for both; nil: both do. Nil of the
    /// whole: all wait, however many.
    package typealias Merge = @Sendable (_ last: Element, _ next: Element, _ count: Int) throws -> [Element]?

    private let merge: Merge?
    private let lock = RecursiveLock(.binding)
    private var running: [Int: Loop] = [:]
    private var newest = 0
    /// One loop takes for all, so that each gets them in their order.
    private var isTaking = false
    /// Another wanted to meanwhile.
    private var isWanted = false

    package init(merge: Merge? = nil) { self.merge = merge }

    /// - Returns: the loop, which runs until its last reference goes.
    package func begin() -> LoopState<Element> {
        let (wakes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        lock.lock()
        defer { lock.unlock() }
        newest += 1
        running[newest] = Loop(wake: continuation)
        return LoopState(self, newest, wakes)
    }

    fileprivate func end(_ loop: Int) {
        lock.lock()
        defer { lock.unlock() }
        running[loop] = nil
    }

    /// Has each loop look for what waits.
    package func wake() { wake(besides: 0) }

    private func wake(besides loop: Int) {
        lock.lock()
        let wakes = running.filter { $0.key != loop }.map(\.value.wake)
        lock.unlock()
        for wake in wakes { wake.yield() }
    }

    /// - Parameter source: takes what waits; nil: nothing does.
    fileprivate func next(_ loop: Int, _ source: () throws -> Element?) throws -> LoopStep<Element> {
        lock.lock()
        if let first = running[loop]?.waiting.popFirst() {
            lock.unlock()
            return .element(try first.get())
        }
        guard !isTaking else {
            isWanted = true
            lock.unlock()
            return .wait
        }
        (isTaking, isWanted) = (true, false)
        lock.unlock()
        let taken = Result { try source() }
        lock.lock()
        isTaking = false
        let element: Result<Element, any Error>?
        switch taken {
        case .success(let some): element = some.map { .success($0) }
        case .failure(let error): element = .failure(error)
        }
        if let element { for key in running.keys where key != loop { add(element, to: &running[key]) } }
        // Where nothing was taken and nobody wanted to, waking the others would have them wake this one, for ever.
        let wakes = element != nil || isWanted
        lock.unlock()
        if wakes { wake(besides: loop) }
        return try element.map { .element(try $0.get()) } ?? .nothing
    }
}

extension Loops {
    private func add(_ element: Result<Element, any Error>, to loop: inout Loop?) {
        guard let merge, let last = loop?.waiting.last else {
            loop?.waiting.append(element)
            return
        }
        do {
            switch (last, element) {
            case (.success(let before), .success(let next)):
                guard let merged = try merge(before, next, loop?.waiting.count ?? 0) else { break }
                loop?.waiting.removeLast()
                loop?.waiting.append(contentsOf: merged.map { .success($0) })
                return
            // Of one failure after another the last tells enough.
            case (.failure, .failure): loop?.waiting.removeLast()
            default: break
            }
            loop?.waiting.append(element)
        } catch {
            loop?.waiting.append(.failure(error))
        }
    }
}

private enum LoopStep<Element> {
    case element(Element)
    /// Nothing waits to be taken.
    case nothing
    /// Another loop is taking.
    case wait
}

/// One loop.
package final class LoopState<Element: Sendable>: Sendable {
    private let loops: Loops<Element>
    private let number: Int
    package let wakes: AsyncStream<Void>

    fileprivate init(_ loops: Loops<Element>, _ number: Int, _ wakes: AsyncStream<Void>) {
        (self.loops, self.number, self.wakes) = (loops, number, wakes)
    }

    deinit { loops.end(number) }

    /// - Parameters:
    ///   - wakes: those of this loop.
    ///   - source: takes what waits; nil: nothing does.
    ///   - isOver: whether nothing will come any more.
    /// - Returns: nil where nothing will, or where the task is cancelled.
    package func next(
        _ wakes: inout AsyncStream<Void>.Iterator, _ source: () throws -> Element?, isOver: () -> Bool
    ) async throws -> Element? {
        while !Task.isCancelled {
            // Asked first: what another loop takes in between is in this one's hands by its next look.
            let isLastLook = isOver()
            switch try loops.next(number, source) {
            case .element(let element): return element
            case .nothing: if isLastLook { return nil } else if isOver() { continue }
            case .wait: break
            }
            if await wakes.next() == nil { return nil }
        }
        return nil
    }
}

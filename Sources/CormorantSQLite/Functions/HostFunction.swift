import CSQLite
import CormorantBase
import CormorantEngine

/// The arguments of one call of a function; valid until it returns.
package struct FunctionArguments {
    package let count: Int
    private let values: UnsafeMutablePointer<OpaquePointer?>?

    fileprivate init(_ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?) {
        (self.count, self.values) = (Int(count), values)
    }

    /// The value with this number, below `count`.
    package subscript(index: Int) -> Cell { Cell(values?[index]) }

    /// A copy of them all.
    package func row() throws(CormorantError) -> StoredRow {
        try StoredRow(count: count) { self[Int($0)].plain }
    }
}

/// An aggregate over the rows of one group.
package protocol HostAggregate: AnyObject {
    func step(_ arguments: FunctionArguments) throws
    /// Takes a row out again, the oldest first.
    func inverse(_ arguments: FunctionArguments) throws
    /// The value of the rows that it has; asked for each row of a window, and at the end.
    func value() throws -> Value
}

/// A function of SQL that the program brings.
package final class HostFunction: Sendable {
    package enum Kind: Sendable {
        case scalar(@Sendable (FunctionArguments) throws -> Value)
        case aggregate(canSlide: Bool, @Sendable () -> any HostAggregate)
    }

    package let name: String
    /// -1: any.
    package let argumentCount: Int32
    let flags: Int32
    let kind: Kind

    /// - Parameters:
    ///   - isDeterministic: Whether the same arguments always give the same value.
    ///   - inSchema: Whether triggers, views, indexes and constraints of a file may call it.
    package init(_ name: String, _ argumentCount: Int32, isDeterministic: Bool, inSchema: Bool, _ kind: Kind) {
        self.name = name
        self.argumentCount = argumentCount
        self.kind = kind
        flags =
            SQLITE_UTF8 | (isDeterministic ? SQLITE_DETERMINISTIC : 0)
            | (inSchema ? SQLITE_INNOCUOUS : SQLITE_DIRECTONLY)
    }
}

/// What functions of the program's met on a connection, which SQLite's result codes cannot say.
final class HostCalls {
    private var error: CormorantError?
    /// Why a collation failed in the statement that runs.
    private(set) var collationFailure: CormorantError?
    private var depth = 0
    /// Told when the first of the calls begins and when the last ends.
    var changed: ((Bool) -> Void)?
    private let handle: OpaquePointer?

    init(_ handle: OpaquePointer?) { self.handle = handle }

    func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        depth += 1
        if depth == 1 { changed?(true) }
        defer {
            depth -= 1
            if depth == 0 { changed?(false) }
        }
        return try body()
    }

    func note(_ error: any Error, of function: String) { self.error = failure(error, of: "function \(function)") }

    func fail(_ error: any Error, in collation: String) {
        collationFailure = failure(error, of: "collation \(collation)")
        // So that it ends soon; the others that run would be interrupted with it.
        var running = 0
        var statement = sqlite3_next_stmt(handle, nil)
        while let next = statement {
            running += Int(sqlite3_stmt_busy(next))
            statement = sqlite3_next_stmt(handle, next)
        }
        if running <= 1 { sqlite3_interrupt(handle) }
    }

    func forgetCollationFailure() { collationFailure = nil }

    private func failure(_ error: any Error, of what: String) -> CormorantError {
        error as? CormorantError ?? CormorantError(.callback, "the \(what) failed: \(error)", cause: error)
    }

    /// Why the statement failed, if it is the program's doing.
    func take(_ code: Int32) -> CormorantError? {
        // What it holds is the program's.
        defer { (error, collationFailure) = (nil, nil) }
        return code == functionFailed
            ? error : code == SQLITE_INTERRUPT || code == commitRefused ? collationFailure : nil
    }
}

/// How a statement fails in which a function of the program's did: SQLite has no such code.
let functionFailed = SQLITE_ERROR | 0x43 << 8

/// How a statement fails that the commit hook does not let commit.
private let commitRefused = SQLITE_CONSTRAINT | 2 << 8  // COMMITHOOK

/// A function on one connection: what SQLite holds.
private final class FunctionOnConnection {
    let function: HostFunction
    let calls: HostCalls

    init(_ function: HostFunction, _ calls: HostCalls) { (self.function, self.calls) = (function, calls) }

    static func of(_ context: OpaquePointer?) -> FunctionOnConnection? {
        sqlite3_user_data(context).map { Unmanaged<FunctionOnConnection>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Runs a part of the function; what it throws is the statement's error.
    func run(_ context: OpaquePointer?, _ body: () throws -> Void) -> Bool {
        do {
            try calls.run(body)
            return true
        } catch {
            calls.note(error, of: function.name)
            sqlite3_result_error(context, "a function failed", -1)
            sqlite3_result_error_code(context, functionFailed)
            return false
        }
    }

    func give(_ value: Value, _ context: OpaquePointer?) throws {
        if case .real(let real) = value, real.isNaN {
            throw CormorantError(
                .range, "the function \(function.name) gives NaN, which SQLite cannot store",
                hint: "give NULL where there is no number")
        }
        setResult(value, context)
    }
}

/// The state of an aggregate that SQLite keeps memory for.
private final class Group {
    let aggregate: any HostAggregate
    var hasFailed = false

    init(_ aggregate: any HostAggregate) { self.aggregate = aggregate }

    /// - Parameter makesOne: false: nil where no row has come.
    static func of(_ context: OpaquePointer?, makesOne: Bool) -> Group? {
        let size = Int32(MemoryLayout<UnsafeRawPointer?>.size)
        guard let place = sqlite3_aggregate_context(context, makesOne ? size : 0) else { return nil }
        if let known = place.load(as: UnsafeRawPointer?.self) {
            return Unmanaged<Group>.fromOpaque(known).takeUnretainedValue()
        }
        guard makesOne, let function = FunctionOnConnection.of(context)?.function,
            case .aggregate(_, let make) = function.kind
        else { return nil }
        let made = Group(make())
        place.storeBytes(of: UnsafeRawPointer(Unmanaged.passRetained(made).toOpaque()), as: UnsafeRawPointer?.self)
        return made
    }

    static func end(_ context: OpaquePointer?) {
        guard let place = sqlite3_aggregate_context(context, 0), let known = place.load(as: UnsafeRawPointer?.self)
        else { return }
        place.storeBytes(of: nil, as: UnsafeRawPointer?.self)
        Unmanaged<Group>.fromOpaque(known).release()
    }

    static func change(
        _ context: OpaquePointer?, _ change: (any HostAggregate) throws -> Void
    ) {
        guard let on = FunctionOnConnection.of(context) else { return }
        guard let group = of(context, makesOne: true) else { return sqlite3_result_error_nomem(context) }
        guard !group.hasFailed else { return }
        group.hasFailed = !on.run(context) { try change(group.aggregate) }
    }

    static func give(_ context: OpaquePointer?) {
        guard let on = FunctionOnConnection.of(context), case .aggregate(_, let make) = on.function.kind else { return }
        let group = of(context, makesOne: false)
        // SQLite asks for a value that it will not use where the statement ends early.
        guard group?.hasFailed != true else { return }
        let hasGiven = on.run(context) { try on.give((group?.aggregate ?? make()).value(), context) }
        if !hasGiven { group?.hasFailed = true }
    }
}

extension Connection {
    /// Source: https://www.sqlite.org/c3ref/create_function.html
    /// - Parameter function: nil takes it away.
    func setFunction(_ name: String, _ argumentCount: Int32, _ function: HostFunction?, _ calls: HostCalls) throws {
        let context = function.map { Unmanaged.passRetained(FunctionOnConnection($0, calls)).toOpaque() }
        // SQLite calls it where it fails, too.
        let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
            if let context { Unmanaged<FunctionOnConnection>.fromOpaque(context).release() }
        }
        let status: Int32
        let flags = function?.flags ?? SQLITE_UTF8
        switch function?.kind {
        case nil:
            status = sqlite3_create_function_v2(handle, name, argumentCount, flags, nil, nil, nil, nil, nil)
        case .scalar:
            status = sqlite3_create_function_v2(
                handle, name, argumentCount, flags, context,
                { context, count, values in
                    guard let on = FunctionOnConnection.of(context), case .scalar(let call) = on.function.kind else {
                        return
                    }
                    _ = on.run(context) { try on.give(call(FunctionArguments(count, values)), context) }
                }, nil, nil, release)
        case .aggregate(let canSlide, _):
            status = sqlite3_create_window_function(
                handle, name, argumentCount, flags, context,
                { context, count, values in
                    Group.change(context) { try $0.step(FunctionArguments(count, values)) }
                },
                { context in
                    Group.give(context)
                    Group.end(context)
                },
                canSlide ? { Group.give($0) } : nil,
                canSlide
                    ? { context, count, values in
                        Group.change(context) { try $0.inverse(FunctionArguments(count, values)) }
                    } : nil, release)
        }
        if status == SQLITE_BUSY { throw inUse("function", name) }
        if status != SQLITE_OK { throw error(status) }
    }

    func inUse(_ what: String, _ name: String) -> CormorantError {
        CormorantError(
            .busy, "the \(what) \(name) cannot be changed while statements run",
            hint: "read open results and cursors to their end, or close them, first")
    }
}

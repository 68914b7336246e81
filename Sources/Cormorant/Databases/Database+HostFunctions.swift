import CormorantBase
import CormorantEngine
import CormorantORM
import CormorantSQLite

/// Functions and collations of the program's own, which SQL calls: on all connections of the database, on the thread of whoever
/// runs the statement, on several at once. They live as long as the database, and must not use it. What they throw is the
/// `cause` of the error of the statement, which is rolled back; a `CormorantError` is that error itself.
extension Database {
    /// Makes a function known, in place of one of its name and number of arguments. `call` of expressions calls it.
    ///
    /// ```swift
    /// try database.registerFunction("initials", isDeterministic: true) { (name: String) in
    ///     name.split(separator: " ").compactMap(\.first).map(String.init).joined()
    /// }
    /// ```
    ///
    /// A value that an argument cannot hold, and NULL for one that is not optional, is an error.
    /// - Parameters:
    ///   - name: None of SQLite's own functions, which files and the library rely on.
    ///   - isDeterministic: Whether the same arguments always give the same value, so that SQLite may call it once for many
    ///     rows; an index, a computed column and a CHECK take no other.
    ///   - inSchema: Whether triggers, views, indexes, computed columns and CHECKs of the file may call it. Then the file can be
    ///     changed only by programs that have the function.
    ///   - body: The function.
    @available(*, noasync)
    public func registerFunction<each Argument: ColumnValue & SendableMetatype, Result: ColumnValue & SendableMetatype>(
        _ name: String, isDeterministic: Bool = false, inSchema: Bool = false,
        _ body: @escaping @Sendable (repeat each Argument) throws -> Result
    ) throws {
        try register(function: function(name, isDeterministic, inSchema, body))
    }

    func function<each Argument: ColumnValue & SendableMetatype, Result: ColumnValue & SendableMetatype>(
        _ name: String, _ isDeterministic: Bool, _ inSchema: Bool,
        _ body: @escaping @Sendable (repeat each Argument) throws -> Result
    ) -> HostFunction {
        HostFunction(
            name, countOf(repeat (each Argument).self), isDeterministic: isDeterministic, inSchema: inSchema,
            .scalar { arguments in
                var values = ArgumentReader(name, try arguments.row())
                return try body(repeat try values.next((each Argument).self)).columnValue
            })
    }

    /// Makes a function known that takes any number of arguments, as SQLite holds them: a time, a UUID and a decimal are texts.
    @available(*, noasync)
    public func registerFunction(
        _ name: String, isDeterministic: Bool = false, inSchema: Bool = false,
        ofAny body: @escaping @Sendable ([Value]) throws -> Value
    ) throws {
        try register(
            function: HostFunction(
                name, -1, isDeterministic: isDeterministic, inSchema: inSchema,
                .scalar { arguments in
                    let stored = try arguments.row()
                    let values = try withExtendedLifetime(stored) {
                        try (0..<stored.count).map { try Row(stored).value(Int32(truncatingIfNeeded: $0)) }
                    }
                    return try body(values)
                }))
    }

    /// Makes an aggregate known, in place of a function of its name and number of arguments.
    ///
    /// ```swift
    /// try database.registerAggregate("product", initial: 1.0) { (product, factor: Double) in
    ///     product *= factor
    /// } value: { $0 }
    /// ```
    /// - Parameters:
    ///   - name: None of SQLite's own functions.
    ///   - isDeterministic: As for a function.
    ///   - inSchema: As for a function.
    ///   - initial: What each group of rows begins with.
    ///   - step: Adds a row.
    ///   - value: The value of the rows so far.
    @available(*, noasync)
    public func registerAggregate<
        State, each Argument: ColumnValue & SendableMetatype, Result: ColumnValue & SendableMetatype
    >(
        _ name: String, isDeterministic: Bool = false, inSchema: Bool = false,
        initial: @autoclosure @escaping @Sendable () -> State,
        step: @escaping @Sendable (inout State, repeat each Argument) throws -> Void,
        value: @escaping @Sendable (State) throws -> Result
    ) throws {
        try register(
            function: aggregate(
                name, countOf(repeat (each Argument).self), isDeterministic, inSchema, initial, change(name, step), nil,
                value))
    }

    /// The same for an aggregate that may stand over any window.
    /// - Parameters:
    ///   - name: None of SQLite's own functions.
    ///   - isDeterministic: As for a function.
    ///   - inSchema: As for a function.
    ///   - initial: What each group of rows begins with.
    ///   - step: Adds a row.
    ///   - inverse: Takes the row out again that came first.
    ///   - value: The value of the rows so far.
    @available(*, noasync)
    public func registerAggregate<
        State, each Argument: ColumnValue & SendableMetatype, Result: ColumnValue & SendableMetatype
    >(
        _ name: String, isDeterministic: Bool = false, inSchema: Bool = false,
        initial: @autoclosure @escaping @Sendable () -> State,
        step: @escaping @Sendable (inout State, repeat each Argument) throws -> Void,
        inverse: @escaping @Sendable (inout State, repeat each Argument) throws -> Void,
        value: @escaping @Sendable (State) throws -> Result
    ) throws {
        try register(
            function: aggregate(
                name, countOf(repeat (each Argument).self), isDeterministic, inSchema, initial, change(name, step),
                change(name, inverse), value))
    }

    /// Takes a function or an aggregate away.
    /// - Parameters:
    ///   - name: What it is called.
    ///   - argumentCount: How many it has; nil: any number.
    @available(*, noasync)
    public func removeFunction(_ name: String, argumentCount: Int?) throws {
        try register(.function(name, Int32(clamping: argumentCount ?? -1), nil))
    }

    /// Makes an order of texts known, in place of one of its name; COLLATE names it.
    ///
    /// It must always agree with itself: an index that a collation made which does not loses rows. Every program needs it that
    /// reads or writes a table with such an index or column. A statement in which it throws fails and changes nothing; one that
    /// writes takes the transaction that it is in with it.
    /// - Parameters:
    ///   - name: What COLLATE calls it.
    ///   - areInIncreasingOrder: Whether the first text comes before the second; texts of which neither does are equal.
    @available(*, noasync)
    public func registerCollation(
        _ name: String, by areInIncreasingOrder: @escaping @Sendable (String, String) throws -> Bool
    ) throws {
        let collation = HostCollation(name) { left, right in
            let (left, right) = (String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self))
            if try areInIncreasingOrder(left, right) { return -1 }
            return try areInIncreasingOrder(right, left) ? 1 : 0
        }
        try register(.collation(name, collation))
    }

    /// Takes a collation away.
    @available(*, noasync)
    public func removeCollation(_ name: String) throws { try register(.collation(name, nil)) }

    func aggregate<State, Result: ColumnValue & SendableMetatype>(
        _ name: String, _ argumentCount: Int32, _ isDeterministic: Bool, _ inSchema: Bool,
        _ initial: @escaping @Sendable () -> State, _ add: @escaping StateChange<State>,
        _ takeOut: StateChange<State>?, _ value: @escaping @Sendable (State) throws -> Result
    ) -> HostFunction {
        HostFunction(
            name, argumentCount, isDeterministic: isDeterministic, inSchema: inSchema,
            .aggregate(canSlide: takeOut != nil) {
                StateAggregate(initial(), add, takeOut) { try value($0).columnValue }
            })
    }

    func register(function: HostFunction) throws {
        try register(.function(function.name, function.argumentCount, function))
    }
}

/// Changes the state of an aggregate by the arguments of a row.
typealias StateChange<State> = @Sendable (inout State, FunctionArguments) throws -> Void

func change<State, each Argument: ColumnValue & SendableMetatype>(
    _ name: String, _ body: @escaping @Sendable (inout State, repeat each Argument) throws -> Void
) -> StateChange<State> {
    { state, arguments in
        var values = ArgumentReader(name, try arguments.row())
        try body(&state, repeat try values.next((each Argument).self))
    }
}

func countOf<each Argument>(_ types: repeat (each Argument).Type) -> Int32 {
    var count: Int32 = 0
    for _ in repeat each types { count += 1 }
    return count
}

/// The arguments of a call in their turn.
private struct ArgumentReader {
    private let name: String
    private let row: StoredRow
    private var position = 0

    init(_ name: String, _ row: StoredRow) { (self.name, self.row) = (name, row) }

    mutating func next<Argument: ColumnValue>(_ type: Argument.Type) throws -> Argument {
        defer { position += 1 }
        do {
            return try withExtendedLifetime(row) {
                try Argument(
                    from: RecordReader(Row(row), columns: UnsafePointer(argumentNumbers), model: nil), at: position)
            }
        } catch let error as CormorantError {
            throw error.prefixed("the function \(name): ")
        }
    }
}

/// 0, 1 and so on: as many as a function can have arguments.
nonisolated(unsafe) private let argumentNumbers: UnsafeMutablePointer<Int32> = {
    let numbers = UnsafeMutablePointer<Int32>.allocate(capacity: 128)
    for number in 0..<128 { (numbers + number).initialize(to: Int32(number)) }
    return numbers
}()

private final class StateAggregate<State>: HostAggregate {
    private var state: State
    private let add: StateChange<State>
    private let takeOut: StateChange<State>?
    private let give: (State) throws -> Value

    init(
        _ state: State, _ add: @escaping StateChange<State>, _ takeOut: StateChange<State>?,
        _ give: @escaping (State) throws -> Value
    ) {
        (self.state, self.add, self.takeOut, self.give) = (state, add, takeOut, give)
    }

    func step(_ arguments: FunctionArguments) throws { try add(&state, arguments) }
    func inverse(_ arguments: FunctionArguments) throws { try takeOut?(&state, arguments) }
    func value() throws -> Value { try give(state) }
}

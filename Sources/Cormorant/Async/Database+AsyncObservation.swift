/// Watches and caches, begun from `async` code, as the synchronous calls of the same names.
extension Database {
    /// Watches the records of a model.
    public func observe<R: Record & Sendable>(
        _ type: R.Type, key: any ColumnValue..., values: Bool = false, latestOnly: Bool = false,
        callback: Observer<R>.Callback? = nil
    ) async throws -> Observer<R> {
        let key = try key.map { try $0.columnValue }
        return try await perform {
            try $0.observe(type, key, values: values, latestOnly: latestOnly, callback: callback)
        }
    }

    /// Watches tables, or columns of them.
    public func observe(
        _ regions: [Region], values: Bool = false, latestOnly: Bool = false,
        callback: Observer<[Value]>.Callback? = nil
    ) async throws -> Observer<[Value]> {
        try await perform { try $0.observe(regions, values: values, latestOnly: latestOnly, callback: callback) }
    }

    /// Watches what a query reads.
    public func observe(
        _ query: some RowQuery, _ parameters: QueryParameters = .none, latestOnly: Bool = false,
        callback: Observer<[Value]>.Callback? = nil
    ) async throws -> Observer<[Value]> {
        try await perform { try $0.observe(query, parameters, latestOnly: latestOnly, callback: callback) }
    }

    /// Watches what raw SQL reads.
    public func observe(
        sql: SQL, _ bindings: Bindings = .none, latestOnly: Bool = false,
        callback: Observer<[Value]>.Callback? = nil
    ) async throws -> Observer<[Value]> {
        try await perform { try $0.observe(sql: sql, bindings, latestOnly: latestOnly, callback: callback) }
    }

    /// Runs a query now and after each change of what it reads, and tells its result where it is another than before.
    public func observeLive<Query: RowQuery & Sendable>(
        _ query: Query, _ parameters: QueryParameters = .none, key: [String] = [],
        callback: Observer<Query.Row>.Callback? = nil
    ) async throws -> Observer<Query.Row> where Query.Row: Sendable {
        try await perform { try $0.observeLive(query, parameters, key: key, callback: callback) }
    }

    /// Runs raw SQL now and after each change of what it reads, and tells its result where it is another than before.
    public func observeLive(
        sql: SQL, _ bindings: Bindings = .none, key: [String] = [], callback: Observer<[Value]>.Callback? = nil
    ) async throws -> Observer<[Value]> {
        try await perform { try $0.observeLive(sql: sql, bindings, key: key, callback: callback) }
    }

    /// Keeps rows of a model that are found by key; 0 for both limits stops.
    public func setCache<R: Record>(_ type: R.Type, maxCount: Int, maxBytes: Int) async throws {
        try await perform { try $0.setCache(type, maxCount: maxCount, maxBytes: maxBytes) }
    }

    /// What the cache of a model did since it was set; all 0 without one.
    public func cacheStatistics<R: Record>(_ type: R.Type) async throws -> CacheStatistics {
        try await perform { try $0.cacheStatistics(type) }
    }
}

/// Functions of the program's, brought from `async` code, as the synchronous calls of the same names.
extension Database {
    /// Makes a function known, in place of one of its name and number of arguments.
    public func registerFunction<each Argument: ColumnValue & SendableMetatype, Result: ColumnValue & SendableMetatype>(
        _ name: String, isDeterministic: Bool = false, inSchema: Bool = false,
        _ body: @escaping @Sendable (repeat each Argument) throws -> Result
    ) async throws {
        let function = function(name, isDeterministic, inSchema, body)
        try await perform { try $0.register(function: function) }
    }

    /// Makes a function known that takes any number of arguments.
    public func registerFunction(
        _ name: String, isDeterministic: Bool = false, inSchema: Bool = false,
        ofAny body: @escaping @Sendable ([Value]) throws -> Value
    ) async throws {
        try await perform {
            try $0.registerFunction(name, isDeterministic: isDeterministic, inSchema: inSchema, ofAny: body)
        }
    }

    /// Makes an aggregate known, in place of a function of its name and number of arguments.
    public func registerAggregate<
        State, each Argument: ColumnValue & SendableMetatype, Result: ColumnValue & SendableMetatype
    >(
        _ name: String, isDeterministic: Bool = false, inSchema: Bool = false,
        initial: @autoclosure @escaping @Sendable () -> State,
        step: @escaping @Sendable (inout State, repeat each Argument) throws -> Void,
        value: @escaping @Sendable (State) throws -> Result
    ) async throws {
        let function = aggregate(
            name, countOf(repeat (each Argument).self), isDeterministic, inSchema, initial, change(name, step), nil,
            value)
        try await perform { try $0.register(function: function) }
    }

    /// The same for an aggregate that may stand over any window.
    public func registerAggregate<
        State, each Argument: ColumnValue & SendableMetatype, Result: ColumnValue & SendableMetatype
    >(
        _ name: String, isDeterministic: Bool = false, inSchema: Bool = false,
        initial: @autoclosure @escaping @Sendable () -> State,
        step: @escaping @Sendable (inout State, repeat each Argument) throws -> Void,
        inverse: @escaping @Sendable (inout State, repeat each Argument) throws -> Void,
        value: @escaping @Sendable (State) throws -> Result
    ) async throws {
        let function = aggregate(
            name, countOf(repeat (each Argument).self), isDeterministic, inSchema, initial, change(name, step),
            change(name, inverse), value)
        try await perform { try $0.register(function: function) }
    }

    /// Takes a function or an aggregate away.
    public func removeFunction(_ name: String, argumentCount: Int?) async throws {
        try await perform { try $0.removeFunction(name, argumentCount: argumentCount) }
    }

    /// Makes an order of texts known, in place of one of its name; COLLATE names it.
    public func registerCollation(
        _ name: String, by areInIncreasingOrder: @escaping @Sendable (String, String) throws -> Bool
    ) async throws {
        try await perform { try $0.registerCollation(name, by: areInIncreasingOrder) }
    }

    /// Takes a collation away.
    public func removeCollation(_ name: String) async throws { try await perform { try $0.removeCollation(name) } }
}

public import CCormorant
public import CCormorantBinding
import CormorantBase
import CormorantC
import CormorantORM
import CormorantQuery

@_cdecl("corm_tree_statement") @implementation
public func corm_tree_statement(
    _ tree: UnsafeRawPointer?, _ size: Int, _ outStatement: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outStatement, "out_statement")
        var reader = try TreeReader(tree, size)
        out.pointee = try Handles.add(reader.statement())
        return CORM_OK
    }
}

@_cdecl("corm_tree_expression") @implementation
public func corm_tree_expression(
    _ tree: UnsafeRawPointer?, _ size: Int, _ outExpression: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outExpression, "out_expression")
        var reader = try TreeReader(tree, size)
        out.pointee = try Handles.add(ExpressionBox(reader.expression()))
        return CORM_OK
    }
}

private func write(_ compiled: CompiledStatement, to block: UnsafeMutablePointer<corm_block>?) throws {
    var writer = MarshalWriter(try require(block, "block"))
    try writer.tuple(2)
    try writer.value(.text(compiled.sql))
    try writer.tuple(compiled.bindings.reduce(0) { $0 + ($1.values?.count ?? 1) })
    for binding in compiled.bindings {
        for value in binding.values ?? [] { try writer.value(value) }
        if let name = binding.parameterName {
            try writer.tuple(1)
            try writer.value(.text(name))
        }
    }
    writer.finish()
}

@_cdecl("corm_tree_statement_sql") @implementation
public func corm_tree_statement_sql(
    _ handle: OpaquePointer?, _ block: UnsafeMutablePointer<corm_block>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        try write(requireStatement(handle).statement(.sqlite), to: block)
        return CORM_OK
    }
}

@_cdecl("corm_tree_expression_sql") @implementation
public func corm_tree_expression_sql(
    _ handle: OpaquePointer?, _ block: UnsafeMutablePointer<corm_block>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let box = try Handles.require(handle, as: ExpressionBox.self)
        try write(StatementCompiler.compile(box.expression, .sqlite), to: block)
        return CORM_OK
    }
}

/// A marshalled dict of parameters by name.
func parameters(_ bytes: UnsafeRawPointer?, _ size: Int) throws -> [String: ParameterValue] {
    guard bytes != nil else { return [:] }
    let named = try MarshalReader(bytes, size).parameters()
    return Dictionary(named.map { (parameterName($0.name), $0.value) }, uniquingKeysWith: { $1 })
}

@_cdecl("corm_tree_open") @implementation
public func corm_tree_open(
    _ handle: OpaquePointer?, _ model: OpaquePointer?, _ statement: OpaquePointer?, _ bytes: UnsafeRawPointer?,
    _ size: Int, _ outResult: UnsafeMutablePointer<OpaquePointer?>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outResult, "out_result")
        let database = try database(handle)
        let compiled = try requireStatement(statement).statement(database.dialect)
        let values = try parameters(bytes, size)
        let box = try model.map { try requireModel($0) }
        let cursor =
            if let box {
                try database.cursor(box.descriptor, compiled, values)
            } else {
                try database.cursor(compiled, values)
            }
        out.pointee = try Handles.add(ResultBox(cursor, box?.types))
        return CORM_OK
    }
}

@_cdecl("corm_tree_open_parts") @implementation
public func corm_tree_open_parts(
    _ handle: OpaquePointer?, _ parts: UnsafeRawPointer?, _ partsSize: Int, _ statement: OpaquePointer?,
    _ bytes: UnsafeRawPointer?, _ size: Int, _ outResult: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outResult, "out_result")
        let rowParts = try TreeReader(parts, partsSize).rowParts()
        let database = try database(handle)
        let compiled = try requireStatement(statement).statement(database.dialect)
        let cursor = try database.cursor(compiled, parameters(bytes, size))
        let columns = rowParts.reduce(0) { $0 + $1.columnCount }
        guard columns == cursor.columnNames.count else {
            throw CormorantError(
                .misuse, "the parts have \(columns) columns, the result \(cursor.columnNames.count)",
                hint: "give the parts of what the statement selects")
        }
        out.pointee = try Handles.add(ResultBox(cursor, parts: rowParts))
        return CORM_OK
    }
}

@_cdecl("corm_tree_execute") @implementation
public func corm_tree_execute(
    _ handle: OpaquePointer?, _ statement: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ size: Int,
    _ outChanges: UnsafeMutablePointer<Int64>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let database = try database(handle)
        let compiled = try requireStatement(statement).statement(database.dialect)
        let changes = try database.execute(compiled, parameters(bytes, size))
        outChanges?.pointee = changes
        return CORM_OK
    }
}

@_cdecl("corm_tree_count") @implementation
public func corm_tree_count(
    _ handle: OpaquePointer?, _ statement: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ size: Int,
    _ outCount: UnsafeMutablePointer<Int64>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outCount, "out_count")
        let database = try database(handle)
        let compiled = try requireStatement(statement).count(database.dialect)
        out.pointee = try database.number(compiled, parameters(bytes, size))
        return CORM_OK
    }
}

@_cdecl("corm_tree_exists") @implementation
public func corm_tree_exists(
    _ handle: OpaquePointer?, _ statement: OpaquePointer?, _ bytes: UnsafeRawPointer?, _ size: Int,
    _ outCount: UnsafeMutablePointer<Int64>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> corm_status {
    boundary(outError) {
        let out = try require(outCount, "out_count")
        let database = try database(handle)
        let compiled = try requireStatement(statement).probe(database.dialect)
        out.pointee = try database.exists(compiled, parameters(bytes, size)) ? 1 : 0
        return CORM_OK
    }
}

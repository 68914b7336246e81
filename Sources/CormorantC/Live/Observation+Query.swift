import CCormorant
import CormorantBase
import CormorantORM
import CormorantQuery
import CormorantSQLite

/// A query of the C API, with copies of all that it borrows, to be run again and again.
package struct KeptQuery: Sendable {
    /// Indirect, for its cases are large, and it is copied.
    package indirect enum Kind: Sendable {
        case query(Query, bind: (@Sendable (Statement) throws -> Void)?)
        case statement(CompiledStatement, [String: ParameterValue])
    }

    private let kind: Kind
    private let model: ModelDescriptor?

    package init(_ kind: Kind, of model: ModelDescriptor?) {
        self.kind = kind
        self.model = model
    }

    init(_ model: OpaquePointer?, _ given: UnsafePointer<corm_query>?, _ database: Database) throws {
        self.model = try model.map { try requireModel($0).descriptor }
        let query = try GivenQuery(given, of: self.model)
        if let statement = query.statement {
            kind = .statement(try statement.statement(database.dialect), try parameters(query.values, query.valueCount))
        } else if query.query.sql != nil {
            let values = try KeptValues(query.values, query.valueCount)
            kind = .query(query.query) { try values.bind(to: $0) }
        } else {
            kind = .query(query.query, bind: nil)
        }
    }

    func open(_ database: Database) throws -> StatementCursor {
        switch kind {
        case .statement(let compiled, let values):
            guard let model else { return try database.cursor(compiled, values) }
            return try database.cursor(model, compiled, values)
        case .query(let query, let bind):
            if let model { return try database.cursor(model, query, bind: bind) }
            guard let sql = query.sql else {
                throw CormorantError(
                    .misuse, "there is neither a model, nor SQL or a statement to watch", hint: "pass one of them")
            }
            return try database.cursor(sql) { try bind?($0) }
        }
    }
}

/// Copies of C values, and of what they point to.
final class KeptValues: @unchecked Sendable {  // never written after init
    private let memory = ScratchMemory(firstSize: 256)
    private let values: [corm_value]

    init(_ given: UnsafePointer<corm_value>?, _ count: Int) throws {
        values = try array(given, count, "values").map { [memory] given in
            let plain = try plainValue(given, "a value")
            var value = try plain.cValue(in: memory)
            value.name = try optionalString(given.name, "parameter name").map { memory.copy($0) }
            return value
        }
    }

    func bind(to statement: Statement) throws {
        try values.withUnsafeBufferPointer { try CormorantC.bind($0.baseAddress, $0.count, to: statement) }
    }
}

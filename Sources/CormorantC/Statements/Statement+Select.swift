public import CCormorant
import CormorantBase
import CormorantORM
import CormorantQuery

/// What a list of expressions that ends with NULL holds; all are consumed.
private func consumeList(_ list: UnsafePointer<OpaquePointer?>?) -> [Expression] {
    guard var next = list else { return [] }
    var expressions: [Expression] = []
    while let handle = next.pointee {
        expressions.append(consume(handle))
        next += 1
    }
    return expressions
}

/// The expressions of a SELECT's clauses; all are consumed.
private func consumeClauses(_ raw: corm_select) -> [(clause: Int32, expressions: [Expression])] {
    [
        (CORM_CLAUSE_COLUMN, consumeList(raw.columns)),
        (CORM_CLAUSE_WHERE, raw.where == nil ? [] : [consume(raw.where)]),
        (CORM_CLAUSE_GROUP_BY, consumeList(raw.group_by)),
        (CORM_CLAUSE_HAVING, raw.having == nil ? [] : [consume(raw.having)]),
        (CORM_CLAUSE_ORDER_BY, consumeList(raw.order_by)),
    ]
}

@_cdecl("corm_statement_select") @implementation
public func corm_statement_select(
    _ model: OpaquePointer?, _ clauses: UnsafePointer<corm_select>?
) -> OpaquePointer? {
    let statement = corm_statement_create(CORM_SELECT, model, nil)
    guard let clauses else { return statement }
    change(statement) { box in
        let raw: corm_select = try readStruct(clauses, clauses.pointee.struct_size, "corm_select") {
            _ = consumeClauses($0)
        }
        let given = consumeClauses(raw)
        let most = try CormorantC.limit(raw.limit)
        guard raw.offset >= 0 else {
            throw CormorantError(.misuse, "the offset is negative", hint: "give 0 for none")
        }
        let limit: [Expression] = most.map { [.value(.integer($0))] } ?? []
        let offset: [Expression] = raw.offset == 0 ? [] : [.value(.integer(raw.offset))]
        for (clause, expressions) in given + [(CORM_CLAUSE_LIMIT, limit), (CORM_CLAUSE_OFFSET, offset)] {
            for expression in expressions { box.add(expression, to: clause) }
        }
    }
    return statement
}

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

@_cdecl("corm_statement_select") @implementation
public func corm_statement_select(
    _ model: OpaquePointer?, _ clauses: UnsafePointer<corm_select>?
) -> OpaquePointer? {
    let statement = corm_statement_create(CORM_SELECT, model, nil)
    guard let clauses else { return statement }
    change(statement) { box in
        let raw: corm_select = try readStruct(clauses, clauses.pointee.struct_size, "corm_select")
        let columns = consumeList(raw.columns)
        let conditions = raw.where == nil ? [] : [consume(raw.where)]
        let groups = consumeList(raw.group_by)
        let having = raw.having == nil ? [] : [consume(raw.having)]
        let order = consumeList(raw.order_by)
        let most = try CormorantC.limit(raw.limit)
        guard raw.offset >= 0 else {
            throw CormorantError(.misuse, "the offset is negative", hint: "give 0 for none")
        }
        let limit: [Expression] = most.map { [.value(.integer($0))] } ?? []
        let offset: [Expression] = raw.offset == 0 ? [] : [.value(.integer(raw.offset))]
        for (clause, expressions) in [
            (CORM_CLAUSE_COLUMN, columns), (CORM_CLAUSE_WHERE, conditions), (CORM_CLAUSE_GROUP_BY, groups),
            (CORM_CLAUSE_HAVING, having), (CORM_CLAUSE_ORDER_BY, order), (CORM_CLAUSE_LIMIT, limit),
            (CORM_CLAUSE_OFFSET, offset),
        ] {
            for expression in expressions { box.add(expression, to: clause) }
        }
    }
    return statement
}

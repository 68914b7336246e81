import CCormorant
import CCormorantBinding
import CormorantBase
import CormorantC
import CormorantORM
import CormorantQuery

extension TreeReader {
    /// The rest of an expression whose first item is read.
    mutating func node(_ code: Int32) throws -> Expression {
        switch code {
        case CORM_NODE_COLUMN:
            let (model, alias) = (try model(), try optionalText())
            return try columnExpression(model, text(), alias: alias)
        case CORM_NODE_NAME: return Expression(.name(source: try optionalText(), try text()))
        case CORM_NODE_VALUE:
            let value = try reader.value("the value")
            let type = try int()
            return .value(value, as: type == 0 ? nil : try columnType(type))
        case CORM_NODE_PARAMETER: return Expression(.parameter(try text()))
        case CORM_NODE_UNARY: return .unary(try unaryOperator(int()), try expression())
        case CORM_NODE_BINARY:
            let operation = try binaryOperator(int())
            let left = try expression()
            return .binary(operation, left, try expression())
        case CORM_NODE_ALL: return .all(try expressions())
        case CORM_NODE_ANY: return .any(try expressions())
        case CORM_NODE_BETWEEN:
            let (operand, low) = (try expression(), try expression())
            return .between(operand, low, try expression())
        case CORM_NODE_IN: return .isIn(try expression(), try values())
        case CORM_NODE_IN_SELECT: return .isIn(try expression(), try select())
        case CORM_NODE_CASE: return try cases()
        case CORM_NODE_CAST: return .cast(try expression(), try columnType(int()))
        case CORM_NODE_COLLATE: return .collate(try expression(), try text())
        case CORM_NODE_CALL: return .call(try call())
        case CORM_NODE_SELECT: return .scalar(try select())
        case CORM_NODE_EXISTS: return .exists(try select())
        case CORM_NODE_RAW: return Expression(.raw(try text(), try values()))
        case CORM_NODE_ORDER:
            let operand = try expression()
            return operand.ordered(OrderDirection(descending: try bool(), nulls: try nullOrder(int())))
        case CORM_NODE_AS: return try expression().labelled(text())
        case CORM_NODE_ROW: return .row(try expressions())
        default: return try relation(code)
        }
    }

    private mutating func cases() throws -> Expression {
        let base = try optionalExpression()
        var cases: [(when: Expression, then: Expression)] = []
        for _ in 0..<(try reader.sequence()) {
            _ = try reader.sequence()
            let when = try expression()
            cases.append((when, try expression()))
        }
        return .cases(base: base, cases, otherwise: try optionalExpression())
    }

    private mutating func call() throws -> Call {
        var call = Call(try text(), try expressions())
        call.isDistinct = try bool()
        call.filter = try optionalExpression()
        if try !none() {
            _ = try reader.sequence()
            let partition = try expressions()
            let order = try expressions()
            call.window = Window(partition: partition, order: order, frame: try optionalText())
        }
        return call
    }

    private mutating func relation(_ code: Int32) throws -> Expression {
        switch code {
        case CORM_NODE_PATH:
            let (model, alias) = (try model(), try optionalText())
            return model.column(along: try list(text), try text(), alias: alias)
        case CORM_NODE_RELATED:
            let (model, alias, name) = (try model(), try optionalText(), try text())
            let condition = try optionalExpression()
            return model.exists(name, where: [condition].compactMap { $0 }, alias: alias)
        case CORM_NODE_IS_RELATED:
            let (model, alias, names) = (try model(), try optionalText(), try list(text))
            guard try !none() else { return model.isRelated(along: names, to: nil, alias: alias) }
            let values = try values()
            return model.isRelated(along: names, to: { values.indices.contains($0) ? values[$0] : .null }, alias: alias)
        case CORM_NODE_IS_RELATED_IN:
            let (model, alias, names) = (try model(), try optionalText(), try list(text))
            let values = try list(values).map { values in
                { column in values.indices.contains(column) ? values[column] : Value.null }
            }
            return model.isRelated(along: names, toOneOf: values, alias: alias)
        case CORM_NODE_AGGREGATE:
            let (model, alias, name) = (try model(), try optionalText(), try text())
            let (function, property) = (try text(), try optionalText())
            let condition = try optionalExpression()
            return model.aggregate(
                function, over: name, property, where: [condition].compactMap { $0 }, alias: alias)
        default: throw TreeReader.damaged()
        }
    }
}

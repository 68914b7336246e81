import Cormorant
import CormorantORM
import CormorantQuery

/// Expressions of scenarios, as the engine has them.
extension Scenario {
    func expressions(_ json: JSONValue?) throws -> [Expression] { try json?.array().map(expression) ?? [] }

    func expression(_ json: JSONValue) throws -> Expression {
        var members = try Members(json)
        let made = try form(&members) ?? operation(&members)
        guard let made else { throw ScenarioFailure("\(json) is no expression") }
        try members.end()
        return made
    }

    /// An expression that is no operator; nil where the members say none.
    private func form(_ members: inout Members) throws -> Expression? {
        if let path = try members.text("column") { return try column(path, members.text("of")) }
        if let value = members.take("value") {
            return .value(try scenarioValue(value), as: try members.text("type").map(columnType))
        }
        if let name = try members.text("parameter") { return Expression(.parameter(name)) }
        if let parts = members.take("all") { return .all(try expressions(parts)) }
        if let parts = members.take("any") { return .any(try expressions(parts)) }
        if let parts = members.take("row") { return .row(try expressions(parts)) }
        if let parts = try members.take("between").map({ try expressions($0) }) {
            return .between(parts[0], parts[1], parts[2])
        }
        if let operand = try members.take("in").map(expression) {
            if let select = members.take("select") { return .isIn(operand, try self.select(select)) }
            if let name = try members.text("list") { return .binary(.isIn, operand, Expression(.parameter(name))) }
            if let rows = try members.take("rows")?.array() {
                return .isIn(operand, try rows.flatMap { try $0.array().map { try scenarioValue($0) } })
            }
            return .isIn(operand, try scenarioValues(members.required("values")))
        }
        if let pairs = members.take("case") { return try cases(pairs, &members) }
        if let operand = try members.take("cast").map(expression) {
            return .cast(operand, try columnType(members.required("type").string()))
        }
        if let operand = try members.take("collate").map(expression) {
            return .collate(operand, try members.required("collation").string())
        }
        if let name = try members.text("call") { return .call(try call(name, &members)) }
        if let select = members.take("select") { return .scalar(try self.select(select)) }
        if let select = members.take("exists") { return .exists(try self.select(select)) }
        if let sql = try members.text("raw") {
            return Expression(.raw(sql, try members.take("values").map(scenarioValues) ?? []))
        }
        if let operand = try members.take("order").map(expression) { return try order(operand, &members) }
        if let operand = try members.take("as").map(expression) {
            return operand.labelled(try members.required("name").string())
        }
        if let path = try members.text("related") {
            let (model, relation) = try ends(of: path)
            return model.exists(relation, where: try condition(&members), alias: try members.text("of"))
        }
        if let path = try members.text("isRelated") {
            let names = path.split(separator: ".").map(String.init)
            let record = try members.required("record")
            let values = try members.text("model").map { try model(named: $0).record(record).values }
            return try model(named: names[0]).descriptor.isRelated(
                along: Array(names.dropFirst()), to: values.map { values in { values[$0] } }, alias: members.text("of"))
        }
        if let path = try members.text("aggregate") {
            let (model, relation) = try ends(of: path)
            return model.aggregate(
                try members.required("function").string(), over: relation, try members.text("property"),
                where: try condition(&members), alias: try members.text("of"))
        }
        if let name = try members.text("name") { return Expression(.name(source: try members.text("source"), name)) }
        return nil
    }

    private func operation(_ members: inout Members) throws -> Expression? {
        for (name, op) in unaryOperators {
            if let operand = members.take(name) { return .unary(op, try expression(operand)) }
        }
        for (name, op) in binaryOperators {
            guard let operands = try members.take(name).map({ try expressions($0) }) else { continue }
            guard operands.count == 2 else { throw ScenarioFailure("\(name) takes two operands") }
            return .binary(op, operands[0], operands[1])
        }
        return nil
    }

    /// `Person.age`, or along relations `Album.artist.name`.
    private func column(_ path: String, _ alias: String?) throws -> Expression {
        let names = path.split(separator: ".").map(String.init)
        let model = try model(named: names[0]).descriptor
        let property = names[names.count - 1]
        guard names.count == 2 else {
            return model.column(along: Array(names[1..<names.count - 1]), property, alias: alias)
        }
        return .column(model.tableReference, try model.tableReference.require(property), alias: alias)
    }

    private func ends(of path: String) throws -> (ModelDescriptor, String) {
        let names = path.split(separator: ".").map(String.init)
        return (try model(named: names[0]).descriptor, names[1])
    }

    private func condition(_ members: inout Members) throws -> [Expression] {
        try members.take("where").map { [try expression($0)] } ?? []
    }

    private func cases(_ pairs: JSONValue, _ members: inout Members) throws -> Expression {
        let cases = try pairs.array().map { pair in
            let pair = try expressions(pair)
            return (when: pair[0], then: pair[1])
        }
        return .cases(
            base: try members.take("base").map(expression), cases,
            otherwise: try members.take("otherwise").map(expression))
    }

    private func call(_ name: String, _ members: inout Members) throws -> Call {
        var call = Call(name, try expressions(members.take("arguments")))
        call.isDistinct = try members.flag("distinct")
        call.order = try expressions(members.take("orderBy"))
        call.filter = try members.take("filter").map(expression)
        guard let over = members.take("over") else { return call }
        var window = try Members(over)
        call.window = Window(
            partition: try expressions(window.take("partitionBy")), order: try expressions(window.take("orderBy")),
            frame: try window.text("frame"))
        try window.end()
        return call
    }

    private func order(_ operand: Expression, _ members: inout Members) throws -> Expression {
        let places: [String: OrderDirection.Nulls] = ["least": .least, "first": .first, "last": .last]
        guard let nulls = places[try members.text("nulls") ?? "least"] else { throw ScenarioFailure("unknown nulls") }
        return operand.ordered(OrderDirection(descending: try members.flag("descending"), nulls: nulls))
    }
}

private let unaryOperators: [(String, UnaryOperator)] = [
    ("not", .not), ("negate", .negate), ("bitNot", .bitNot), ("isNull", .isNull), ("isNotNull", .isNotNull),
]

private let binaryOperators: [(String, BinaryOperator)] = [
    ("equal", .equal), ("notEqual", .notEqual), ("less", .less), ("lessEqual", .lessOrEqual), ("greater", .greater),
    ("greaterEqual", .greaterOrEqual), ("is", .is), ("isNot", .isNot), ("add", .add), ("subtract", .subtract),
    ("multiply", .multiply), ("divide", .divide), ("remainder", .remainder), ("concat", .concat), ("bitAnd", .bitAnd),
    ("bitOr", .bitOr), ("shiftLeft", .shiftLeft), ("shiftRight", .shiftRight), ("like", .like), ("notLike", .notLike),
    ("glob", .glob), ("notGlob", .notGlob), ("match", .match), ("regexp", .regexp),
    ("hasPrefix", .hasPrefix), ("hasSuffix", .hasSuffix),
    ("contains", .contains), ("jsonAt", .jsonAt), ("jsonValueAt", .jsonValueAt),
]

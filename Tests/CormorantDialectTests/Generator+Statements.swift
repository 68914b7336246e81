import CormorantBase
import CormorantORM
import CormorantQuery

extension Generator {
    private var thing: TableReference { Sample.things.tableReference }
    private var part: TableReference { Sample.parts.tableReference }

    /// - Returns: whether its rows have an order, too.
    mutating func statement() -> (tree: StatementTree, isOrdered: Bool) {
        switch chance.below(20) {
        case 0..<6: return (.select(rows()), true)
        case 6..<8: return (.select(groups()), false)
        case 8..<10: return (.select(joined()), false)
        case 10: return (.select(compound()), true)
        case 11..<13: return (.select(windows()), true)
        case 13: return (.select(withSubqueries()), true)
        case 14: return (.select(distinct()), false)
        case 15: return (.select(chance.happens(60) ? common() : recursive()), false)
        case 16: return (chance.happens(50) ? .select(alongRelation()) : .change(changeFromOthers()), false)
        default: return (.change(change()), false)
        }
    }

    private mutating func kinds(_ count: Int) -> [Kind] { (0..<count).map { _ in chance.one(Kind.allCases) } }

    private mutating func rows() -> Select {
        var select = Select(from: thing)
        tables = [Name(table: thing, alias: nil)]
        if chance.happens(80) {
            select.columns = kinds(1 + chance.below(3)).map { expression($0, 3) }
            if chance.happens(20) {
                let details = thing.columns.firstIndex { $0.name == "details" } ?? 0
                select.columns.append(
                    .binary(
                        .jsonValueAt, .column(thing, details), .value(.text(chance.one(["$.a", "$.e", "$.f", "$.b"])))))
            }
        }
        if chance.happens(80) { select.conditions = [condition(3)] }
        select.order = order(by: .column(thing, 0))
        if chance.happens(30) {
            select.limit = .value(.integer(Int64(chance.below(8))))
            if chance.happens(50) { select.offset = .value(.integer(Int64(chance.below(4)))) }
        }
        return select
    }

    private mutating func order(by key: Expression) -> [Expression] {
        var terms: [Expression] = []
        if chance.happens(70) {
            let nulls: OrderDirection.Nulls = chance.one([.least, .least, .first, .last])
            terms.append(
                (element(10) ?? expression(chance.one(Kind.allCases), 1)).ordered(
                    OrderDirection(descending: chance.happens(50), nulls: nulls)))
        }
        return terms + [key]
    }

    /// What adds up to the same in any order: great reals beside small ones do not.
    private mutating func addend() -> Expression {
        if chance.happens(50) { return .binary(.remainder, integer(1), .value(.integer(1000))) }
        let number = real(1)
        return Self.bounded(number)
    }

    private static func bounded(_ number: Expression) -> Expression {
        .cases(
            base: nil, [(.between(number, .value(.real(-1e6)), .value(.real(1e6))), number)],
            otherwise: .value(.real(1)))
    }

    private mutating func aggregate() -> Expression {
        var call: Call
        switch chance.below(9) {
        case 0: call = Call("count", [])
        case 1: call = Call("count", [expression(chance.one(Kind.allCases), 1)])
        case 2:
            call = Call("sum", [addend()])
        case 3:
            call = Call("avg", [addend()])
        case 4: call = Call("total", [addend()])
        case 5:
            let kind: Kind = chance.one([.integer, .real, .text, .decimal, .datetime, .date, .condition, .uuid])
            // As with DISTINCT.
            call = Call(chance.one(["min", "max"]), [expression(kind, kind == .decimal ? 0 : 1)])
        case 6: call = Call("max", [.call("length", [text(1)])])
        case 7:
            call = Call("count", [expression(chance.one([.integer, .text, .decimal, .date]), 1)])
            call.isDistinct = true
        default: call = Call("sum", [decimal(1)])
        }
        if chance.happens(25) { call.filter = condition(1) }
        return .call(call)
    }

    private mutating func groups() -> Select {
        var select = Select(from: thing)
        tables = [Name(table: thing, alias: nil)]
        let groups = (0..<chance.below(3)).map { _ in
            expression(chance.one([.integer, .date, .condition, .real]), 1)
        }
        select.groupBy = groups.filter { if case .value = $0.node { false } else { true } }
        if select.groupBy.contains(where: { $0.isConstant }) { select.groupBy = [] }
        select.columns = select.groupBy + (0..<1 + chance.below(2)).map { _ in aggregate() }
        if chance.happens(40) { select.conditions = [condition(2)] }
        if !select.groupBy.isEmpty, chance.happens(30) {
            select.having = [.binary(.greater, .call("count", []), .value(.integer(1)))]
        }
        return select
    }

    private mutating func joined() -> Select {
        var select = Select(from: thing)
        let kind: JoinKind = chance.one([.inner, .left, .left, .right, .full])
        let key = Expression.binary(.equal, .column(part, 1), .column(thing, 0))
        tables = [Name(table: thing, alias: nil), Name(table: part, alias: nil)]
        select.joins = [
            Join(
                kind, Source(.table(part)),
                on: kind == .full ? key : chance.happens(60) ? key : .all([key, condition(1)]))
        ]
        select.columns = [.column(thing, 0), .column(part, 0)] + kinds(2).map { expression($0, 2) }
        if chance.happens(70) { select.conditions = [condition(2)] }
        return select
    }

    private mutating func compound() -> Select {
        tables = [Name(table: thing, alias: nil)]
        // Not decimals, of which two texts may be equal; nor texts, which SQLite may make numbers of when it combines them.
        let kind: Kind = chance.one([.integer, .real, .date, .uuid, .condition])
        func member(_ generator: inout Generator) -> Select {
            var select = Select(from: generator.thing)
            select.columns = [generator.expression(kind, 2).labelled("x")]
            if generator.chance.happens(60) { select.conditions = [generator.condition(1)] }
            return select
        }
        var select = member(&self)
        for _ in 0..<1 + chance.below(2) {
            select.compounds.append(Compound(chance.one([.union, .unionAll, .intersect, .except]), member(&self)))
        }
        select.order = [Expression(.name(source: nil, "x")).ordered(OrderDirection(descending: chance.happens(50)))]
        return select
    }

    private mutating func windows() -> Select {
        var select = Select(from: thing)
        tables = [Name(table: thing, alias: nil)]
        var call: Call
        switch chance.below(8) {
        case 0: call = Call("row_number", [])
        case 1: call = Call("rank", [])
        case 2: call = Call("sum", [.column(thing, 1)])
        case 3: call = Call("lag", [integer(1), .value(.integer(1)), .value(.integer(0))])
        case 4: call = Call("first_value", [text(1)])
        case 5: call = Call("ntile", [.value(.integer(3))])
        case 6: call = Call("count", [])
        // Of numbers that add up without an error.
        default: call = Call("avg", [Self.bounded(.column(thing, 7))])
        }
        var window = Window()
        if chance.happens(50) {
            window.partition = [
                chance.happens(50) ? .column(thing, 4) : .binary(.remainder, .column(thing, 1), .value(.integer(3)))
            ]
        }
        window.order = call.name == "rank" ? [integer(1)] : order(by: .column(thing, 0))
        if !["row_number", "rank", "lag", "ntile"].contains(call.name), chance.happens(40) {
            window.frame = chance.one([
                "ROWS 1 PRECEDING", "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
                "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
            ])
        }
        call.window = window
        select.columns = [.column(thing, 0), .call(call)]
        if chance.happens(40) { select.conditions = [condition(1)] }
        select.order = [.column(thing, 0)]
        return select
    }

    private mutating func withSubqueries() -> Select {
        var select = Select(from: thing)
        tables = [Name(table: part, alias: nil)]
        var inner = Select(from: part)
        if chance.happens(60) { inner.conditions = [condition(1)] }
        let condition: Expression
        switch chance.below(3) {
        case 0:
            inner.columns = [.column(part, 1)]
            condition = .isIn(.column(thing, 0), inner)
        case 1:
            inner.conditions.append(
                .binary(.equal, .column(part, 1), Expression(.column(ColumnReference(thing, 0, isOuter: true)))))
            condition = .exists(inner)
        default:
            inner.columns = [.call("max", [.column(part, 4)])]
            inner.conditions.append(
                .binary(.equal, .column(part, 1), Expression(.column(ColumnReference(thing, 0, isOuter: true)))))
            condition = .binary(.less, .scalar(inner), .value(.integer(Int64(chance.below(20)))))
        }
        tables = [Name(table: thing, alias: nil)]
        select.columns = [.column(thing, 0)]
        select.conditions = [chance.happens(30) ? .unary(.not, condition) : condition]
        select.order = [.column(thing, 0)]
        return select
    }

    private var step: RelationStep {
        RelationStep("thing", from: part, to: thing, [(from: 1, to: 0)], refersToTarget: true, [nil])
    }

    private mutating func alongRelation() -> Select {
        func there(_ index: Int) -> Expression { Expression(.column(ColumnReference(part, index, path: [step]))) }
        var select = Select(from: part)
        tables = [Name(table: part, alias: nil)]
        if chance.happens(40) {
            select.groupBy = [.column(part, 1)]
            select.columns = [there(8), there(2), .call("count", []), .call("max", [.column(part, 4)])]
            if chance.happens(50) { select.having = [.binary(.greater, .call("count", []), .value(.integer(1)))] }
        } else {
            select.columns = [.column(part, 0), there(9), there(4), integer(1)]
            select.conditions = [
                .binary(chance.one([.greater, .lessOrEqual, .is]), there(1), .value(.integer(1))), condition(1),
            ]
            select.order = [there(8)]
        }
        return select
    }

    private mutating func recursive() -> Select {
        tables = []
        var first = Select()
        let start = Int64(chance.below(5))
        first.columns = [
            Expression.value(.integer(start)).labelled("n"), Expression.value(.text("a")).labelled("t"),
            Expression.value(.real(0.5)).labelled("r"),
        ]
        func name(_ name: String) -> Expression { Expression(.name(source: "counted", name)) }
        var next = Select(from: Source(.name("counted")))
        next.columns = [
            .binary(.add, name("n"), .value(.integer(1))), .binary(.concat, name("t"), .value(.text("b"))),
            .binary(.multiply, name("r"), .value(.integer(2))),
        ]
        next.conditions = [.binary(.less, name("n"), .value(.integer(start + Int64(chance.below(6)))))]
        first.compounds = [Compound(chance.one([.unionAll, .union]), next)]
        var select = Select(from: Source(.name("counted")))
        select.commonTables = [CommonTable("counted", first)]
        select.columns = [name("n"), .call("upper", [name("t")]), name("r"), .call("length", [name("t")])]
        return select
    }

    private mutating func changeFromOthers() -> Change {
        if chance.happens(50) {
            // Each part is of one thing at most.
            var change = Change(.update, part)
            change.source = Source(.table(thing))
            change.assignments = [(4, .column(thing, 1)), (2, .binary(.concat, .column(thing, 8), .value(.text("!"))))]
            tables = [Name(table: thing, alias: nil), Name(table: part, alias: nil)]
            change.conditions = [.binary(.equal, .column(part, 1), .column(thing, 0)), condition(1)]
            change.returning = [.column(part, 0), .column(part, 2), .column(part, 4)]
            return change
        }
        var change = Change(chance.happens(50) ? .delete : .update, part)
        if case .update = change.kind { change.assignments = [(3, .value(.real(7)))] }
        tables = [Name(table: part, alias: nil)]
        let there = Expression(.column(ColumnReference(part, 1, path: [step])))
        change.conditions = [.binary(.greater, there, .value(.integer(0))), condition(1)]
        change.returning = [.column(part, 0), .column(part, 3)]
        return change
    }

    private mutating func distinct() -> Select {
        var select = Select(from: thing)
        tables = [Name(table: thing, alias: nil)]
        select.isDistinct = true
        let kind: Kind = chance.one([.integer, .real, .date, .decimal, .condition])
        // Which of two texts of one number comes is chance: of decimals only those of a column, of which no two are equal.
        select.columns = [expression(kind, kind == .decimal ? 0 : 2)]
        if chance.happens(50) { select.conditions = [condition(2)] }
        return select
    }

    private mutating func common() -> Select {
        tables = [Name(table: thing, alias: nil)]
        var inner = Select(from: thing)
        inner.columns = [
            Expression.column(thing, 0).labelled("id"), integer(2).labelled("n"), text(2).labelled("t"),
            real(1).labelled("r"),
        ]
        if chance.happens(50) { inner.conditions = [condition(2)] }
        var select = Select(from: Source(.common(CommonTable("c", inner, identity: CommonTable.Identity()))))
        func name(_ name: String) -> Expression { Expression(.name(source: "c", name)) }
        select.columns = [
            name("id"), .binary(.add, .binary(.remainder, name("n"), .value(.integer(100))), .value(.integer(1))),
            .binary(.concat, name("t"), .value(.text("!"))), .call("coalesce", [name("r"), .value(.real(0))]),
        ]
        select.conditions = [
            chance.happens(50)
                ? .binary(.greater, name("t"), value(.text)) : .binary(.less, name("n"), .value(.integer(5)))
        ]
        return select
    }

    private mutating func value(_ type: ColumnType) -> Expression { .value(chance.one(Sample.values(type))) }

    private mutating func change() -> Change {
        tables = [Name(table: thing, alias: nil)]
        let returning = [0, 1, 2, 3, 4, 6, 8, 9, 11, 12, 13, 14].map { Expression.column(thing, $0) }
        switch chance.below(5) {
        case 0, 1:
            var change = Change(.update, thing)
            let number = Expression.binary(.remainder, integer(2), .value(.integer(1000)))
            let assignments: [(column: Int, value: Expression)] = [
                (1, .call("coalesce", [number, .value(.integer(0))])),
                (3, .call("coalesce", [integer(1), .value(.integer(0))])),
                (4, condition(2)), (6, real(2)), (9, text(2)), (11, decimal(1)), (13, expression(.date, 1)),
                (12, value(.datetime)),
                (5, .binary(.is, condition(1), .value(.integer(1)))),
            ]
            for assignment in assignments where chance.happens(30) { change.assignments.append(assignment) }
            // What a column may not hold is refused by both.
            if chance.happens(15) {
                change.assignments = [
                    chance.one([
                        (1, .value(.real(2.5))), (3, .value(.real(2))), (3, real(1)), (6, integer(1)),
                        (6, .binary(.add, .column(thing, 0), .value(.integer(9_007_199_254_740_992)))),
                        (7, .value(.integer(16_777_217))), (18, .column(thing, 18)),
                    ])
                ]
            } else if let element = element(15) {
                change.assignments = [(chance.one([1, 3, 4, 6, 9]), element)]
            }
            if change.assignments.isEmpty { change.assignments = [(9, text(1))] }
            change.conditions = [condition(2)]
            change.returning = returning
            return change
        case 2:
            var change = Change(.delete, part)
            tables = [Name(table: part, alias: nil)]
            change.conditions = [condition(2)]
            change.returning = [.column(part, 0), .column(part, 2)]
            return change
        case 3:
            var change = Change(.insertValues, thing)
            let key = Int64(chance.below(30))
            change.assignments = [
                (0, .value(.integer(key))), (1, .value(chance.one(Sample.values(.int32)))), (5, .value(.integer(1))),
                (8, value(.text)), (6, chance.happens(50) ? value(.double) : .value(.integer(3))),
                (11, value(.decimal)), (12, value(.datetime)),
                (14, value(.time)),
            ]
            change.upsert = Upsert(target: [0])
            if chance.happens(70) {
                change.upsert?.assignments = [
                    (9, .binary(.concat, .column(thing, 8), Expression(.name(source: "excluded", "title")))),
                    (
                        3,
                        .binary(.add, .call("coalesce", [.column(thing, 1), .value(.integer(0))]), .value(.integer(1)))
                    ),
                ]
            }
            change.returning = returning
            return change
        default:
            var inner = Select(from: thing)
            inner.columns = [
                .binary(.add, .column(thing, 0), .value(.integer(1000))), .column(thing, 8), real(1),
                .call("coalesce", [.binary(.remainder, integer(1), .value(.integer(100))), .value(.integer(7))]),
            ]
            inner.conditions = [condition(1)]
            var change = Change(.insertSelect([0, 2, 3, 4], inner), part)
            change.returning = [.column(part, 0), .column(part, 2), .column(part, 3), .column(part, 4)]
            return change
        }
    }
}

extension Expression {
    /// Whether no column is in it, as far as grouping goes.
    fileprivate var isConstant: Bool {
        switch node {
        case .value, .parameter: true
        case .unary(_, let inner), .cast(let inner, _), .collate(let inner, _): inner.isConstant
        case .binary(_, let left, let right): left.isConstant && right.isConstant
        case .call(let call): call.arguments.allSatisfy(\.isConstant)
        default: false
        }
    }
}

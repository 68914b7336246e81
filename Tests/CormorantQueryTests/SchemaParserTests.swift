import CormorantBase
import CormorantQuery
import Testing

func table(_ sql: String) throws -> TableDefinition {
    guard case .table(let table) = try SchemaParser.object(sql) else { throw CormorantError(.misuse, "no table") }
    return table
}

func onlyColumn(_ sql: String) throws -> ColumnDefinition { try table("CREATE TABLE t(\(sql))").columns[0] }

struct SchemaParserTests {
    @Test(arguments: [
        ("CREATE TABLE t(a)", "t"), ("create temp table \"a b\"(a)", "a b"),
        ("CREATE TABLE IF NOT EXISTS main.[x](a)", "x"), ("CREATE TABLE 'it''s'(a);", "it's"),
        ("CREATE TEMPORARY TABLE abort(a)", "abort"), ("CREATE TABLE `a``b`.\"c\"\"d\"(a)", "c\"d"),
        ("-- before\nCREATE TABLE left /* behind */ (a)", "left"),
    ])
    func namesOfTables(_ sql: String, _ name: String) throws {
        #expect(try table(sql).name == name)
    }

    @Test func everyConstraintOfAColumn() throws {
        let column = try onlyColumn(
            """
            a INT CONSTRAINT n NOT NULL ON CONFLICT FAIL DEFAULT (1 + 2) UNIQUE ON CONFLICT IGNORE CHECK (a > 0)
            COLLATE nocase PRIMARY KEY DESC ON CONFLICT REPLACE REFERENCES u(x) ON UPDATE CASCADE ON DELETE SET DEFAULT
            MATCH full ON INSERT SET NULL NULL AS (b * 2) STORED CONSTRAINT none
            """)
        let term = IndexTerm(expression: SQLFragment(name: "a"), column: "a", collation: nil, descending: false)
        var first = term
        first.descending = true
        let kinds: [ConstraintDefinition.Kind] = [
            .notNull(onConflict: .fail), .defaultValue(SQLFragment(text: "1 + 2", canonical: "1 + 2")),
            .unique([term], onConflict: .ignore), .check(SQLFragment(text: "a > 0", canonical: "a > 0")),
            .collate("nocase"),
            .primaryKey([first], autoIncrement: false, onConflict: .replace),
            .foreignKey(
                ForeignKeyDefinition(
                    columns: ["a"], table: "u", tableColumns: ["x"], onDelete: .setDefault, onUpdate: .cascade,
                    match: "full",
                    isDeferred: false)), .null,
            .generated(SQLFragment(text: "b * 2", canonical: "b * 2"), stored: true), .null,
        ]
        #expect(column.constraints.map(\.kind) == kinds)
        #expect(column.constraints.compactMap(\.name) == ["n", "none"])
        #expect(column.constraints[0].sql == "CONSTRAINT n NOT NULL ON CONFLICT FAIL")
        #expect(column.constraints[5].sql == "PRIMARY KEY DESC ON CONFLICT REPLACE")
        #expect(column.sql.hasPrefix("a INT CONSTRAINT n") && column.sql.hasSuffix("CONSTRAINT none"))
    }

    @Test(arguments: [("CREATE TABLE t(a); SELECT 1", 17), ("", 0), (";", 1)])
    func whatIsNotOneStatementIsRefused(_ sql: String, _ offset: Int) {
        expectRefusal(sql, at: offset)
    }

    /// finding reliability.md A6: a group is not looked through once for each group around it.
    @Test(arguments: [20_000, 40_000])
    func depthCostsNoMoreThanLength(_ count: Int) throws {
        let deep = String(repeating: "(", count: count) + "a" + String(repeating: ")", count: count)
        let collated = "a" + String(repeating: " COLLATE nocase", count: count)
        let clock = ContinuousClock()
        let took = try clock.measure {
            #expect(try onlyColumn("a DEFAULT \(deep)").constraints.count == 1)
            for term in [deep, collated, "(\(collated)) COLLATE binary"] {
                guard case .index(let index) = try SchemaParser.object("CREATE INDEX i ON t(\(term))") else { continue }
                #expect(index.terms.map(\.column) == ["a"])
            }
        }
        // Where it grew with the square it took minutes.
        #expect(took < .seconds(20))
    }

    @Test func nothingIsTooDeep() throws {
        let count = 200_000
        let deep = String(repeating: "(", count: count) + "1" + String(repeating: ")", count: count)
        #expect(try onlyColumn("a CHECK \(deep)").constraints.count == 1)
        expectRefusal("CREATE TABLE t(a CHECK " + String(repeating: "(", count: count), at: count + 23)
        #expect(try onlyColumn("a" + String(repeating: " NOT NULL", count: count)).constraints.count == count)
        #expect(
            try onlyColumn("a REFERENCES u NULL" + String(repeating: " DEFERRABLE", count: 1000)).constraints.count == 2
        )
    }
}

func expectRefusal(_ sql: String, at offset: Int, location: SourceLocation = #_sourceLocation) {
    do {
        _ = try SchemaParser.object(sql)
        Issue.record("\(sql.prefix(200)) was read", sourceLocation: location)
    } catch {
        #expect(error.code == .schema, sourceLocation: location)
        #expect(error.offset == offset, "\(error.message): \(sql.prefix(200))", sourceLocation: location)
        #expect(error.message.contains("at byte \(offset): near "), sourceLocation: location)
        #expect(error.hint != nil && error.sql == sql, sourceLocation: location)
    }
}

import CormorantBase
import CormorantQuery
import Testing

/// What PostgreSQL is told; that it answers as SQLite does is shown by statements that both run.
struct PostgresTests {
    private let thing: TableReference = TableReference(
        model: "Thing", name: "thing",
        columns: [
            made("id", .int64, isNotNull: true), made("n", .int32), made("flag", .bool), made("title", .text),
            made("nick", .text, collation: "NOCASE"), made("made", .datetime), made("price", .decimal),
            made("details", .json),
        ], key: [0], hiddenKey: nil, generated: 0, scope: "flag = 1")

    private static func made(
        _ name: String, _ type: ColumnType, isNotNull: Bool = false, collation: String? = nil
    ) -> TableReference.Column {
        TableReference.Column(
            property: name, name: name, type: type, isOptional: !isNotNull, isNotNull: isNotNull, isComputed: false,
            collation: collation)
    }

    private func sql(_ expression: CormorantQuery.Expression) throws -> String {
        try StatementCompiler.compile(expression, .postgres).sql
    }

    private func column(_ index: Int) -> CormorantQuery.Expression { .column(thing, index) }

    @Test func aValueBesideAColumnIsOfItsType() throws {
        #expect(try sql(.binary(.equal, column(1), .value(.integer(5)))) == #""n" = ?1"#)
        // Beyond the column's type it is wider.
        #expect(try sql(.binary(.less, column(1), .value(.integer(5_000_000_000)))) == #""n" < CAST(?1 AS bigint)"#)
        #expect(try sql(.binary(.equal, column(1), Expression(.parameter("p")))) == #""n" = CAST(?1 AS bigint)"#)
        #expect(
            try sql(.binary(.equal, column(2), .value(.integer(2)))) == #"CAST("flag" AS integer) = CAST(?1 AS bigint)"#
        )
        #expect(throws: CormorantError.self) { try sql(Expression(.parameter("p"))) }
    }

    @Test func textsCompareByBytesAndWithoutCase() throws {
        #expect(try sql(.binary(.less, column(3), .value(.text("a")))) == #""title" < ?1"#)
        #expect(
            try sql(.binary(.equal, column(4), .value(.text("A"))))
                == #"lower("nick") = lower(CAST(?1 AS text) COLLATE "C")"#)
        // The left column's collation counts.
        #expect(try sql(.binary(.equal, column(3), column(4))) == #""title" = "nick""#)
        #expect(try sql(.binary(.like, column(3), .value(.text("a%")))) == #""title" ILIKE ?1 ESCAPE ''"#)
    }

    @Test func divisionByZeroIsNull() throws {
        #expect(try sql(.binary(.divide, column(0), column(0))) == #""id" / nullif("id", 0)"#)
        #expect(try sql(.binary(.divide, column(0), .value(.integer(2)))) == #""id" / CAST(?1 AS bigint)"#)
    }

    @Test(arguments: [
        ("a*", "^a.*$"), ("[^a-c]?", "^[^a-c].$"), ("[]a]", "^[\\]a]$"), ("[z-a]", "^[z]$"), ("a.b", "^a\\.b$"),
        ("[a", "(?!)"),
    ])
    func aGlobIsARegularExpression(_ pattern: String, _ expression: String) throws {
        let compiled = try StatementCompiler.compile(
            .binary(.glob, column(3), .value(.text(pattern))), .postgres)
        #expect(compiled.sql == #""title" ~ ?1"#)
        guard case .value(let bound) = compiled.bindings[0] else { return #expect(Bool(false)) }
        #expect(bound == .text(expression))
    }

    @Test func nullIsLeast() throws {
        var select = Select(
            from: TableReference(model: "T", name: "t", columns: thing.columns, key: [0], hiddenKey: nil))
        guard case .table(let table)? = select.source?.kind else { return }
        select.columns = [.column(table, 1)]
        select.order = [Expression.column(table, 1).ordered(OrderDirection(descending: true)), .column(table, 0)]
        // Qualified: a bare name would be that of a result column.
        #expect(
            try StatementCompiler.compile(select, .postgres).sql
                == #"SELECT "n" FROM "t" ORDER BY "t"."n" DESC NULLS LAST, "t"."id""#)
    }

    @Test func equalValuesAreOneParameterWhereRowsAreGrouped() throws {
        let table = TableReference(model: "T", name: "t", columns: thing.columns, key: [0], hiddenKey: nil)
        let decade = CormorantQuery.Expression.binary(.divide, .column(table, 0), .value(.integer(10)))
        var select = Select(from: table)
        select.columns = [decade, .call("count", [])]
        select.groupBy = [decade]
        #expect(
            try StatementCompiler.compile(select, .postgres).sql
                == #"SELECT "id" / CAST(?1 AS bigint), count(*) FROM "t" GROUP BY "id" / CAST(?1 AS bigint)"#)
        select.columns = [.column(table, 3), .call("count", [])]
        #expect(throws: CormorantError.self) { try StatementCompiler.compile(select, .postgres) }
    }

    @Test func aScopeIsWrittenForTheEngine() throws {
        let select = Select(from: thing)
        #expect(
            try StatementCompiler.compile(select, .postgres).sql.hasSuffix(
                #"FROM (SELECT * FROM "thing" WHERE "flag" = TRUE) AS "thing""#))
        #expect(
            try StatementCompiler.compile(select).sql.hasSuffix(
                #"FROM (SELECT * FROM "thing" WHERE flag = 1) AS "thing""#))
    }

    @Test func recordsAreSavedByTheirKeys() throws {
        let compiler = SQLCompiler(.postgres, scope: nil, of: thing)
        let sql = try compiler.save(into: "thing", [.init("id"), .init("title")], key: ["id"], returning: ["id"])
        #expect(sql.hasPrefix(#"INSERT INTO "thing" ("id", "title") VALUES ("#))
        // A key that the table made is in the way of no row.
        #expect(
            sql.hasSuffix(
                #"ON CONFLICT ("id") DO UPDATE SET "title" = excluded."title" WHERE CAST(?1 AS bigint) IS NOT NULL RETURNING "id""#
            ))
        #expect(throws: CormorantError.self) {
            try compiler.insert(into: "thing", [.init("id")], conflict: .replace)
        }
    }

    // Tables ----------------------------------------------------------------------------------------------------------

    private func tables(_ columns: [ColumnSchema], checks: [CheckSchema] = [], indexes: [IndexSchema] = []) throws
        -> [String]
    {
        try SQLCompiler.createTables(
            [TableSchema(name: "t", columns: columns, primaryKey: ["id"], checks: checks, indexes: indexes)], .postgres
        ).map(\.sql)
    }

    private let id = ColumnSchema(name: "id", type: .int64, notNull: true)

    @Test func aTableOfTypes() throws {
        let made = try tables(
            [
                id, ColumnSchema(name: "small", type: .int32, bits: 8, isUnsigned: true),
                ColumnSchema(name: "flag", type: .bool, notNull: true, defaultSQL: "1"),
                ColumnSchema(name: "price", type: .decimal, scale: 2),
                ColumnSchema(name: "nick", type: .text, collation: "NOCASE"),
                ColumnSchema(name: "made", type: .datetime, defaultSQL: "'2024-01-31 12:00:00'"),
                ColumnSchema(name: "upper", type: .text, computedSQL: "UPPER(Nick) || small"),
                ColumnSchema(name: "raw", type: .blob, defaultSQL: "x'00fF'"),
            ], checks: [CheckSchema(name: "t_small_check", condition: "small <> 3 OR NOT flag", column: "small")],
            indexes: [
                IndexSchema(name: "t_nick_key", columns: [OrderedColumn("nick")], isUnique: true),
                IndexSchema(
                    name: "t_made", columns: [OrderedColumn("made", descending: true)], isUnique: false,
                    whereSQL: "flag = 0"),
            ])
        #expect(
            made == [
                """
                CREATE TABLE "t" (
                  "id" bigint GENERATED BY DEFAULT AS IDENTITY,
                  "small" smallint,
                  "flag" boolean NOT NULL DEFAULT (TRUE),
                  "price" numeric,
                  "nick" text COLLATE "C",
                  "made" timestamptz DEFAULT (CAST('2024-01-31 12:00:00+00' AS timestamptz)),
                  "upper" text COLLATE "C" GENERATED ALWAYS AS (upper("nick") || CAST("small" AS text)) STORED,
                  "raw" bytea DEFAULT (CAST('\\x00ff' AS bytea)),
                  PRIMARY KEY ("id"),
                  CONSTRAINT "t_small_range" CHECK ("small" BETWEEN 0 AND 255),
                  CONSTRAINT "t_small_check" CHECK ("small" <> 3 OR NOT "flag"),
                  CONSTRAINT "t_price_scale" CHECK (scale("price") <= 2)
                )
                """,
                #"CREATE UNIQUE INDEX "t_nick_key" ON "t" (lower("nick") NULLS FIRST)"#,
                #"CREATE INDEX "t_made" ON "t" ("made" DESC NULLS LAST) WHERE "flag" = FALSE"#,
            ])
    }

    @Test(arguments: [
        "strftime('%Y', made) IS printf('%d', n)", "n > (SELECT 1)", "rowid > 0", "n ->> 'a' = :x", "typeof(n) = 'x'",
    ])
    func sqlOfOneEngineIsRefusedByItsPlace(_ condition: String) throws {
        let columns = [id, ColumnSchema(name: "n", type: .int64), ColumnSchema(name: "made", type: .datetime)]
        let error = #expect(throws: CormorantError.self) {
            try tables(columns, checks: [CheckSchema(name: "t_check_1", condition: condition)])
        }
        #expect(error?.code == .unsupported)
        #expect(error?.message.hasPrefix("the check \"t_check_1\"") == true)
    }

    @Test func aNameThatWouldBeCutOffIsRefused() throws {
        let long = String(repeating: "x", count: 64)
        #expect(throws: CormorantError.self) { try tables([id, ColumnSchema(name: long, type: .text)]) }
        #expect(throws: CormorantError.self) {
            try SQLCompiler.createTables(
                [TableSchema(name: "a", columns: [id], primaryKey: ["id"], module: ModuleSchema("fts5"))], .postgres)
        }
    }
}

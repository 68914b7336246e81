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

    @Test(arguments: [
        ("a", ""), ("a INT", "INT"), ("a  unsigned   big\nint", "unsigned big int"),
        ("a DECIMAL ( 10 , -2 )", "DECIMAL(10,-2)"), ("a VARCHAR(+20) NOT NULL", "VARCHAR(+20)"),
        ("a \"INTEGER\" more", "\"INTEGER\" more"), ("a \"INTEGER\"", "INTEGER"), ("a 'my  type'", "my  type"),
        ("a [odd type]", "odd type"),
        ("a key", "key"), ("a TEXT /* x */ -- y\n", "TEXT"), ("a INT GENERATED ALWAYS AS (1)", "INT"),
        ("a GENERATED ALWAYS AS (1)", ""), ("a generated", "generated"),
        ("a DOUBLE PRECISION DEFAULT 0", "DOUBLE PRECISION"),
    ])
    func types(_ sql: String, _ type: String) throws {
        #expect(try onlyColumn(sql).type == type)
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

    @Test func constraintsOfATableWithCommasAndWithout() throws {
        let table = try table(
            """
            CREATE TABLE t(a, b, CONSTRAINT k PRIMARY KEY (b DESC, a COLLATE nocase) ON CONFLICT FAIL
            UNIQUE ('a', b), CHECK (a <> b) ON CONFLICT IGNORE CONSTRAINT none, FOREIGN KEY (a, b) REFERENCES u
            ON DELETE RESTRICT NOT DEFERRABLE INITIALLY DEFERRED, FOREIGN KEY (b) REFERENCES v(x) DEFERRABLE INITIALLY
            DEFERRED) WITHOUT ROWID, strict
            """)
        #expect(
            table.constraints.map(\.canonical) == [
                "primary key (b desc, a collate nocase) on conflict fail", "unique (a, b)", "check (a <> b)", nil,
                "foreign key (a, b) references u on delete restrict",
                "foreign key (b) references v (x) deferrable initially deferred",
            ])
        #expect(table.constraints.map(\.name) == ["k", nil, nil, "none", nil, nil])
        #expect(table.withoutRowID && table.strict)
    }

    @Test(arguments: [
        ("1", "1"), ("- 1.5", "- 1.5"), ("+x'00'", "+x'00'"), ("'a'", "'a'"), ("word", "'word'"), ("\"a'B\"", "'a''B'"),
        ("TRUE", "TRUE"), ("\"true\"", "'true'"), ("null", "null"), ("CURRENT_DATE", "CURRENT_DATE"), ("(5)", "5"),
        ("( datetime('now', 'utc') )", "datetime('now', 'utc')"), ("abort", "'abort'"), ("[x y]", "'x y'"),
    ])
    func defaults(_ sql: String, _ text: String) throws {
        guard case .defaultValue(let value) = try onlyColumn("a INT DEFAULT \(sql) NOT NULL").constraints[0].kind else {
            Issue.record("no default")
            return
        }
        #expect(value.text == text)
    }

    /// SQLite gives DEFERRABLE to the newest foreign key, wherever it stands.
    @Test func deferrableApartFromItsReferences() throws {
        let column = try onlyColumn("a REFERENCES u NOT NULL DEFERRABLE INITIALLY DEFERRED UNIQUE NOT DEFERRABLE")
        #expect(column.constraints.count == 3)
        #expect(column.constraints[0].sql == "REFERENCES u DEFERRABLE INITIALLY DEFERRED NOT DEFERRABLE")
        #expect(column.constraints[0].foreignKey?.isDeferred == false)
        #expect(try onlyColumn("a INT DEFERRABLE INITIALLY DEFERRED").constraints.map(\.kind) == [.null])
        expectRefusal("CREATE TABLE t(a REFERENCES u, b DEFERRABLE INITIALLY DEFERRED)", at: 33)
    }

    /// https://www.sqlite.org/lang_createtable.html#rowid
    @Test func theRowNumberHasNoDirectionBehindTheColumns() throws {
        let plain = try table("CREATE TABLE t(a INTEGER PRIMARY KEY)").canonical
        #expect(try table("CREATE TABLE t(a INTEGER, PRIMARY KEY (\"a\" COLLATE nocase DESC))").canonical == plain)
        #expect(try table("CREATE TABLE t(a INTEGER PRIMARY KEY DESC)").canonical != plain)
        #expect(try table("CREATE TABLE t(a INT, PRIMARY KEY (a DESC))").canonical.contains("(a desc)"))
        #expect(
            try table("CREATE TABLE t(a INTEGER, PRIMARY KEY (a DESC)) WITHOUT ROWID").canonical.contains("(a desc)"))
    }

    @Test(arguments: [
        ("CREATE TABLE", 12), ("CREATE TABLE t", 14), ("CREATE TABLE t()", 15), ("CREATE TABLE t(a", 16),
        ("CREATE TABLE t(a,)", 17), ("CREATE TABLE t(a INT(x))", 21), ("CREATE TABLE t(select)", 15),
        ("CREATE TABLE t(a) WITHOUT OIDS", 26), ("CREATE TABLE t(a) STRICT,", 25), ("CREATE TABLE t(a) x", 18),
        ("CREATE TABLE t(a CHECK ())", 24), ("CREATE TABLE t(a CHECK (1)", 26), ("CREATE TABLE t(a CHECK (1;))", 25),
        ("CREATE TABLE t(a DEFAULT)", 24), ("CREATE TABLE t(a DEFAULT -b)", 26), ("CREATE TABLE t(a NOT)", 20),
        ("CREATE TABLE t(a PRIMARY)", 24), ("CREATE TABLE t(a REFERENCES)", 27), ("CREATE TABLE t(a COLLATE 1)", 25),
        ("CREATE TABLE t(a ON CONFLICT FAIL)", 17), ("CREATE TABLE t(a, UNIQUE ())", 26),
        ("CREATE TABLE t(a, UNIQUE (a), b)", 30), ("CREATE TABLE t(a, UNIQUE (a,))", 28),
        ("CREATE TABLE t(a GENERATED ALWAYS)", 33), ("CREATE TABLE t AS SELECT 1", 15),
        ("CREATE UNIQUE TABLE t(a)", 14),
        ("CREATE TABLE t(a); SELECT 1", 17), ("DROP TABLE t", 0), ("SELECT 1", 0), ("", 0), (";", 1),
        ("CREATE INDEX i ON t(a NULLS LAST)", 20), ("CREATE INDEX i ON t()", 20), ("CREATE INDEX i ON t(a) WHERE", 28),
        ("CREATE TEMP INDEX i ON t(a)", 12), ("CREATE VIEW v AS DELETE FROM t", 17), ("CREATE VIEW v AS SELECT (1", 26),
        ("CREATE VIEW v AS SELECT 1)", 25), ("CREATE TRIGGER r DELETE ON t BEGIN END", 35),
        ("CREATE TRIGGER r DELETE ON t BEGIN SELECT 1 END", 47), ("CREATE VIRTUAL TABLE f(a)", 22),
    ])
    func whatIsRefused(_ sql: String, _ offset: Int) {
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

import CormorantQuery
import Testing

struct DefinitionTests {
    private let compiler = SQLCompiler()

    private func person(_ change: (inout TableSchema) -> Void = { _ in }) -> TableSchema {
        var table = TableSchema(
            name: "person",
            columns: [
                ColumnSchema(name: "id", type: .int64), ColumnSchema(name: "name", type: .text, notNull: true),
                ColumnSchema(name: "code", type: .varchar(5)),
            ], primaryKey: ["id"])
        change(&table)
        return table
    }

    @Test func aTableWithARowID() {
        #expect(
            compiler.createTable(person()) == """
                CREATE TABLE "person" (
                  "id" INTEGER PRIMARY KEY,
                  "name" TEXT NOT NULL,
                  "code" VARCHAR(5)
                )
                """)
    }

    @Test func everyPartOfAColumn() {
        let table = TableSchema(
            name: "a \"b\"",
            columns: [
                ColumnSchema(name: "id", type: .int64, autoIncrement: true),
                ColumnSchema(name: "n", type: .int32, notNull: true, defaultSQL: "-1"),
                ColumnSchema(name: "t", type: .text, defaultSQL: "'it'", collation: "NOCASE"),
                ColumnSchema(name: "e", type: .datetime, defaultSQL: "strftime('%Y', 'now')"),
                ColumnSchema(name: "c", type: .double, computedSQL: "n * 2.0"),
                ColumnSchema(name: "r", type: .int64),
            ], primaryKey: ["id"],
            foreignKeys: [
                ForeignKeySchema(
                    columns: ["r"], table: "other", tableColumns: ["x"], onDelete: .cascade, onUpdate: .setNull)
            ],
            checks: [
                CheckSchema(name: "n_check", condition: "n > 0", column: "n"),
                CheckSchema(name: "whole", condition: "n < r"),
            ])
        #expect(
            compiler.createTable(table) == """
                CREATE TABLE "a ""b""\" (
                  "id" INTEGER PRIMARY KEY AUTOINCREMENT,
                  "n" INTEGER NOT NULL DEFAULT -1 CONSTRAINT "n_check" CHECK (n > 0),
                  "t" TEXT DEFAULT 'it' COLLATE "NOCASE",
                  "e" DATETIME DEFAULT (strftime('%Y', 'now')),
                  "c" REAL GENERATED ALWAYS AS (n * 2.0) STORED,
                  "r" INTEGER REFERENCES "other" ("x") ON DELETE CASCADE ON UPDATE SET NULL,
                  CONSTRAINT "whole" CHECK (n < r)
                )
                """)
    }

    @Test func keysOfSeveralColumns() {
        let table = person {
            $0.primaryKey = ["name", "code"]
            $0.withoutRowID = true
            $0.strict = true
            $0.foreignKeys = [
                ForeignKeySchema(
                    columns: ["name", "code"], table: "o", tableColumns: ["a", "b"], onDelete: .restrict,
                    onUpdate: .none)
            ]
        }
        #expect(
            compiler.createTable(table) == """
                CREATE TABLE "person" (
                  "id" INTEGER,
                  "name" TEXT NOT NULL,
                  "code" TEXT NOT NULL,
                  PRIMARY KEY ("name", "code"),
                  FOREIGN KEY ("name", "code") REFERENCES "o" ("a", "b") ON DELETE RESTRICT
                ) STRICT, WITHOUT ROWID
                """)
    }

    @Test func aKeyThatIsNotTheRowIDIsNotNull() {
        #expect(
            compiler.createTable(person { $0.primaryKey = ["code"] }).contains(
                #""code" VARCHAR(5) PRIMARY KEY NOT NULL"#))
        #expect(compiler.createTable(person { $0.withoutRowID = true }).contains(#""id" INTEGER PRIMARY KEY NOT NULL"#))
    }

    @Test(
        arguments: [
            ("NULL", "NULL"), ("true", "true"), ("CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP"), ("5", "5"), ("+5", "+5"),
            ("1.5", "(1.5)"),
            ("'it''s'", "('it''s')"), ("''", "''"), ("''; DROP TABLE x; --'", "(''; DROP TABLE x; --')"), ("-", "(-)"),
            ("random()", "(random())"),
        ])
    func defaultsStandAloneOnlyWhereTheyAreConstants(_ value: String, _ written: String) {
        let table = TableSchema(
            name: "t", columns: [ColumnSchema(name: "c", type: .text, defaultSQL: value)], primaryKey: [])
        #expect(compiler.createTable(table).contains("\"c\" TEXT DEFAULT \(written)"))
    }

    @Test func indexes() {
        let columns = [OrderedColumn("a"), OrderedColumn("b", descending: true)]
        #expect(
            compiler.createIndex(IndexSchema(name: "i", columns: columns, isUnique: false), on: "t")
                == #"CREATE INDEX "i" ON "t" ("a", "b" DESC)"#)
        #expect(
            compiler.createIndex(IndexSchema(name: "i", columns: columns, isUnique: true, whereSQL: "a > 0"), on: "t")
                == #"CREATE UNIQUE INDEX "i" ON "t" ("a", "b" DESC) WHERE a > 0"#)
    }

    @Test func declaredTypes() {
        let types: [(ColumnType, String, String)] = [
            (.int64, "INTEGER", "INTEGER"), (.int32, "INTEGER", "INTEGER"), (.bool, "BOOLEAN", "INTEGER"),
            (.double, "REAL", "REAL"), (.float, "REAL", "REAL"), (.text, "TEXT", "TEXT"),
            (.varchar(3), "VARCHAR(3)", "TEXT"),
            (.blob, "BLOB", "BLOB"), (.datetime, "DATETIME", "TEXT"), (.uuid, "UUID_TEXT", "TEXT"),
            (.decimal, "DECIMAL_TEXT", "TEXT"), (.json, "JSON_TEXT", "TEXT"),
        ]
        for (type, loose, strict) in types {
            #expect(Dialect.sqlite.typeName(type, strict: false) == loose)
            #expect(Dialect.sqlite.typeName(type, strict: true) == strict)
        }
    }
}

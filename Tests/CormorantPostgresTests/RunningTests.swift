import CormorantBase
import CormorantEngine
import CormorantPlatform
import CormorantThreads
import Testing

@testable import CormorantPostgres

@Suite(.enabled(if: TestServer.isThere, "no PostgreSQL server can be had")) struct RunningTests {
    let connection: PostgresConnection

    init() throws { connection = try TestServer.connect() }

    @Test func statementsInterleave() throws {
        try connection.script("CREATE TEMP TABLE t AS SELECT generate_series(1, 5000) AS a")
        let outer = try connection.prepare("SELECT a FROM t ORDER BY a")
        let inner = try connection.prepare("SELECT ? + 1")
        var sum: Int64 = 0
        for expected in 1...5000 {
            #expect(try outer.step())
            let address = outer.row.cells
            #expect(outer.row.cells[0].int64 == Int64(expected))
            guard expected % 1000 == 0 else { continue }
            inner.bind(outer.row.cells[0].int64, 1)
            #expect(try inner.step())
            sum += inner.row.cells[0].int64
            inner.reset()
            #expect(outer.row.cells == address && outer.row.cells[0].int64 == Int64(expected))
            _ = try connection.rows("INSERT INTO t VALUES (0)")
        }
        #expect(try !outer.step())
        #expect(sum == 15_005)
    }

    @Test func aMillionRowsTakeLittleMemory() throws {
        func resident() -> Int {
            var usage = rusage()
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
            return usage.ru_maxrss
        }
        let statement = try connection.prepare("SELECT a, repeat('x', 100) FROM generate_series(1, ?) AS a")
        statement.bind(Int64(1_000_000), 1)
        let before = resident()
        var count = 0
        while try statement.step() { count += 1 }
        #expect(count == 1_000_000)
        // Kilobytes; the rows are 150,000.
        #expect(resident() - before < 50_000)
    }

    @Test func whatIsHalfReadIsLeft() throws {
        let statement = try connection.prepare("SELECT a FROM generate_series(1, 3000000) AS a")
        #expect(try statement.step())
        statement.reset()
        #expect(try connection.value("SELECT 1") == .integer(1))
        try connection.begin(.read)
        #expect(try statement.step())
        statement.reset()
        #expect(try connection.value("SELECT 2") == .integer(2))
        #expect(!connection.hasFailedTransaction)
        try connection.script("ROLLBACK")
        #expect(try statement.step() && statement.row.cells[0].int64 == 1)
    }

    @Test func changesAreCounted() throws {
        try connection.script("CREATE TEMP TABLE t (a int, b text)")
        _ = try connection.rows("INSERT INTO t SELECT generate_series(1, 10), 'x'")
        #expect(connection.changes == 10)
        #expect(try connection.rows("UPDATE t SET b = ? WHERE a < ? RETURNING a", .text("y"), .integer(4)).count == 3)
        #expect(connection.changes == 3)
        _ = try connection.rows("SELECT * FROM t")
        #expect(connection.changes == 3)
        _ = try connection.rows("WITH x AS (SELECT 1) DELETE FROM t WHERE a = 1")
        #expect(connection.changes == 1 && connection.totalChanges == 14)
    }

    @Test func pipelinesTellChangesAndPlaces() throws {
        try connection.script("CREATE TEMP TABLE t (a int PRIMARY KEY, b int CHECK (b > 0))")
        let insert = try connection.prepare("INSERT INTO t VALUES (?, ?)")
        try connection.begin(.write)
        try connection.pipelined {
            for index in 0..<1000 {
                insert.bind(Int64(index), 1)
                insert.bind(Int64(1), 2)
                try hold(insert.send(copying: nil))
            }
            for _ in 0..<1000 {
                try hold(!insert.receive())
                #expect(connection.changes == 1)
            }
        }
        #expect(connection.totalChanges == 1000)
        let update = try connection.prepare("UPDATE t SET b = 2 WHERE a = ? RETURNING a, b")
        try connection.pipelined {
            for key in [Int64(5), 5000, 6] {
                update.bind(key, 1)
                try hold(update.send(copying: nil))
            }
            try hold(update.receive() && update.row.cells[0].int64 == 5)
            // What is run in between waits for all that was sent, whose outcomes are kept.
            try hold(connection.value("SELECT count(*) FROM t WHERE b = 2") == .integer(2))
            try hold(!update.receive())
            #expect(connection.changes == 0)
            try hold(update.receive() && update.row.cells[0].int64 == 6)
            #expect(try !update.step())
            update.bind(Int64(7), 1)
            try hold(update.send(copying: nil))
            try hold(update.receive() && connection.changes == 1)
        }
        try connection.script("COMMIT")
        for wrong in [0, 300, 599] {
            try connection.begin(.write)
            let failed = error {
                try connection.pipelined {
                    for index in 0..<600 {
                        insert.bind(Int64(2000 + index), 1)
                        insert.bind(Int64(index == wrong ? 0 : 1), 2)
                        _ = try insert.send(copying: nil)
                    }
                    if wrong == 300 { for _ in 0...wrong { _ = try insert.receive() } }
                }
            }
            #expect(failed?.code == .check && failed?.recordIndex == wrong)
            #expect(failed?.constraint == "t_b_check" && failed?.columns == ["b"])
            #expect(connection.hasFailedTransaction)
            try connection.script("ROLLBACK")
        }
        // What cannot be sent is told with its place, too.
        try connection.begin(.write)
        let failed = error {
            try connection.pipelined {
                for value in [Int64(1), .max] {
                    insert.bind(3000 + value & 1, 1)
                    insert.bind(value, 2)
                    _ = try insert.send(copying: nil)
                }
            }
        }
        #expect(failed?.code == .range && failed?.recordIndex == 1)
        try connection.script("ROLLBACK")
        #expect(try connection.value("SELECT count(*) FROM t") == .integer(1000))
    }

    @Test func constraintsAreNamed() throws {
        try connection.script(
            """
            CREATE TEMP TABLE parent (id int PRIMARY KEY, a int, b int, UNIQUE (b, a));
            CREATE UNIQUE INDEX by_expression ON parent ((a + 1)) WHERE b > 100;
            CREATE TEMP TABLE child (id int, "Parent" int NOT NULL CONSTRAINT refers REFERENCES parent)
            """)
        _ = try connection.rows("INSERT INTO parent VALUES (1, 2, 3)")
        _ = try connection.rows("INSERT INTO child VALUES (1, 1)")
        let delete = try connection.prepare("DELETE FROM parent")
        func failed(_ sql: String) throws -> CormorantError? {
            try connection.begin(.write)
            defer { try? connection.script("ROLLBACK") }
            return connection.error(sql)
        }
        let unique = try failed("INSERT INTO parent VALUES (2, 2, 3)")
        #expect(unique?.code == .unique && unique?.columns == ["b", "a"] && unique?.table == "parent")
        #expect(unique?.hint?.contains("update that row") == true)
        let key = try failed("INSERT INTO parent VALUES (1, 5, 5)")
        #expect(key?.columns == ["id"] && key?.hint?.contains("save instead of insert") == true)
        let expression = try failed("UPDATE parent SET id = 2, b = 9; ")
        #expect(
            expression?.code == .foreignKey && expression?.columns == ["Parent"] && expression?.constraint == "refers")
        #expect(expression?.hint == "child.Parent may refer to it: delete those rows first, or lead them elsewhere")
        let missing = try failed("INSERT INTO child VALUES (1, 7)")
        #expect(missing?.code == .foreignKey && missing?.hint?.hasPrefix("write the referenced row first") == true)
        let sum = try failed("INSERT INTO parent SELECT n, 7, 100 + n FROM generate_series(10, 11) AS n")
        #expect(sum?.constraint == "by_expression" && sum?.columns == ["a"])
        // By itself, and after the table was made anew.
        try connection.script("CREATE TEMP TABLE unknown (a int UNIQUE)")
        _ = try connection.rows("INSERT INTO unknown VALUES (1)")
        #expect(connection.error("INSERT INTO unknown VALUES (1)")?.columns == ["a"])
        try connection.script(
            "DROP TABLE unknown; CREATE TEMP TABLE unknown (b int UNIQUE); INSERT INTO unknown VALUES (1)")
        #expect(error { try connection.script("INSERT INTO unknown VALUES (1)") }?.columns == ["b"])
        let null = try failed("INSERT INTO child VALUES (1, NULL)")
        #expect(
            null?.code == .notNull && null?.columns == ["Parent"]
                && null?.message == "NOT NULL constraint failed: child.Parent")
        #expect(error { _ = try delete.step() }?.table == "child")
        for found in [unique, key, expression, null] {
            #expect(found?.message.contains("Key (") == false && found?.hint?.contains("Key (") == false)
        }
    }

    @Test func anotherThreadInterrupts() throws {
        nonisolated(unsafe) let connection = connection
        for isInTransaction in [false, true] {
            if isInTransaction { try connection.begin(.read) }
            let thread = try BackgroundThread {
                sleepMilliseconds(200)
                connection.interrupt()
            }
            let begin = monotonicTime()
            let failed = connection.error("SELECT pg_sleep(30)")
            #expect(failed?.code == .interrupted && failed?.message == "the statement was interrupted")
            #expect(monotonicTime() - begin < 10_000_000_000)
            thread.join()
            #expect(connection.hasFailedTransaction == isInTransaction)
            if isInTransaction { try connection.script("ROLLBACK") }
            // Without a statement it does nothing.
            connection.interrupt()
            #expect(try connection.value("SELECT 1") == .integer(1))
        }
        try connection.script("SET statement_timeout = 50")
        let late = connection.error("SELECT pg_sleep(30)")
        #expect(late?.code == .interrupted && late?.hint?.contains("statement_timeout") == true)
    }

    @Test func tablesMayChange() throws {
        try connection.script("CREATE TABLE changing (a int)")
        defer { try? connection.script("DROP TABLE changing") }
        let other = try TestServer.connect()
        let statement = try connection.prepare("SELECT * FROM changing")
        _ = try connection.rows("INSERT INTO changing VALUES (1)")
        #expect(try connection.rows("SELECT * FROM changing") == [[.integer(1)]])
        try other.script("ALTER TABLE changing ADD b text DEFAULT 'x'")
        #expect(try statement.step())
        #expect(statement.columnCount == 2 && statement.columnName(1) == "b")
        #expect(statement.row.cells[1].value == .text("x"))
        statement.reset()
        let preparations = statement.preparations
        try other.script("ALTER TABLE changing RENAME b TO c")
        #expect(try statement.step())
        #expect(statement.columnName(1) == "c" && statement.preparations > preparations)
        #expect(statement.row.cells[1].value == .text("x"))
        statement.reset()
        try other.script("ALTER TABLE changing RENAME c TO b")
        try other.script("ALTER TABLE changing ALTER a TYPE text")
        try connection.begin(.read)
        #expect(error { _ = try statement.step() }?.code == .schema)
        try connection.script("ROLLBACK")
        #expect(try statement.step())
        #expect(statement.row.cells[0].value == .text("1"))
        statement.reset()
        // By itself, and in a transaction.
        try connection.begin(.write)
        try connection.script("ALTER TABLE changing DROP b")
        #expect(try statement.step())
        #expect(statement.columnCount == 1)
        statement.reset()
        try connection.script("ROLLBACK; DEALLOCATE ALL")
        #expect(try statement.step() && statement.columnCount == 2)
    }

    @Test func rowsBeforeAnErrorComeFirst() throws {
        let statement = try connection.prepare("SELECT 10 / (4 - a) FROM generate_series(1, 9) AS a")
        for isKept in [false, true] {
            #expect(try statement.step() && statement.row.cells[0].int64 == 3)
            if isKept { _ = try connection.value("SELECT 1") }
            #expect(try statement.step() && statement.row.cells[0].int64 == 5)
            #expect(try statement.step() && statement.row.cells[0].int64 == 10)
            #expect(error { _ = try statement.step() }?.code == .range)
        }
        // What the end of the statement refuses is told before its row is given.
        try connection.script(
            """
            CREATE TEMP TABLE late (a int UNIQUE DEFERRABLE INITIALLY DEFERRED);
            CREATE FUNCTION pg_temp.write() RETURNS int LANGUAGE sql AS 'INSERT INTO late VALUES (1), (1) RETURNING a'
            """)
        let write = try connection.prepare("SELECT pg_temp.write()")
        #expect(error { _ = try write.step() }?.code == .unique)
        #expect(connection.error("INSERT INTO late VALUES (1), (1) RETURNING a")?.code == .unique)
    }

    @Test func theTraceTellsWhatRuns() throws {
        var told: [String] = []
        connection.setTrace { sql, time in
            #expect(time > 0)
            told.append(sql)
        }
        try connection.script("CREATE TEMP TABLE t (a int)")
        _ = try connection.rows("INSERT INTO t VALUES (?)", .integer(1))
        _ = try connection.rows("SELECT a FROM t")
        #expect(connection.error("INSERT INTO t VALUES ('x')")?.code == .type)
        connection.setTrace(nil)
        _ = try connection.rows("SELECT 1")
        #expect(told == ["CREATE TEMP TABLE t (a int)", "INSERT INTO t VALUES (?)", "SELECT a FROM t"])
    }

    @Test func conflictsAreTold() throws {
        try connection.script("CREATE TABLE conflicting AS SELECT 1 AS a")
        defer { try? connection.script("DROP TABLE conflicting") }
        let other = try TestServer.connect()
        for each in [connection, other] {
            try each.begin(.write)
            _ = try each.rows("SELECT sum(a) FROM conflicting")
        }
        _ = try connection.rows("INSERT INTO conflicting VALUES (1)")
        let late = other.error("INSERT INTO conflicting VALUES (2)")
        let first = error { try connection.script("COMMIT") }
        let second = late ?? error { try other.script("COMMIT") }
        #expect((first ?? second)?.code == .conflict)
        try? other.script("ROLLBACK")
    }

    @Test func whatIsMissingIsTold() throws {
        #expect(connection.error("SELECT * FROM \"No\"")?.message == "no such table: No")
        let missing = connection.error("SELECT 'ä', ?, nothing")
        #expect(missing?.message == "no such column: nothing" && missing?.offset == 16)
        #expect(connection.error("SELEC 1")?.code == .sql)
        #expect(connection.error("SELECT ? IS NULL")?.hint?.contains("CAST") == true)
        #expect(connection.error("COPY pg_class TO STDOUT")?.code == .unsupported)
        #expect(connection.error("SELECT currval('nothing')")?.code == .sql)
        #expect(try connection.value("SELECT 1") == .integer(1))
    }

    @Test func copyTellsTheRow() throws {
        try connection.script("CREATE TEMP TABLE t (a int PRIMARY KEY, b text)")
        func failed(_ rows: [Int64]) throws -> CormorantError? {
            try connection.begin(.write)
            defer { try? connection.script("ROLLBACK") }
            return error { try connection.copy("t", ["a", "b"], rows.map { [.integer($0), .null] }) }
        }
        let unique = try failed([1, 2, 2, 3])
        #expect(unique?.code == .unique && unique?.recordIndex == 2, "\(String(describing: unique))")
        #expect(unique?.columns == ["a"])
        let wrong = try failed([1, .max])
        #expect(wrong?.code == .range && wrong?.recordIndex == 1)
        #expect(wrong?.message.contains("parameter 1") == true)
        // The server's refusal is of an earlier row, whichever is told first.
        try connection.copy(
            "t", ["a", "b"], (0..<20_000).map { [.integer(Int64($0)), .text("row \($0)")] })
        #expect(try connection.value("SELECT b FROM t WHERE a = ?", .integer(19_999)) == .text("row 19999"))
        #expect(connection.totalChanges == 20_000)
    }

    /// Other statements end it, and it goes on behind them.
    @Test func copiesAndStatementsInTurn() throws {
        try connection.script("CREATE TEMP TABLE t (a int PRIMARY KEY)")
        let insert = try connection.prepare("INSERT INTO t (a) VALUES (?)")
        let delete = try connection.prepare("DELETE FROM t WHERE a = ? RETURNING a")
        let copy = "COPY t (a) FROM STDIN (FORMAT binary)"
        try connection.begin(.write)
        try connection.pipelined {
            for round in 0..<3 {
                for index in 0..<10 {
                    insert.bind(Int64(10 * round + index), 1)
                    try hold(!insert.send(copying: copy))
                }
                delete.bind(Int64(10 * round), 1)
                try hold(delete.send(copying: nil))
            }
            for round in 0..<3 {
                let isAsExpected = try delete.receive() && delete.row.cells[0].int64 == Int64(10 * round)
                #expect(isAsExpected)
            }
            insert.bind(Int64(100), 1)
            _ = try insert.send(copying: copy)
            try hold(connection.value("SELECT count(*) FROM t") == .integer(28))
        }
        try connection.script("COMMIT")
    }

    /// A table where COPY would do something else than INSERT gets INSERTs.
    @Test(arguments: [
        "ALTER TABLE t ADD FOREIGN KEY (b) REFERENCES t", "ALTER TABLE t ENABLE ROW LEVEL SECURITY",
        "CREATE RULE r AS ON INSERT TO t DO ALSO SELECT 1",
        """
        CREATE FUNCTION pg_temp.skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
        CREATE TRIGGER s BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION pg_temp.skip()
        """,
    ])
    func whatCopyKnowsNotIsInserted(_ sql: String) throws {
        try connection.script("CREATE TEMP TABLE t (a int PRIMARY KEY, b int)")
        try connection.script(sql)
        let insert = try connection.prepare("INSERT INTO t (a) VALUES (?)")
        try connection.pipelined {
            insert.bind(Int64(1), 1)
            try hold(insert.send(copying: "COPY t (a) FROM STDIN (FORMAT binary)"))
        }
    }
}

import CormorantBase
import CormorantEngine
import CormorantPlatform
import Testing

@testable import CormorantPostgres

@Suite(.enabled(if: TestServer.isThere, "no PostgreSQL server can be had")) struct ConnectionTests {
    @Test func theEngineIsNamed() throws {
        let connection = try TestServer.connect()
        #expect(connection.engineName.hasPrefix("PostgreSQL "))
        #expect(!connection.isReadOnly)
        #expect(try connection.value("SHOW TimeZone") == .text("UTC"))
        #expect(try connection.value("SHOW application_name") == .text("cormorant"))
        #expect(try connection.value("SELECT 1") == .integer(1))
        connection.close()
        connection.close()
        #expect(connection.error("SELECT 1")?.code == .misuse)
    }

    @Test func whatIsUnreachableIsTold() throws {
        let error = error { _ = try PostgresConnection(url: "postgresql://a:geheim@%2Ftmp%2Fnowhere/d") }
        #expect(error?.code == .connection)
        #expect(error?.description.contains("geheim") == false)
        #expect(error?.hint?.contains("runs") == true)
        for url in [
            "postgresql://a:geheim@[::1/d", "postgresql://a:geheim@h:x/d",
            "postgresql://h/d?password=geheim&nonsense=1",
        ] {
            let error = CormorantPostgresTests.error { _ = try PostgresConnection(url: url) }
            #expect(
                error?.code == .connection && error?.description.contains("geheim") == false,
                "\(String(describing: error))")
        }
    }

    @Test func aWrongPasswordIsTold() throws {
        let url = try #require(TestServer.shared)
        let right = url.replacing("cormorant@", with: "locked:secret@")
        #expect(try PostgresConnection(url: right).value("SELECT current_user") == .text("locked"))
        let wrong = error { _ = try PostgresConnection(url: url.replacing("cormorant@", with: "locked:geheim@")) }
        #expect(wrong?.code == .connection)
        #expect(wrong?.hint == "check user and password")
        #expect(wrong?.description.contains("geheim") == false)
        let none = error { _ = try PostgresConnection(url: url.replacing("cormorant@", with: "locked@")) }
        #expect(none?.hint?.contains("give the password") == true)
    }

    @Test func anotherEncodingIsRefused() throws {
        let connection = try TestServer.connect()
        try connection.script("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        let url = String(try #require(TestServer.shared).dropLast("cormorant".count)) + "latin"
        let error = error { _ = try PostgresConnection(url: url) }
        #expect(error?.code == .unsupported, "\(String(describing: error))")
        #expect(error?.message.contains("LATIN1") == true)
        #expect(CormorantPostgresTests.error { _ = try PostgresConnection(url: url + "-none") }?.code == .connection)
    }

    @Test func transactionsAreKnown() throws {
        let connection = try TestServer.connect()
        try connection.script("CREATE TEMP TABLE t (a int PRIMARY KEY)")
        try connection.begin(.write)
        #expect(connection.isInTransaction)
        #expect(try connection.value("SHOW transaction_isolation") == .text("serializable"))
        _ = try connection.rows("INSERT INTO t VALUES (1)")
        #expect(connection.changes == 1)
        let double = connection.error("INSERT INTO t VALUES (?)", .integer(1))
        #expect(double?.code == .unique)
        #expect(double?.columns == ["a"])
        #expect(double?.table == "t")
        #expect(double?.message == "UNIQUE constraint failed: t.a")
        #expect(connection.isInTransaction && connection.hasFailedTransaction)
        #expect(connection.error("SELECT 1")?.code == .transaction)
        #expect(error { try connection.script("COMMIT") }?.code == .transaction)
        #expect(!connection.isInTransaction)
        try connection.begin(.read)
        #expect(connection.error("INSERT INTO pg_class SELECT * FROM pg_class")?.code == .readOnly)
        try connection.script("ROLLBACK")
    }

    @Test func transactionsOutOfOrderAreRefused() throws {
        let connection = try TestServer.connect()
        let commit = error { try connection.script("COMMIT") }
        #expect(commit?.code == .sql && commit?.message == "cannot commit - no transaction is active")
        #expect(connection.error("ROLLBACK")?.message == "cannot rollback - no transaction is active")
        try connection.script("BEGIN; SAVEPOINT a; ROLLBACK TO a")
        #expect(connection.error("BEGIN")?.message == "cannot start a transaction within a transaction")
        try connection.script("COMMIT AND CHAIN; COMMIT")
        #expect(!connection.isInTransaction)
    }

    @Test func readingSeesOneState() throws {
        let connection = try TestServer.connect()
        let other = try TestServer.connect()
        try other.script("CREATE TABLE IF NOT EXISTS seen (a int); DELETE FROM seen")
        try connection.begin(.read)
        try other.script("INSERT INTO seen VALUES (1)")
        #expect(try connection.value("SELECT count(*) FROM seen") == .integer(0))
        try connection.script("ROLLBACK")
        #expect(try connection.value("SELECT count(*) FROM seen") == .integer(1))
        try other.script("DROP TABLE seen")
    }

    @Test func scriptsRunOneByOne() throws {
        let connection = try TestServer.connect()
        let script =
            "CREATE TEMP TABLE t (a int); INSERT INTO t VALUES (1), (2);\nSELECT nonsense; INSERT INTO t VALUES (3)"
        let failed = error { try connection.script(script) }
        #expect(failed?.code == .sql)
        #expect(failed?.message == "no such column: nonsense")
        #expect(
            failed?.offset == script.utf8.distance(from: script.utf8.startIndex, to: script.firstIndex { $0 == "\n" }!)
                + 8)
        #expect(try connection.value("SELECT count(*) FROM t") == .integer(2))
        #expect(connection.totalChanges == 2)
        #expect(connection.schemaChanges > 0)
    }
}

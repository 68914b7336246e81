import CormorantBase
import CormorantEngine
import CormorantPlatform
import CormorantThreads
import Testing

@testable import CormorantPostgres

/// Servers that go away, and poolers in between.
@Suite(.serialized, .enabled(if: TestServer.isThere, "no PostgreSQL server can be had")) struct LossTests {
    @Test func aTerminatedConnectionIsToldOnce() throws {
        let connection = try PostgresConnection(
            url: try #require(TestServer.shared), settings: ["SET lock_timeout = 12345"])
        let other = try TestServer.connect()
        func terminate() throws {
            guard case .integer(let process) = try connection.value("SELECT pg_backend_pid()") else { return }
            _ = try other.value("SELECT pg_terminate_backend(?::int, 5000)", .integer(process))
        }
        // Between statements.
        let kept = try connection.prepare("SELECT 5")
        try terminate()
        let idle = connection.error("SELECT 1")
        #expect(idle?.code == .connection, "\(String(describing: idle))")
        #expect(idle?.message.contains("not known") == false)
        #expect(try connection.value("SHOW lock_timeout") == .text("12345ms"))
        #expect(try connection.value("SHOW TimeZone") == .text("UTC"))
        #expect(try kept.step() && kept.row.cells[0].int64 == 5)
        kept.reset()
        // A write by itself: nobody can tell.
        try connection.script("CREATE TABLE IF NOT EXISTS lossy (a int)")
        _ = try connection.rows("INSERT INTO lossy VALUES (1)")
        try terminate()
        #expect(connection.error("INSERT INTO lossy VALUES (1)")?.message.contains("not known") == true)
        // In a transaction, which waits for its end.
        try connection.begin(.write)
        _ = try connection.rows("INSERT INTO lossy VALUES (2)")
        try terminate()
        let lost = connection.error("INSERT INTO lossy VALUES (3)")
        #expect(lost?.code == .connection && lost?.message.contains("rolled back") == true)
        #expect(connection.isInTransaction && connection.hasFailedTransaction)
        #expect(connection.error("SELECT 1")?.code == .connection)
        #expect(error { try connection.script("COMMIT") }?.code == .connection)
        try connection.script("ROLLBACK")
        #expect(!connection.isInTransaction)
        #expect(try connection.value("SELECT count(*) FROM lossy WHERE a > 1") == .integer(0))
        // At the commit.
        try connection.begin(.write)
        _ = try connection.rows("INSERT INTO lossy VALUES (4)")
        try terminate()
        #expect(error { try connection.script("COMMIT") }?.message.contains("not known") == true)
        try connection.script("ROLLBACK")
        // Between rows.
        let rows = try connection.prepare("SELECT pg_backend_pid() FROM generate_series(1, 5000000)")
        #expect(try rows.step())
        _ = try other.value("SELECT pg_terminate_backend(?::int, 5000)", rows.row.cells[0].value)
        let cut = error { while try rows.step() {} }
        #expect(cut?.code == .connection)
        try connection.script("DROP TABLE lossy")
    }

    @Test func aServerThatDiesComesBack() throws {
        let url = try #require(TestServer.start([]))
        defer { TestServer.script(["stop", url]) }
        let connection = try PostgresConnection(url: url)
        try connection.script("CREATE TABLE t (a int)")
        let rows = try connection.prepare("SELECT a, repeat('x', 1000) FROM generate_series(1, 1000000) AS a")
        #expect(try rows.step())
        TestServer.script(["crash", url])
        let cut = error { while try rows.step() {} }
        #expect(cut?.code == .connection)
        #expect(connection.error("SELECT 1")?.code == .connection)
        TestServer.script(["restart", url])
        #expect(try connection.value("SELECT count(*) FROM t") == .integer(0))
        #expect(try rows.step())
        rows.reset()
        try connection.begin(.write)
        _ = try connection.rows("INSERT INTO t VALUES (1)")
        TestServer.script(["crash", url])
        #expect(connection.error("INSERT INTO t VALUES (2)")?.code == .connection)
        try connection.script("ROLLBACK")
        TestServer.script(["restart", url])
        #expect(try connection.value("SELECT count(*) FROM t") == .integer(0))
    }

    @Test func tooManyConnectionsAreTold() throws {
        let url = try #require(
            TestServer.start(["--set", "max_connections=4", "--set", "superuser_reserved_connections=0"]))
        defer { TestServer.script(["stop", url]) }
        var connections: [PostgresConnection] = []
        let failed = error { for _ in 0..<6 { connections.append(try PostgresConnection(url: url)) } }
        #expect(failed?.code == .connection && connections.count == 4)
        #expect(failed?.message.contains("too many clients") == true)
    }

    @Test func aServerThatTakesNoWritesIsKnown() throws {
        let url = try #require(TestServer.start(["--set", "default_transaction_read_only=on"]))
        defer { TestServer.script(["stop", url]) }
        let connection = try PostgresConnection(url: url)
        #expect(connection.isReadOnly)
        try connection.begin(.write)
        #expect(connection.error("CREATE TABLE t (a int)")?.code == .readOnly)
        try connection.script("ROLLBACK")
    }

    @Test func aServerInRecoveryTakesNoWrites() throws {
        let url = try #require(TestServer.start([]))
        defer { TestServer.script(["stop", url]) }
        try PostgresConnection(url: url).script("CREATE TABLE t AS SELECT 1 AS a; CHECKPOINT")
        TestServer.script(["crash", url])
        let folder = String(url.split(separator: "@")[1].split(separator: "/")[0]).replacing("%2F", with: "/")
        try #require(fopen(folder + "/data/standby.signal", "w").map { fclose($0) } == 0)
        TestServer.script(["restart", url])
        let connection = try PostgresConnection(url: url)
        #expect(connection.isReadOnly)
        #expect(try connection.value("SELECT a FROM t") == .integer(1))
        try connection.begin(.write)
        #expect(connection.error("INSERT INTO t VALUES (2)")?.code == .readOnly)
        try connection.script("ROLLBACK")
    }

    @Test func aServerThatIsSilentIsGivenUp() throws {
        let folder = "/tmp/cormorant-silent-\(getpid())"
        mkdir(folder, 0o700)
        defer { _ = system("rm -rf \(folder)") }
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: "\(folder)/.s.PGSQL.5432".utf8) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0 && listen(listener, 5) == 0)
        let begin = monotonicTime()
        let silent = error {
            _ = try PostgresConnection(
                url: "postgresql://\(folder.replacing("/", with: "%2F"))/d?connect_timeout=2")
        }
        #expect(silent?.code == .connection && silent?.message.contains("timeout") == true)
        #expect(monotonicTime() - begin < 8_000_000_000)
    }

    static let bouncer = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer"].first {
        (path: String) in
        access(path, X_OK) == 0
    }

    @Test(.enabled(if: bouncer != nil, "no pgbouncer is installed")) func aPoolerMayChangeServers() throws {
        let url = try #require(TestServer.shared)
        let folder = String(url.split(separator: "@")[1].split(separator: "/")[0]).replacing("%2F", with: "/")
        let own = "/tmp/cormorant-pgbouncer-\(getpid())"
        mkdir(own, 0o777)
        chmod(own, 0o777)
        let settings = """
            [databases]
            cormorant = host=\(folder) dbname=cormorant user=cormorant
            [pgbouncer]
            unix_socket_dir = \(own)
            listen_addr =
            listen_port = 6432
            auth_type = any
            pool_mode = transaction
            default_pool_size = 2
            pidfile = \(own)/pid
            logfile = \(own)/log
            """
        let file = try #require(fopen(own + "/ini", "w"))
        fputs(settings, file)
        fclose(file)
        let user = getuid() == 0 ? "runuser -u postgres --" : ""
        let status = system("\(user) \(LossTests.bouncer ?? "") -q -d \(own)/ini")
        try #require(status == 0)
        defer { _ = system("kill $(cat \(own)/pid) && rm -rf \(own)") }
        let pooled = "postgresql://cormorant@\(own.replacing("/", with: "%2F")):6432/cormorant?prepare=never"
        // The socket's file is there before it is listened on.
        for _ in 0..<50 where (try? PostgresConnection(url: pooled)) == nil { usleep(100_000) }
        let connections = try (0..<6).map { _ in
            try PostgresConnection(url: pooled, settings: ["SET lock_timeout = 777"])
        }
        try connections[0].script("DROP TABLE IF EXISTS pooled; CREATE TABLE pooled (a int PRIMARY KEY, b timestamptz)")
        let inserts = try connections.map { try $0.prepare("INSERT INTO pooled VALUES (?, ?)") }
        let selects = try connections.map { try $0.prepare("SELECT count(*) FROM pooled WHERE b = ?") }
        for round in 0..<20 {
            for (index, connection) in connections.enumerated() {
                if round % 3 == 0 { try connection.begin(.write) }
                try inserts[index].bindAll([.integer(Int64(round * 10 + index)), .text("2026-01-31 12:00:00")])
                _ = try inserts[index].step()
                try selects[index].bindAll([.text("2026-01-31 12:00:00")])
                #expect(try selects[index].step())
                #expect(selects[index].row.cells[0].int64 == Int64(round * 6 + index + 1))
                selects[index].reset()
                if round % 3 == 0 { try connection.script("COMMIT") }
            }
        }
        try connections[0].begin(.write)
        #expect(try connections[0].value("SHOW lock_timeout") == .text("777ms"))
        let before = connections[0].totalChanges
        try connections[0].pipelined {
            for index in 0..<500 {
                try inserts[0].bindAll([.integer(Int64(1000 + index)), .null])
                _ = try inserts[0].send(copying: nil)
            }
        }
        #expect(connections[0].totalChanges - before == 500)
        try connections[0].script("COMMIT; DROP TABLE pooled")
    }
}

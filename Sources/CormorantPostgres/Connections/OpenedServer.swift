import CormorantBase
import CormorantEngine
import CormorantPlatform

/// A connection as it was opened, with what was found about its server.
struct OpenedServer {
    let handle: OpaquePointer
    let name: String
    let version: Int
    let isReadOnly: Bool

    /// - Parameter wanted: which of several servers it is to be, as libpq says it; nil: as the URL does.
    init(_ pq: LibPQ, _ url: ServerURL, _ others: [String], _ wanted: String? = nil) throws {
        // What stands behind the URL goes before it; what stands before it is a default.
        var parameters = [
            ("fallback_application_name", "cormorant"), ("dbname", url.text), ("client_encoding", "UTF8"),
        ]
        if getenv("PGCONNECT_TIMEOUT") == nil { parameters.insert(("connect_timeout", "10"), at: 0) }
        if let wanted { parameters.append(("target_session_attrs", wanted)) }
        guard let handle = OpenedServer.connect(pq, parameters) else { throw noMemory(1 << 20) }
        do {
            guard pq.status(handle) == 0 else { throw OpenedServer.refusal(pq, handle, url) }
            _ = pq.setNotice(handle, { _, _ in }, nil)
            let version = Int(pq.serverVersion(handle))
            let number = OpenedServer.parameter(pq, handle, "server_version")?.prefix { $0 != " " } ?? "\(version)"
            guard version >= 120_000 else {
                throw CormorantError(
                    .unsupported, "the server is PostgreSQL \(number), which is too old",
                    hint: "use PostgreSQL 12 or newer")
            }
            let encoding = OpenedServer.parameter(pq, handle, "server_encoding") ?? ""
            guard encoding == "UTF8" else {
                throw CormorantError(
                    .unsupported, "the database is encoded in \(encoding), not UTF8",
                    hint: "make it anew: CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0")
            }
            self.handle = handle
            name = "PostgreSQL \(number)"
            self.version = version
            isReadOnly = try OpenedServer.settle(pq, handle, url, others)
        } catch {
            pq.close(handle)
            throw error
        }
    }

    private static func connect(_ pq: LibPQ, _ parameters: [(String, String)]) -> OpaquePointer? {
        var keys: [UnsafePointer<CChar>?] = parameters.map { UnsafePointer(strdup($0.0)) } + [nil]
        var values: [UnsafePointer<CChar>?] = parameters.map { UnsafePointer(strdup($0.1)) } + [nil]
        defer { for text in keys + values { free(UnsafeMutableRawPointer(mutating: text)) } }
        return pq.connect(&keys, &values, 1)
    }

    private static func parameter(_ pq: LibPQ, _ handle: OpaquePointer?, _ name: String) -> String? {
        pq.parameterStatus(handle, name).map { String(cString: $0) }
    }

    /// Makes the session's answers the same everywhere; tells whether it may only read. The search path stays the user's.
    static func settle(_ pq: LibPQ, _ handle: OpaquePointer, _ url: ServerURL, _ others: [String]) throws
        -> Bool
    {
        // A pooler that gives each transaction another server keeps these three for whom it has set them, and no other.
        var settings = [("TimeZone", "UTC"), ("DateStyle", "ISO, MDY"), ("standard_conforming_strings", "on")]
        if url.keepsStatements {
            settings += [
                ("IntervalStyle", "postgres"), ("bytea_output", "hex"), ("extra_float_digits", "1"),
                ("transform_null_equals", "off"),
            ]
        }
        let differing = settings.filter { parameter(pq, handle, $0.0) != $0.1 }.map { "SET \($0.0) = '\($0.1)'" }
        let sql = (differing + (url.keepsStatements ? others : [])).map { $0 + "; " }.joined()
        guard
            pq.sendQuery(
                handle,
                sql + "SELECT pg_catalog.pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool")
                == 1
        else { throw refusal(pq, handle, url) }
        var isReadOnly = false
        var failure: ServerFailure?
        while let result = pq.getResult(handle) {
            switch pq.resultStatus(result) {
            case ResultStatus.rows:
                let value = pq.value(result, 0, 0)?.assumingMemoryBound(to: UInt8.self)
                isReadOnly = value?.pointee == UInt8(ascii: "t")
            case ResultStatus.command: break
            default: failure = failure ?? ServerFailure(result, pq)
            }
            pq.clear(result)
        }
        if let failure { throw failure.error(sql: nil, offset: nil) }
        return isReadOnly
    }

    /// Why there is no connection. libpq's message names the server and the user.
    private static func refusal(_ pq: LibPQ, _ handle: OpaquePointer?, _ url: ServerURL) -> CormorantError {
        let text = pq.errorMessage(handle).map { String(cString: $0) } ?? ""
        let lines = text.split(whereSeparator: \.isNewline).map { trimmed($0) }.filter { !$0.isEmpty }
        let message = url.withoutPassword(lines.joined(separator: "; "))
        let hint: String
        if pq.needsPassword(handle) != 0 {
            hint = "give the password by PGPASSWORD, or in ~/.pgpass, a file that nobody else may read"
        } else if pq.usedPassword(handle) != 0 {
            hint = "check user and password"
        } else {
            hint =
                advice.first { contains(message, $0.words) }?.hint ?? "check the URL, and what the server allows"
        }
        return CormorantError(
            .connection, "the server cannot be reached: \(message.isEmpty ? "no reason is told" : message)", hint: hint)
    }
}

/// What to do about what libpq says, in its words.
private let advice: [(words: String, hint: String)] = [
    ("does not match host name", "connect by a name that the certificate has; sslmode=verify-ca minds no name"),
    ("root certificate file", "name the file with the authority's certificate: sslrootcert=FILE"),
    (
        "certificate verify failed",
        "sslrootcert must name the authority that signed the server's certificate, and neither may have expired"
    ),
    ("certificate has expired", "have a new certificate made for the server: this one has expired"),
    ("does not support SSL", "let the server have ssl = on, with a certificate; without it all is sent in clear text"),
    ("definition of service", "add it to ~/.pg_service.conf, or to the file that PGSERVICEFILE names"),
    ("service file", "check the file that PGSERVICEFILE names, or ~/.pg_service.conf"),
    ("pg_hba.conf", "let the server's pg_hba.conf take this user, host and encryption, or connect otherwise"),
    ("session is read-only", "none of the hosts takes writes: give the primary's, too"),
    ("session is not read-only", "target_session_attrs asks for a server that takes no writes; name one"),
    ("server is", "target_session_attrs asks for another kind of server; name one, or leave it out"),
    ("too many clients", fullServerHint), ("remaining connection slots", fullServerHint),
    ("too many connections for", fullServerHint),
    ("could not translate host name", "check the host's name"),
    ("timeout", "check that the server runs, and that host and port are its own"),
    ("No such file", "check that the server runs, and that host and port are its own"),
    ("refused", "check that the server runs, and that host and port are its own"),
]

private func trimmed(_ text: Substring) -> String {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return String(text)
}

// The anchor on PostgreSQL in Swift: what reads of c/postgres.c, into structs with Strings, which cost what Swift costs. It is
// compiled together with the workload. `postgres-swift WORK URL ROWS COUNT`

import CLibPQ

struct Item: ItemFields {
    var id: Int64
    var quantity: Int64
    var grade: Int64
    var region: Int64
    var price: Double
    var weight: Double
    var name: String
    var city: String
    var code: String
    var note: String?
}

extension Item {
    init(_ result: OpaquePointer?, _ row: Int32) {
        func integer(_ column: Int32) -> Int64 {
            Int64(bigEndian: UnsafeRawPointer(PQgetvalue(result, row, column)).loadUnaligned(as: Int64.self))
        }
        func real(_ column: Int32) -> Double { Double(bitPattern: UInt64(bitPattern: integer(column))) }
        func text(_ column: Int32) -> String {
            let bytes = UnsafeRawBufferPointer(
                start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
            return String(decoding: bytes, as: UTF8.self)
        }
        self.init(
            id: integer(0), quantity: integer(1), grade: integer(2), region: integer(3), price: real(4),
            weight: real(5), name: text(6), city: text(7), code: text(8),
            note: PQgetisnull(result, row, 9) == 1 ? nil : text(9))
    }
}

private let list = "id, quantity, grade, region, price, weight, name, city, code, note"

private struct Server {
    let connection: OpaquePointer?

    func check(_ result: OpaquePointer?) -> OpaquePointer? {
        let status = PQresultStatus(result)
        guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else {
            fatalError(String(cString: PQerrorMessage(connection)))
        }
        return result
    }

    func prepare(_ sql: String) { PQclear(check(PQprepare(connection, "work", sql, 0, nil))) }

    /// What the first read on a connection costs is no part of a fetch or lookup.
    func readOne() { PQclear(check(PQexec(connection, "SELECT \(list) FROM item WHERE id = 1"))) }

    func fetch() -> [Item] {
        prepare("SELECT \(list) FROM item")
        let result = check(PQexecPrepared(connection, "work", 0, nil, nil, nil, 1))
        defer { PQclear(result) }
        let count = PQntuples(result)
        var items: [Item] = []
        items.reserveCapacity(Int(count))
        for row in 0..<count { items.append(Item(result, row)) }
        return items
    }

    func lookup(_ count: Int, rows: Int) -> UInt64 {
        prepare("SELECT \(list) FROM item WHERE id = $1")
        var sum: UInt64 = 0
        for index in 0..<count {
            let result = withUnsafeBytes(of: lookupKey(index, rows: rows).bigEndian) { key in
                var value = key.baseAddress?.assumingMemoryBound(to: CChar.self)
                return check(PQexecPrepared(connection, "work", 1, &value, [8], [1], 1))
            }
            sum &+= Item(result, 0).lookupSum
            PQclear(result)
        }
        return sum
    }
}

var job = Job(CommandLine.arguments.dropFirst())
private let server = Server(connection: PQconnectdb(job.path))
let sum: UInt64
switch job.work {
case "fetch":
    server.readOne()
    sum = checksum(job.measure { server.fetch() })
case "lookup":
    let (count, rows) = (job.count, job.rows)
    server.readOne()
    sum = job.measure { server.lookup(count, rows: rows) }
default: fatalError("no work named \(job.work)")
}
PQfinish(server.connection)
job.report(checksum: sum)

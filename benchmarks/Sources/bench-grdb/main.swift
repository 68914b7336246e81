// GRDB: `bench-grdb codable|records WORK DATABASE ROWS COUNT`.

import GRDB
import Workload

typealias Item = ItemFields & FetchableRecord & PersistableRecord

extension FetchableRecord {
    /// `fetchOne(_:key:)` prepares its statement on every call and takes some eight times as long; this is GRDB's own
    /// advice for a query that is repeated.
    static func find(_ db: Database, byKey key: Int64) throws -> Self? {
        try fetchOne(db.cachedStatement(sql: "SELECT * FROM item WHERE id = ?"), arguments: [key])
    }
}

func run<Record: Item>(_: Record.Type, _ job: inout Job) throws {

    var configuration = Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA secure_delete = FAST") }
    let database = try DatabasePool(path: job.path, configuration: configuration)
    let rows = job.rows
    let count = job.count
    switch job.work {
    case "insert", "insert_each":
        let items = Record.make(count: count)
        try database.write { try $0.execute(sql: itemCreate) }
        try job.measure {
            try database.write { db in for item in items { try item.insert(db) } }
        }
        job.report()
    case "autocommit":
        var items = Record.make(count: count)
        for index in items.indices { items[index].id += Int64(rows) }
        try job.measure {
            for item in items { try database.write { try item.insert($0) } }
        }
        job.report()
    case "fetch":
        let items = try job.measure { try database.read { try Record.fetchAll($0) } }
        job.report(checksum: checksum(items))
    case "filter":
        let request = Record.filter(Column("region") == filterRegion).order(Column("quantity"), Column("id"))
        let items = try job.measure { try database.read { try request.fetchAll($0) } }
        job.report(checksum: checksum(items))
    case "lookup":
        var sum: UInt64 = 0
        try job.measure {
            for index in 0..<count {
                let key = lookupKey(index, rows: rows)
                sum &+= try database.read { try Record.find($0, byKey: key) }?.lookupSum ?? 0
            }
        }
        job.report(checksum: sum)
    case "lookup_transaction":
        let sum = try job.measure {
            try database.read { db in
                var sum: UInt64 = 0
                for index in 0..<count {
                    sum &+= try Record.find(db, byKey: lookupKey(index, rows: rows))?.lookupSum ?? 0
                }
                return sum
            }
        }
        job.report(checksum: sum)
    case "readers":
        job.race(
            read: { key in _ = try database.read { try Record.find($0, byKey: key) }?.lookupSum },
            write: { edition in
                try database.write { db in
                    for index in 0..<writeCount {
                        try Record(made: lookupKey(index, rows: rows), edition: edition).update(db)
                    }
                }
            })
        return try database.close()
    case "update3", "update9":
        let items = Record.make(count: count, edition: 1, key: updateKey)
        let columns = job.work == "update3" ? ["quantity", "price", "name"] : nil
        try job.measure {
            try database.write { db in
                for item in items {
                    if let columns { try item.update(db, columns: columns) } else { try item.update(db) }
                }
            }
        }
        job.report()
    case "delete":
        let items = Record.make(count: count, key: deleteKey)
        try job.measure {
            try database.write { db in for item in items { try item.delete(db) } }
        }
        job.report()
    case "delete_batch":
        try job.measure {
            try database.write { try Record.deleteAll($0, keys: (0..<count).map(deleteKey)) }
        }
        job.report()
    default:
        fatalError("no work named \(job.work)")
    }
    try database.close()
}

let arguments = CommandLine.arguments
var job = Job(arguments.dropFirst(2))
switch arguments[1] {
case "codable": try run(CodableItem.self, &job)
case "records": try run(ManualItem.self, &job)
default: fatalError("codable or records")
}

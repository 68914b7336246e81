// Cormorant from Swift: `bench-cormorant WORK DATABASE ROWS COUNT`.

import Cormorant
import Workload

@Model
struct Item: ItemFields {
    @Key var id: Int64
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

/// Any number of rows (a parameter) from a table of fewer, for the memory of a streamed result.
let stream: SQL = """
    WITH RECURSIVE turn(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM turn LIMIT ?1)
    SELECT item.* FROM turn CROSS JOIN item LIMIT ?1
    """

/// What the first read of a server costs, a connection, is no part of a fetch or lookup.
func readOne(_ database: Database, _ job: Job) throws {
    if job.path.hasPrefix("postgres") { _ = try database.find(Item.self, key: 1) }
}

func run(_ job: inout Job) throws {
    if job.work == "empty" { return job.report() }
    let database = try Database(path: job.path)
    let rows = job.rows
    let count = job.count
    var sum: UInt64 = 0
    switch job.work {
    case "insert":
        var items = Item.make(count: count)
        try database.createTables(Item.self)
        try job.measure { try database.insert(contentsOf: &items) }
    case "insert_each":
        var items = Item.make(count: count)
        try database.createTables(Item.self)
        try job.measure {
            try database.transaction {
                for index in items.indices { try database.insert(&items[index]) }
            }
        }
    case "autocommit":
        var items = Item.make(count: count)
        for index in items.indices { items[index].id += Int64(rows) }
        try job.measure {
            for index in items.indices { try database.insert(&items[index]) }
        }
    case "fetch":
        try readOne(database, job)
        sum = checksum(try job.measure { try database.fetchAll(Item.self) })
    case "filter":
        let query = Query(["region": .integer(filterRegion)], order: ["quantity", "id"])
        sum = checksum(try job.measure { try database.fetchAll(Item.self, query) })
    case "lookup":
        try readOne(database, job)
        try job.measure {
            for index in 0..<count {
                sum &+= try database.find(Item.self, key: lookupKey(index, rows: rows))?.lookupSum ?? 0
            }
        }
    case "lookup_transaction":
        try job.measure {
            try database.transaction(.deferred) {
                for index in 0..<count {
                    sum &+= try database.find(Item.self, key: lookupKey(index, rows: rows))?.lookupSum ?? 0
                }
            }
        }
    case "readers":
        job.race(
            read: { key in _ = try database.find(Item.self, key: key)?.lookupSum },
            write: { edition in
                try database.write { database in
                    for index in 0..<writeCount {
                        var item = Item(made: lookupKey(index, rows: rows), edition: edition)
                        try database.update(&item)
                    }
                }
            })
        return try database.close()
    case "stream":
        try job.measure {
            let cursor = try database.cursor(Item.self, Query(sql: stream, [.integer(Int64(count))]))
            while let item = try cursor.next() { sum &+= item.lookupSum }
        }
    case "update3", "update9":
        var items = Item.make(count: count, edition: 1, key: updateKey)
        let properties = job.work == "update3" ? ["quantity", "price", "name"] : nil
        try job.measure {
            try database.transaction {
                for index in items.indices { try database.update(&items[index], properties: properties) }
            }
        }
    case "update3_batch", "update9_batch":
        var items = Item.make(count: count, edition: 1, key: updateKey)
        let properties = job.work == "update3_batch" ? ["quantity", "price", "name"] : nil
        try job.measure { try database.update(contentsOf: &items, properties: properties) }
    case "save_batch":
        var items = Item.make(count: count, edition: 1, key: updateKey)
        try job.measure { try database.save(contentsOf: &items) }
    case "delete":
        let items = Item.make(count: count, key: deleteKey)
        try job.measure {
            try database.transaction {
                for item in items { try database.delete(item) }
            }
        }
    case "delete_batch":
        let items = Item.make(count: count, key: deleteKey)
        try job.measure { try database.delete(contentsOf: items) }
    default:
        fatalError("no work named \(job.work)")
    }
    try database.close()
    job.report(checksum: sum)
}

var job = Job(CommandLine.arguments.dropFirst())
try run(&job)

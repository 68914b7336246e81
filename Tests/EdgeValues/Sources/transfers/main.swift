// Moves money between the accounts of a file in two threads while two others look; see ../../../Transfers/run.
import Cormorant
import Foundation

let total: Int64 = 50_000

func fail(_ what: String) -> Never {
    FileHandle.standardError.write(Data("Swift: \(what)\n".utf8))
    exit(1)
}

@Sendable func writeAlways(_ database: Database, _ first: Int64) {
    for id in (first + 1)... {
        let (from, to) = (Int64.random(in: 1...50), Int64.random(in: 1...50))
        let amount = Int64.random(in: 0..<100)
        do {
            try database.write { database in
                let change: SQL = "UPDATE account SET balance = balance + ? WHERE id = ?"
                try database.execute(change, [.integer(-amount), .integer(from)])
                try database.execute(change, [.integer(amount), .integer(to)])
                try database.execute(
                    "INSERT INTO transfer VALUES (?, ?, ?, ?)",
                    [.integer(id), .integer(from), .integer(to), .integer(amount)])
            }
            FileHandle.standardOutput.write(Data("\(id)\n".utf8))
        } catch let error as CormorantError where error.code == .busy {
            continue
        } catch {
            fail("a transfer: \(error)")
        }
    }
}

@Sendable func readAlways(_ database: Database) {
    func number(_ sql: SQL) throws -> Int64 {
        guard case .integer(let number) = try database.query(sql)[0][0] else { fail("no number") }
        return number
    }
    while true {
        do {
            if try number("SELECT sum(balance) FROM account") != total { fail("a sum differs") }
            try database.read { _ in
                let low = try number("SELECT sum(balance) FROM account WHERE id <= 25")
                let count = try number("SELECT count(*) FROM transfer")
                usleep(1000)
                let high = try number("SELECT sum(balance) FROM account WHERE id > 25")
                if low + high != total { fail("the sum of a snapshot differs") }
                if try number("SELECT count(*) FROM transfer") != count { fail("a snapshot changes") }
            }
        } catch {
            fail("a read: \(error)")
        }
    }
}

guard CommandLine.arguments.count == 3, let worker = Int64(CommandLine.arguments[2]) else { exit(2) }
let database = try Database(path: CommandLine.arguments[1], options: OpenOptions(busyTimeout: 30_000))
for number: Int64 in 1...2 {
    Thread.detachNewThread { writeAlways(database, worker * 1_000_000_000 + number * 100_000_000) }
    Thread.detachNewThread { readAlways(database) }
}
while true { sleep(60) }

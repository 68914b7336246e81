// The same models on a PostgreSQL server: postgresql URL.
import Cormorant
import Foundation

@Model
struct Account {
    @Key var id: Int64?
    @Column(unique: true) var owner: String
    @Column(check: "balance >= 0") var balance: Int64
}

private let end: SQL = """
    DO 'BEGIN PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = ''served'' AND state = ''idle in transaction''; END'
    """

@main
struct Program {
    static func main() async throws {
        guard let url = CommandLine.arguments.dropFirst().first else { return print("usage: postgresql URL") }
        let database = try Database(path: url)
        try use(database)
        try transfer(database, from: "Ada", to: "Bob", 30)
        print(try await database.fetchAll(Account.self, Query(order: ["owner"])).map(\.balance))
        try refuse(database)
        lack(database)
        try serve(url)
        try await watch(url)
        try grow(database)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())").path
        try writeStep(database, folder)
        try FileManager.default.removeItem(atPath: folder)
        try database.close()
    }

    /// What only reads is answered by a standby among the hosts, as far as there is one, and shows what was written.
    static func serve(_ url: String) throws {
        let database = try Database(path: "\(url)?readers=standby&application_name=served")
        let other = try Database(path: url)
        _ = try database.inserted(Account(owner: "Eve", balance: 10))
        print(try database.read { try $0.fetchCount(Account.self) }, "accounts")
        do {
            try database.transaction {
                _ = try database.inserted(Account(owner: "Fay", balance: 10))
                // As a primary does that fails.
                try other.execute(end)
                _ = try database.inserted(Account(owner: "Gus", balance: 10))
            }
        } catch let error as CormorantError where error.code == .connection {
            print(error.hint ?? "")
        }
        // The next call finds the new primary, or says that there is none yet.
        print(try database.fetchCount(Account.self), "accounts")
    }

    /// Commits of this program are told at once, those of others within half a second.
    static func watch(_ url: String) async throws {
        let database = try Database(path: "\(url)?outbox=install&poll=500")
        var writers = [database, try Database(path: url)]
        let changes = try await database.perform { try $0.observe(Account.self) }
        try await writers.removeFirst().execute("UPDATE account SET balance = balance + 1 WHERE owner = 'Bob'")
        for try await event in changes {
            print(event.changes[0].kind, event.isForeign ? "by others" : "by this program")
            guard let other = writers.popLast() else { break }
            try await other.execute("UPDATE account SET balance = balance + 1 WHERE owner = 'Bob'")
        }
    }

    /// Nothing here says which engine it is.
    static func use(_ database: Database) throws {
        try database.createTables(Account.self)
        var accounts = [Account(owner: "Ada", balance: 100), Account(owner: "Bob", balance: 20)]
        try database.insert(contentsOf: &accounts)
        for account in try database.fetchAll(Account.all.where { $0.balance > 50 }) {
            print(account.owner, account.balance)
        }
    }

    /// Of transactions that are in each other's way one is rolled back, and its closure is run again.
    static func transfer(_ database: Database, from payer: String, to payee: String, _ amount: Int64) throws {
        try database.transaction {
            for (owner, change) in [(payer, -amount), (payee, amount)] {
                guard var account = try database.fetchOne(Account.self, Query(["owner": .text(owner)])) else {
                    continue
                }
                account.balance += change
                try database.update(&account)
            }
        }
    }

    /// In a transaction, what may fail goes into a nested one, which alone is rolled back then.
    static func refuse(_ database: Database) throws {
        try database.transaction {
            _ = try database.inserted(Account(owner: "Cid", balance: 5))
            do {
                try database.transaction { _ = try database.inserted(Account(owner: "Ada", balance: 1)) }
            } catch let error as CormorantError where error.code == .unique {
                print(error.message)
            }
            _ = try database.inserted(Account(owner: "Dan", balance: 5))
        }
        print(try database.fetchCount(Account.self), "accounts")
    }

    /// What an engine does not have is refused by name.
    static func lack(_ database: Database) {
        do {
            try database.vacuum()
        } catch let error as CormorantError {
            print(error.code.name)
        } catch {}
    }
}

/// The same table, a year later.
@Model(table: "account")
struct Grown {
    @Key var id: Int64?
    @Column(unique: true) var owner: String
    @Column(check: "balance >= 0") var balance: Int64
    @Column(indexed: true, default: "'EUR'") var currency = "EUR"
}

extension Program {
    /// A table of millions of rows would be changed so, too: the index by itself, while others write.
    static func grow(_ database: Database) throws {
        for step in try database.plan(Grown.self).steps { print(step.summary, "-", step.risk.name) }
        try database.sync(Grown.self)
        print(try database.plan(Grown.self).steps.count, "steps are left")
    }

    /// A step of a bundle, with SQL for the server beside that for files.
    static func writeStep(_ database: Database, _ folder: String) throws {
        try MigrationBundle.generate(
            folder, name: "accounts", models: Grown.self, options: MigrationOptions(server: database))
        let bundle = try MigrationBundle(folder: folder)
        try database.adopt(bundle)
        for step in try database.status(bundle) { print(step.state) }
    }
}

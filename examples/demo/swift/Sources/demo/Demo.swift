// The demo in Swift: reads and changes the file that load.py made and explore.c changed.
//
// demo DATABASE        does that
// demo DATABASE sum    counts all rows and sums them up
import Cormorant

@main
struct Demo {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let path = arguments.first else {
            print("usage: demo DATABASE [sum]")
            return
        }
        var clock = Clock()
        let database = try Database(path: path)
        if arguments.count > 1 {
            let sum = try Checksum(of: database)
            print("\(sum.rows) rows, checksum \(right(String(sum.value, radix: 16), 16, filler: "0"))")
        } else {
            try database.createTables(Section.self, Maintainer.self, Package.self, Dependency.self)
            clock.done("opened the file; its tables are there already")
            let largest = try fetchMarked(database, &clock)
            try addPackage(database, &clock)
            if let largest { try delete(largest, database, &clock) }
            try report(database, &clock)
        }
        try database.close()
    }

    /// What explore.c has left in the column `note`.
    static func fetchMarked(_ database: Database, _ clock: inout Clock) throws -> Package? {
        var marked = Query(["note": .text("nothing asks for it")], order: ["-installedSize", "name"])
        let count = try database.fetchCount(Package.self, marked)
        marked.limit = 3
        let packages = try database.fetchAll(Package.self, marked)
        clock.done("fetched the largest of the \(count) packages that C has marked")
        for package in packages {
            let size = right("\(package.installedSize ?? 0)", 24)
            print("\(size) KB  \(package.name) \(package.version) (\(package.section))")
        }
        return packages.first
    }

    /// Four records in one transaction. Records are values; what SQLite makes, such as a key, comes back into them.
    static func addPackage(_ database: Database, _ clock: inout Clock) throws {
        let package = try database.transaction {
            let section = try database.saved(Section(name: "database"))
            let maintainer = try database.inserted(Maintainer(name: "The Cormorant authors"))
            var package = Package(
                name: "cormorant", version: "0.1.0", section: section.name, maintainerID: maintainer.id,
                priority: "optional", essential: false, summary: "an ORM for SQLite")
            try package.insert(in: database)
            let sqlite = try database.find(Package.self, key: "libsqlite3-0")
            var dependency = Dependency(
                package: package.name, position: 0, kind: "depends", target: "libsqlite3-0", found: sqlite?.name)
            try dependency.save(in: database)  // inserts
            dependency.wantedVersion = ">= 3.35"
            try dependency.save(in: database)  // updates
            package.note = "added from Swift"
            try package.update(in: database, properties: ["note"])
            return package
        }
        clock.done("inserted \(package.name) of maintainer \(package.maintainerID), and what it depends on")
    }

    static func delete(_ package: Package, _ database: Database, _ clock: inout Clock) throws {
        let before = try database.fetchCount(Dependency.self)
        try package.delete(in: database)
        let gone = try before - database.fetchCount(Dependency.self)
        clock.done("deleted the row of \(package.name), and by the foreign key its \(gone) dependencies")
    }

    /// For what no record describes: SQL, with data as bindings, and rows whose columns have names.
    static func report(_ database: Database, _ clock: inout Clock) throws {
        let rows = try database.query(
            """
            SELECT package.name, package.version, count(*) AS dependents
            FROM dependency JOIN package ON package.name = dependency.found
            WHERE dependency.kind = :kind
            GROUP BY package.name ORDER BY dependents DESC, package.name LIMIT 3
            """, ["kind": "depends"])
        clock.done("joined the tables: the packages that most others depend on")
        for row in rows {
            let dependents = right("\(try row["dependents"].int64 ?? 0)", 24)
            print("\(dependents)  \(try row["name"].string ?? "") \(try row["version"].string ?? "")")
        }
    }
}

/// Prints each step with the time since the one before.
struct Clock {
    private var began = ContinuousClock.now

    mutating func done(_ what: String) {
        let tenths = Int(((ContinuousClock.now - began) / .microseconds(100)).rounded())
        print(right("\(tenths / 10).\(tenths % 10)", 9), "ms ", what)
        began = .now
    }
}

func right(_ text: String, _ width: Int, filler: Character = " ") -> String {
    String(repeating: filler, count: max(0, width - text.count)) + text
}

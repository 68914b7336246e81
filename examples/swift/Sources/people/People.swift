// People and their departments: a short tour of Cormorant. `swift run` runs it; it needs no argument.
import CormorantFoundation
import Foundation

@main
struct People {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try Database(path: folder.appendingPathComponent("people.db").path)
        try fill(database)
        try change(database)
        try refuse(database)
        try report(database)
        try await raise(database)
        try database.close()
    }

    /// Creates the tables and puts a few records in.
    static func fill(_ database: Database) throws {
        try database.createTables(Department.self, Person.self)
        let sales = try database.inserted(Department(name: "Sales"))  // the key comes back: sales.id
        let research = try database.inserted(Department(name: "Research"))
        var people = [
            Person(name: "Ada", department: research.id, salary: 5200, skills: ["mathematics", "engines"]),
            Person(name: "Ben", department: sales.id, salary: 3100, bonus: Decimal(string: "99.90")),
            Person(name: "Cleo", department: sales.id, salary: 3400),
            Person(name: "Dan", since: Date(timeIntervalSince1970: 1_556_668_800)),
        ]
        try database.insert(contentsOf: &people)
        print("\(people.count) people inserted, \(people[3].name) has key \(people[3].id!)")
    }

    /// Finds and changes records.
    static func change(_ database: Database) throws {
        if var ben = try database.fetchOne(Person.self, Query(["name": "Ben"])) {
            ben.salary += 200
            try ben.update(in: database, \.salary)
        }
        try database.transaction {
            let without = Query(sql: "SELECT * FROM people WHERE department IS NULL")
            for var person in try database.fetchAll(Person.self, without) {
                person.department = 1
                try person.save(in: database)
            }
        }
    }

    /// What the database does not allow is an error that says why.
    static func refuse(_ database: Database) throws {
        do {
            _ = try database.inserted(Department(name: "Sales"))
        } catch let error as CormorantError where error.code == .unique {
            print("refused: \(error.table ?? "").\(error.columns.joined(separator: ", ")) must be unique")
        }
        do {
            try database.delete(Department.self, key: 1)
        } catch let error as CormorantError where error.code == .foreignKey {
            print("refused: \(error.message)")
        }
    }

    /// Prints records, and rows of SQL.
    static func report(_ database: Database) throws {
        for person in try database.fetchAll(Person.self, Query(order: ["-salary", "name"])) {
            let bonus = person.bonus.map { "a bonus of \($0)" } ?? "no bonus"
            print("\(person.name) gets \(person.salary) and \(bonus), and knows \(person.skills)")
        }
        let least = 1000
        let sql: SQL = """
            SELECT d.name, count(*) AS people FROM departments d JOIN people p ON p.department = d.id
            WHERE p.salary > \(least) GROUP BY d.id
            """
        for row in try database.query(sql) { print(row.json) }
    }

    /// The same calls exist for `async` code; a transaction there is one body that gets the database.
    static func raise(_ database: Database) async throws {
        let raised = try await database.transaction { database in
            var people = try database.fetchAll(Person.self, Query(["department": 1]))
            for index in people.indices { people[index].salary += 100 }
            try database.update(contentsOf: &people, \.salary)
            return people.count
        }
        let total = try await database.query("SELECT sum(salary) AS total FROM people")
        print("\(raised) people raised; all get \(try total[0]["total"].int64 ?? 0)")
    }
}
